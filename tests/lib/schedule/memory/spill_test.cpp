#include "lib/schedule/memory/spill.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/copying_schedules.hpp"

using namespace ein;
using namespace ein::schedule;
using namespace ein::test;

namespace {

/// "load, spill, fetch, ..."
std::string kinds(Section const& section) {
    std::string out;
    for (Task const& task : section.tasks) out += (out.empty() ? "" : ", ") + std::string(task.traits().name);
    return out;
}

/// Sound, within the budget, with the same tasks beside spills and fetches. @return the spilled section of rank 0
Section checked(Schedule const& schedule, std::int64_t budget) {
    CAPTURE(budget);
    Schedule const spilled = with_spills(schedule, budget);
    for (std::string const& fault : faults_of(spilled)) FAIL_CHECK(fault);
    auto const works = [](Section const& section) {
        return std::count_if(section.tasks.begin(), section.tasks.end(),
                             [](Task const& task) { return !task.is<Spill>() && !task.is<Fetch>(); });
    };
    for (Rank rank : spilled.sections.ids()) {
        CHECK(replay(spilled.sections[rank]).peak <= budget);
        CHECK(works(spilled.sections[rank]) == works(schedule.sections[rank]));
    }
    return spilled.sections[Rank{0}];
}

/// x, y and w are read long after they are loaded; blocks are 8 elements, 64 bytes. Z = (X + Y) + W by way of T.
Schedule three_inputs() {
    ScheduleBuilder b(1);
    b.tensor("X", {8}), b.tensor("Y", {8}), b.tensor("W", {8}), b.tensor("T", {8}), b.tensor("Z", {8});
    auto const multiply = b.kernel("multiply", sum_of_products("i,i->i", {{'i', 8}}));
    b.load(0, "x", "X", {{0}, {8}}), b.load(0, "y", "Y", {{0}, {8}}), b.load(0, "w", "W", {{0}, {8}});
    b.block(0, "t", "T", {{0}, {8}}), b.block(0, "z", "Z", {{0}, {8}});
    b.apply(0, multiply, {{0}, {8}}, {"x", "y"}, "t");
    b.apply(0, multiply, {{0}, {8}}, {"t", "w"}, "z");
    b.store(0, "z");
    return b.finish();
}

}  // namespace

TEST_CASE("with enough memory a section stays as it is", "[schedule][spill]") {
    Schedule const schedule = three_inputs();
    REQUIRE(schedule.header.prediction.peak_bytes[0] == 256);
    CHECK(kinds(checked(schedule, 256)) == kinds(schedule.sections[Rank{0}]));
}

TEST_CASE("what is used last leaves, and comes back before it is used", "[schedule][spill]") {
    Schedule const schedule = three_inputs();
    CHECK(smallest_budget(schedule) == 192);
    Section const section = checked(schedule, 192);
    CHECK(kinds(section) == "load, load, load, spill, apply, fetch, apply, store");
    CHECK(section.blocks[section.reads(TaskId{3})[0]].tensor == TensorId{2});  // W
    CHECK(section.tasks[TaskId{5}].after() == TaskId{3});
    DiskUse const use = disk_use(section);
    CHECK(use.blocks == 1);
    CHECK(use.written == 64);
    CHECK(use.read == 64);
    CHECK(use.peak == 64);
}

TEST_CASE("a budget below the largest task is our own mistake", "[schedule][spill]") {
    CHECK_THROWS_AS(with_spills(three_inputs().sections[Rank{0}], 191), InternalError);
}

TEST_CASE("a block that is on disk leaves without being written again", "[schedule][spill]") {
    // x is read now and then; in between, two blocks take all the room
    ScheduleBuilder b(1);
    b.tensor("X", {8}), b.tensor("L", {16}), b.tensor("Z", {8});
    auto const widen = b.kernel("widen", sum_of_products("i->k", {{'i', 8}, {'k', 16}}));
    auto const same = b.kernel("same", sum_of_products("k->k", {{'k', 16}}));
    auto const narrow = b.kernel("narrow", sum_of_products("k->i", {{'k', 16}, {'i', 8}}));
    b.load(0, "x", "X", {{0}, {8}});
    b.block(0, "z", "Z", {{0}, {8}});
    for (int iteration = 0; iteration < 3; ++iteration) {
        std::string const l = "l" + std::to_string(iteration), m = "m" + std::to_string(iteration);
        b.block(0, l, "L", {{0}, {16}}), b.block(0, m, "L", {{0}, {16}});
        b.apply(0, widen, {{0, 0}, {8, 16}}, {"x"}, l);
        b.apply(0, same, {{0}, {16}}, {l}, m);
        b.apply(0, narrow, {{0, 0}, {16, 8}}, {m}, "z", iteration > 0);
    }
    b.store(0, "z");
    Schedule const schedule = b.finish();
    Section const section = checked(schedule, smallest_budget(schedule));
    int of_x = 0, back = 0;
    for (Task const& task : section.tasks) {
        auto const is_x = [&](BlockId block) { return section.blocks[block].tensor == TensorId{0}; };
        of_x += task.is<Spill>() && is_x(section.as<Spill>(task).block) ? 1 : 0;
        back += task.is<Fetch>() && is_x(section.as<Fetch>(task).result) ? 1 : 0;
    }
    CHECK(of_x == 1);
    CHECK(back == 2);
}

