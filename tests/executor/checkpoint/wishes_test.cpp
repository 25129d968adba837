#include "executor/checkpoint/wishes.hpp"

#include "tests/support/catch.hpp"

using namespace ein::executor;

TEST_CASE("a checkpoint is wanted each so many seconds", "[executor][checkpoint]") {
    Wishes wishes({.every = 600, .stop_at = {}}, 0, 1);
    CHECK_FALSE(wishes.wanted(599));
    CHECK(wishes.wanted(601));
    wishes.saved(605, 4);
    CHECK_FALSE(wishes.wanted(1200));
    CHECK(wishes.wanted(1205));
}

TEST_CASE("after failures the next attempt waits twice as long each time", "[executor][checkpoint]") {
    Wishes wishes({.every = {}, .stop_at = 10}, 0, 0);
    CHECK_FALSE(wishes.wanted(9));
    CHECK(wishes.wanted(10));
    int attempts = 0;
    for (int tenth = 100; tenth < 10 * 1000; ++tenth) {
        double const now = tenth / 10.0;
        if (!wishes.wanted(now)) continue;
        wishes.failed(now, 0);
        CHECK(wishes.ends(now));  // the wish stays
        ++attempts;
    }
    CHECK(attempts >= 9);
    CHECK(attempts <= 12);
    wishes.saved(1000, 0);
    CHECK(wishes.wanted(1000.1));
}
