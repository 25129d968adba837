#include "lib/schedule/memory/replay.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/small_schedule.hpp"

TEST_CASE("blocks count from their first writer to their last reader", "[schedule][replay]") {
    auto const schedule = ein::test::small_schedule();
    auto const first = ein::schedule::replay(schedule.sections[ein::Rank{0}]);
    // load X 96; copy + 48; send frees the copy after it; apply + 16 and frees X after it; store
    CHECK(first.live == std::vector<std::int64_t>{96, 144, 144, 112, 16});
    CHECK(first.peak == 144);
    CHECK(first.at_end == 0);
    auto const second = ein::schedule::replay(schedule.sections[ein::Rank{1}]);
    CHECK(second.live == std::vector<std::int64_t>{48, 64, 16});
}

TEST_CASE("a block that a task reads twice is freed once, after it", "[schedule][replay]") {
    ein::schedule::Section section;
    auto const x = ein::test::block(section, {}, {{0}, {4}}), z = ein::test::block(section, {}, {{0}, {4}});
    section.add(ein::schedule::Load{{}, x});
    ein::test::apply(section, {x, x}, z);
    auto const profile = ein::schedule::replay(section);
    CHECK(profile.live == std::vector<std::int64_t>{32, 64});
    CHECK(profile.at_end == 0);  // the output has no reader: deleted when written
}
