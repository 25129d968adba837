#include "apps/einrun/durations.hpp"

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using apps::seconds_from;

TEST_CASE("times have units, and are seconds without one", "[apps][einrun]") {
    CHECK(seconds_from("90", "--every") == 90);
    CHECK(seconds_from("0.25s", "--every") == 0.25);
    CHECK(seconds_from("10min", "--every") == 600);
    CHECK(seconds_from("1.5m", "--every") == 90);
    CHECK(seconds_from("2h", "--every") == 7200);
    CHECK(seconds_from("1d", "--every") == 86400);
}

TEST_CASE("few seconds without a unit are doubted, and Slurm's times are told as ours", "[apps][einrun]") {
    CHECK(apps::note_of_short("10", "--every") ==
          "--every: 10 without a unit is 10 s: write 10min if minutes are meant, or 10s");
    for (char const* text : {"10s", "10min", "600", "0.02", "auto", "", "2h"})
        CHECK(apps::note_of_short(text, "-").empty());
    CHECK_THROWS_WITH(seconds_from("01:30:00", "--stop-at"), Catch::EndsWith("found '01:30:00'; write 90min"));
    CHECK_THROWS_WITH(seconds_from("1:30", "--every"), Catch::EndsWith("found '1:30'; write 90s"));
    CHECK_THROWS_WITH(seconds_from("1:2:3:4", "--every"), Catch::EndsWith("found '1:2:3:4'"));
    CHECK_THROWS_WITH(seconds_from("0:0", "--every"), Catch::EndsWith("found '0:0'"));
}

TEST_CASE("what is no time above zero is refused with its option", "[apps][einrun]") {
    for (char const* text : {"", "0", "-1", "-0s", "nan", "inf", "1e9", "1e300h", "10 min", "10mins", "min", "0x10",
                             "1,5s", " 5", "5ms"}) {
        CAPTURE(text);
        CHECK_THROWS_WITH(
            seconds_from(text, "--stop-at"),
            "--stop-at: expected a time above 0 such as 90s, 10min or 2h, found '" + std::string(text) + "'");
        CHECK_THROWS_AS(seconds_from(text, "--stop-at"), UsageError);
    }
}
