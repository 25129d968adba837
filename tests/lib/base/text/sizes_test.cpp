#include "lib/base/text/sizes.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("sizes are read with and without units", "[base][sizes]") {
    CHECK(ein::parse_bytes("1024") == 1024);
    CHECK(ein::parse_bytes("8GiB") == 8LL << 30);
    CHECK(ein::parse_bytes("8G") == 8LL << 30);
    CHECK(ein::parse_bytes("1.5 MiB") == 3LL << 19);
    CHECK(ein::parse_bytes("2kB") == 2000);
    CHECK(ein::parse_bytes("0") == 0);
    CHECK(ein::parse_bytes("8gb") == 8000000000);
    CHECK(ein::parse_bytes("64 mib") == 64 << 20);
}

TEST_CASE("what is no size is refused", "[base][sizes]") {
    auto const text =
        GENERATE("", "GiB", "-1", "8 elephants", "1e300", "nan", "8GiBs", "8Gb", "8Gib", "64 kbit", "8b", "8GBit");
    CAPTURE(text);
    CHECK_FALSE(ein::parse_bytes(text));
}

TEST_CASE("what may mean bits is told with what to write", "[base][sizes]") {
    CHECK(ein::mend_size("8Gb") == "b may mean bits: write 8GB (powers of 1000) or 8GiB (of 1024)");
    CHECK(ein::mend_size("1.5 Gib") == "b may mean bits: write 1.5GB (powers of 1000) or 1.5GiB (of 1024)");
    CHECK(ein::mend_size("64 kbit") == "b may mean bits: write 64KB (powers of 1000) or 64KiB (of 1024)");
    CHECK(ein::mend_size("8b") == "sizes are in bytes: write 8B");
    CHECK(ein::mend_size("-8GiB") == "write a size of 0 or more");
    CHECK(ein::mend_size("8,5GiB") == "write 8.5GiB");
    CHECK_THAT(ein::mend_size("lots"), Catch::Contains("write a number and a unit"));
    CHECK_THAT(ein::mend_size("8 elephants"), Catch::Contains("write a number and a unit"));
}

TEST_CASE("small numbers without a unit are noted, with what may be meant", "[base][sizes]") {
    CHECK(ein::note_of_small("8") == "8 without a unit is 8 B: write 8GiB or 8MiB for more, 8B if that is meant");
    CHECK(ein::note_of_small("16000") ==
          "16000 without a unit is 15.6 KiB: write 16000MiB for more, 16000B if that is meant");
    for (auto const* text : {"8B", "8GiB", "1048576", "8589934592", "8k", "lots", ""}) {
        CAPTURE(text);
        CHECK(ein::note_of_small(text).empty());
    }
}

TEST_CASE("a number and its unit are told apart", "[base][sizes]") {
    auto const parts = ein::number_and_unit("1.5 Gi B");
    REQUIRE(parts);
    CHECK(parts->number == 1.5);
    CHECK(parts->written == "1.5");
    CHECK(parts->unit == "GiB");
    for (auto const* text : {"", "GiB", "nan", "inf", "1e999"}) {
        CAPTURE(text);
        CHECK_FALSE(ein::number_and_unit(text));
    }
}

TEST_CASE("sizes and counts print with three digits", "[base][sizes]") {
    CHECK(ein::format_bytes(0) == "0 B");
    CHECK(ein::format_bytes(1610612736) == "1.50 GiB");
    CHECK(ein::format_bytes(1023) == "1023 B");
    CHECK(ein::format_bytes(128.0 * 1024 * 1024) == "128 MiB");
    CHECK(ein::format_exact_bytes(1610612737) == "1.50 GiB (1610612737 bytes)");
    CHECK(ein::format_count(5.31e10) == "53.1 G");
    CHECK(ein::format_count(999) == "999");
}
