#include "lib/base/text/quantities.hpp"

#include "tests/support/catch.hpp"

using ein::parse_quantity;
using ein::Quantity;

TEST_CASE("rates and times are read with their units", "[base][quantities]") {
    CHECK(*parse_quantity("100Gbit/s", Quantity::bytes_per_second) == Approx(1.25e10));
    CHECK(*parse_quantity("100 Gbps", Quantity::bytes_per_second) == Approx(1.25e10));
    CHECK(*parse_quantity("8GB/s", Quantity::bytes_per_second) == Approx(8e9));
    CHECK(*parse_quantity("8GiB/s", Quantity::bytes_per_second) == Approx(8.0 * (1 << 30)));
    CHECK(*parse_quantity("2us", Quantity::seconds) == Approx(2e-6));
    CHECK(*parse_quantity("1.5 \u00b5s", Quantity::seconds) == Approx(1.5e-6));
    CHECK(*parse_quantity("3 s", Quantity::seconds) == Approx(3));
    CHECK(*parse_quantity("60Gflop/s", Quantity::operations_per_second) == Approx(6e10));
    CHECK(*parse_quantity("1.2 TFLOP/s", Quantity::operations_per_second) == Approx(1.2e12));
}

TEST_CASE("what is of another quantity or has no unit is refused", "[base][quantities]") {
    auto const text =
        GENERATE("", "GB/s", "1e11", "8 elephants/s", "2us", "1Gb/s", "8 GB", "nan GB/s", "inf B/s", "1mB/s");
    CAPTURE(text);
    CHECK_FALSE(parse_quantity(text, Quantity::bytes_per_second));
    CHECK_FALSE(parse_quantity("1Gs", Quantity::seconds));
    CHECK_FALSE(parse_quantity("2uus", Quantity::seconds));
}

TEST_CASE("a rate that may mean bits or bytes is told with both", "[base][quantities]") {
    CHECK(ein::mend_quantity("8Gb/s", Quantity::bytes_per_second) ==
          "b may mean bits or bytes: write 8Gbit/s or 8GB/s");
    CHECK(ein::mend_quantity("100 kb/s", Quantity::bytes_per_second) ==
          "b may mean bits or bytes: write 100kbit/s or 100kB/s");
    CHECK(ein::mend_quantity("8Gb/s", Quantity::seconds) == "write the number with its unit");
    CHECK(ein::mend_quantity("fast", Quantity::bytes_per_second) == "write the number with its unit");
}

TEST_CASE("numbers without a unit that no machine has are noted, with what may be meant", "[base][quantities]") {
    CHECK(ein::note_of_unlikely(2, "2", Quantity::seconds) ==
          "2 without a unit is 2 seconds: write \"2us\" for microseconds, \"2s\" if that is meant");
    CHECK(
        ein::note_of_unlikely(100, "100", Quantity::bytes_per_second) ==
        "100 without a unit is 100 bytes/s: write \"100GB/s\" or \"100Gbit/s\" for more, \"100B/s\" if that is meant");
    CHECK(ein::note_of_unlikely(60, "60", Quantity::operations_per_second) ==
          "60 without a unit is 60 operations/s: write \"60Gflop/s\" for more, \"60flop/s\" if that is meant");
    CHECK(ein::note_of_unlikely(2e-6, "2e-6", Quantity::seconds) == "");
    CHECK(ein::note_of_unlikely(1e10, "1e10", Quantity::bytes_per_second) == "");
    CHECK(ein::note_of_unlikely(1e6, "1e6", Quantity::operations_per_second) == "");
}

TEST_CASE("times print with three digits", "[base][quantities]") {
    CHECK(ein::format_seconds(2e-6) == "2.00 us");
    CHECK(ein::format_seconds(0.34) == "340 ms");
    CHECK(ein::format_seconds(12.5) == "12.5 s");
    CHECK(ein::format_seconds(0) == "0 s");
}
