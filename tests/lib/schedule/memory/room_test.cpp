#include "lib/schedule/memory/room.hpp"

#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "lib/schedule/tuning.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/waiting_schedule.hpp"

using namespace ein;
using namespace ein::schedule;
using namespace ein::test;

TEST_CASE("a rank that waits for messages has room for a small part of its peak", "[schedule][room]") {
    Schedule const schedule = loss_before_slope(1000);
    Section const &waits = schedule.sections[Rank{0}], &sends = schedule.sections[Rank{1}];
    std::int64_t const peak = replay(waits).peak, all = bytes_of_all_blocks(waits);
    CHECK(peak == 8000 + 8 + 8);  // x, and the loss of each rank
    CHECK(all == peak + 8);       // and the slope
    CHECK(room_for(waits, peak, std::nullopt) == 8);
    CHECK(room_for(waits, 6400, std::nullopt) == 6400 / tuning::room_part);
    CHECK(room_for(waits, peak, peak + 3) == 3);
    CHECK(room_for(waits, peak, peak) == 0);
    CHECK(room_for(waits, peak, peak - 1) == 0);
    CHECK(room_for(sends, replay(sends).peak, std::nullopt) == 0);
}

TEST_CASE("room is part of the peak, as far as memory has it", "[schedule][room]") {
    Section section = loss_before_slope(1000).sections[Rank{0}];
    std::int64_t const in_order = replay(section).peak;
    section.room = 100;
    CHECK(replay(section).peak == in_order + 100);
    CHECK(smallest_budget(section) == smallest_budget(loss_before_slope(1000).sections[Rank{0}]));
    CHECK(leave_room_within(section, in_order + 100, in_order + 100) == in_order + 100);
    CHECK(section.room == 100);
    CHECK(leave_room_within(section, in_order + 100, in_order + 60) == in_order + 60);
    CHECK(section.room == 60);
    CHECK(leave_room_within(section, in_order + 60, in_order - 1) == in_order);
    CHECK(section.room == 0);
}

TEST_CASE("what fits without its room loses that and does not spill", "[schedule][room][spill]") {
    Schedule schedule = loss_before_slope(1000);
    std::int64_t const in_order = schedule.header.prediction.peak_bytes[0];
    give_room(schedule, Rank{0}, 8);
    REQUIRE(faults_of(schedule).empty());
    Schedule const fitted = with_spills(schedule, in_order);
    CHECK(faults_of(fitted).empty());
    CHECK(disk_use(fitted).blocks == 0);
    CHECK(fitted.header.prediction.peak_bytes[0] == in_order);
}

TEST_CASE("room that is no number of bytes is refused", "[schedule][room][verify]") {
    Schedule schedule = loss_before_slope(1000);
    std::int64_t const room = GENERATE(std::int64_t{-1}, std::int64_t{1} << 61);
    give_room(schedule, Rank{0}, room);
    CHECK_THAT(faults_of(schedule).at(0), Catch::Contains("rank 0: expected room of 0 bytes to 1 EiB, found"));
}
