#include "lib/base/text/sizes.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("sizes are read with and without units", "[base][sizes]") {
    CHECK(ein::parse_bytes("1024") == 1024);
    CHECK(ein::parse_bytes("8GiB") == 8LL << 30);
    CHECK(ein::parse_bytes("8G") == 8LL << 30);
    CHECK(ein::parse_bytes("1.5 MiB") == 3LL << 19);
    CHECK(ein::parse_bytes("2kb") == 2000);
    CHECK(ein::parse_bytes("0") == 0);
}

TEST_CASE("what is no size is refused", "[base][sizes]") {
    auto const text = GENERATE("", "GiB", "-1", "8 elephants", "1e300", "nan", "8GiBs");
    CAPTURE(text);
    CHECK_FALSE(ein::parse_bytes(text));
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