TEST_CASE("a block that several tasks write leaves between them", "[schedule][spill]") {
    // Z is summed over three inputs, each made of a block larger than what is left beside Z.
    ScheduleBuilder b(1);
    b.tensor("X", {3, 8}), b.tensor("L", {8, 4}), b.tensor("Z", {8});
    auto const spread = b.kernel("spread", sum_of_products("ai->ik", {{'a', 3}, {'i', 8}, {'k', 4}}));
    auto const gather = b.kernel("gather", sum_of_products("ik->i", {{'i', 8}, {'k', 4}}));
    b.load(0, "x", "X", {{0, 0}, {3, 8}});  // 192 bytes
    b.block(0, "z", "Z", {{0}, {8}});       // 64
    for (int iteration = 0; iteration < 3; ++iteration) {
        std::string const l = "l" + std::to_string(iteration);
        b.block(0, l, "L", {{0, 0}, {8, 4}});  // 256
        b.apply(0, spread, {{0, 0, 0}, {3, 8, 4}}, {"x"}, l);
        b.apply(0, gather, {{0, 0}, {8, 4}}, {l}, "z", iteration > 0);
    }
    b.store(0, "z");
    Schedule const schedule = b.finish();
    REQUIRE(schedule.header.prediction.peak_bytes[0] == 512);
    REQUIRE(smallest_budget(schedule) == 448);
    Section const section = checked(schedule, 448);
    CHECK(kinds(section).find("spill") != std::string::npos);
    int parts = 0;  // blocks of Z, each written once by an apply
    for (Block const& block : section.blocks) parts += block.tensor == TensorId{2} ? 1 : 0;
    CHECK(parts == 3);
    CHECK(disk_use(section).written == 192 + 2 * 64);  // x once; z has changed each time
}

TEST_CASE("copies that may come in any order come after the fetch of their block", "[schedule][spill]") {
    ScheduleBuilder b(1);
    b.tensor("X", {8}), b.tensor("L", {16}), b.tensor("Y", {8}), b.tensor("S", {1});
    auto const move = b.movement("Y", {{0, 1}});
    auto const widen = b.kernel("widen", sum_of_products("i->k", {{'i', 8}, {'k', 16}}));
    auto const sum = b.kernel("sum", sum_of_products("k->a", {{'k', 16}, {'a', 1}}));
    b.load(0, "x", "X", {{0}, {8}});
    b.block(0, "y", "Y", {{0}, {8}}), b.block(0, "l", "L", {{0}, {16}}), b.block(0, "s", "S", {{0}, {1}});
    b.copy(0, move, {{0}, {4}}, "x", "y");
    b.apply(0, widen, {{0, 0}, {8, 16}}, {"x"}, "l");
    b.apply(0, sum, {{0, 0}, {16, 1}}, {"l"}, "s");
    b.copy(0, move, {{4}, {2}}, "x", "y");
    b.copy(0, move, {{6}, {2}}, "x", "y");
    b.store(0, "y"), b.store(0, "s");
    Schedule const schedule = b.finish();
    Section const section = checked(schedule, smallest_budget(schedule));
    for (Task const& task : section.tasks)
        if (task.is<Copy>() && section.as<Copy>(task).region.begin[0] > 0) {
            REQUIRE(task.after());
            CHECK(section.tasks[*task.after()].is<Fetch>());
        }
}

TEST_CASE("stores of what is in memory make room for the others", "[schedule][spill]") {
    Section const section = checked(copied_thrice(), 128);
    CHECK(kinds(section) == "load, apply, spill, apply, spill, apply, store, fetch, store, fetch, store");
}

TEST_CASE("every budget from the smallest to the peak is kept, and a second, smaller one too", "[schedule][spill]") {
    Schedule const schedule = three_inputs();
    for (std::int64_t budget = smallest_budget(schedule); budget <= 264; budget += 8) checked(schedule, budget);
    ScheduleBuilder b(2);
    b.tensor("X", {4, 8}), b.tensor("T", {8}), b.tensor("Z", {8});
    auto const add = b.kernel("add", sum_of_products("ai,i->i", {{'a', 4}, {'i', 8}}));
    b.load(0, "t", "T", {{0}, {8}});
    for (int row = 0; row < 4; ++row) b.load(0, "x" + std::to_string(row), "X", {{row, 0}, {1, 8}});
    b.block(0, "z", "Z", {{0}, {8}});
    for (int row : {2, 0, 3, 1}) b.apply(0, add, {{row, 0}, {1, 8}}, {"x" + std::to_string(row), "t"}, "z", row != 2);
    b.transfer(0, "z", 1);
    b.store(0, "t"), b.store(1, "z");
    Schedule const sums = b.finish();
    std::int64_t const least = smallest_budget(sums);
    for (std::int64_t budget = least; budget <= sums.header.prediction.peak_bytes[0]; budget += 8) {
        checked(sums, budget);
        Schedule const once = with_spills(sums, budget);
        CHECK(smallest_budget(once) == least);
        for (std::int64_t smaller = least; smaller < budget; smaller += 16) {
            Schedule const twice = with_spills(once, smaller);
            CHECK(faults_of(twice).empty());
            CHECK(twice.header.prediction.peak_bytes[0] <= smaller);
        }
    }
}
