#include "executor/engine/dispatcher.hpp"

#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;

namespace {

schedule::Schedule chain() {  // X -> Y -> Z on one rank
    ScheduleBuilder b(1);
    b.tensor("X", {4}), b.tensor("Y", {4}), b.tensor("Z", {4});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', 4}}));
    b.load(0, "x", "X", {{0}, {4}});
    b.block(0, "y", "Y", {{0}, {4}}), b.block(0, "z", "Z", {{0}, {4}});
    b.apply(0, copy, {{0}, {4}}, {"x"}, "y");
    b.apply(0, copy, {{0}, {4}}, {"y"}, "z");
    b.store(0, "z");
    return b.finish();
}

std::vector<schedule::LoopSpec> const no_loops;

struct Begun : Agenda {
    explicit Begun(schedule::Section const& section) : Agenda(section, no_loops, schedule::replay(section)) {
        begin_round(Inputs::used_up);
    }
};

}  // namespace

TEST_CASE("tasks are taken in order as their inputs become ready, phase by phase", "[executor][agenda]") {
    auto const schedule = chain();
    Begun agenda(schedule.sections[0]);
    agenda.begin_phase(Phase::load);
    REQUIRE(agenda.take_compute() == TaskId{0});
    CHECK_FALSE(agenda.take_compute());
    agenda.finish(TaskId{0});
    CHECK(agenda.phase_done());
    CHECK_FALSE(agenda.take_compute());  // the next phase has not begun
    agenda.begin_phase(Phase::execute);
    REQUIRE(agenda.take_compute() == TaskId{1});
    CHECK_FALSE(agenda.compute_wanted());
    agenda.finish(TaskId{1});
    REQUIRE(agenda.take_compute() == TaskId{2});
    agenda.finish(TaskId{2});
    CHECK(agenda.phase_done());
    CHECK(agenda.store().ledger().live() == 1);
    agenda.begin_phase(Phase::store);
    REQUIRE(agenda.take_compute() == TaskId{3});
    agenda.finish(TaskId{3});
    CHECK(agenda.store().ledger().live() == 0);
    CHECK(agenda.store().ledger().peak_bytes() == schedule.header.prediction.peak_bytes[0]);
}

TEST_CASE("a block that would break the memory promise waits for its turn", "[executor][agenda]") {
    // y is freed before w is made: with both x and w ready from the start, w (task 3) may not be made early.
    ScheduleBuilder b(1);
    b.tensor("X", {4}), b.tensor("Y", {8}), b.tensor("W", {8}), b.tensor("Z", {1});
    auto const spread = b.kernel("spread", sum_of_products("i,j->j", {{'i', 4}, {'j', 8}}));
    auto const total = b.kernel("total", sum_of_products("i,k->k", {{'i', 8}, {'k', 1}}));
    b.load(0, "x", "X", {{0}, {4}});
    b.load(0, "j", "Y", {{0}, {8}});
    b.load(0, "one", "Z", {{0}, {1}});
    for (char const* name : {"y", "w"}) b.block(0, name, *name == 'y' ? "Y" : "W", {{0}, {8}});
    b.block(0, "a", "Z", {{0}, {1}}), b.block(0, "b", "Z", {{0}, {1}});
    b.apply(0, spread, {{0, 0}, {4, 8}}, {"x", "j"}, "y");   // task 3
    b.apply(0, total, {{0, 0}, {8, 1}}, {"y", "one"}, "a");  // task 4
    b.apply(0, spread, {{0, 0}, {4, 8}}, {"x", "j"}, "w");   // task 5
    b.apply(0, total, {{0, 0}, {8, 1}}, {"w", "one"}, "b");  // task 6
    b.store(0, "a"), b.store(0, "b");
    auto const schedule = b.finish();
    Begun agenda(schedule.sections[0]);
    agenda.begin_phase(Phase::load);
    while (auto const load = agenda.take_compute()) agenda.finish(*load);
    agenda.begin_phase(Phase::execute);
    REQUIRE(agenda.take_compute() == TaskId{3});
    CHECK_FALSE(agenda.take_compute());  // task 5 is ready, but its block does not fit beside y
    agenda.finish(TaskId{3});
    REQUIRE(agenda.take_compute() == TaskId{4});
    CHECK_FALSE(agenda.take_compute());  // y is still being read
    agenda.finish(TaskId{4});
    CHECK(agenda.take_compute() == TaskId{5});
}

TEST_CASE("reading a block more often than scheduled is our own bug and says so", "[executor][agenda]") {
    auto const schedule = chain();
    BlockStore store(schedule.sections[0], 1 << 20);
    store.allocate(BlockId{0});
    CHECK(store.wrote(BlockId{0}));
    CHECK_THROWS_AS(store.wrote(BlockId{0}), InternalError);
    store.read(BlockId{0});
    CHECK_THROWS_AS(store.read(BlockId{0}), InternalError);
}

TEST_CASE("any order that the agenda allows keeps within the peak and ends with nothing", "[executor][agenda]") {
    // Tasks are taken as early as possible and end in random order: the most out-of-order run that there can be.
    std::uint64_t const seed = GENERATE(range(1, 41));
    auto const schedule = random_schedule(1, 80, seed);
    std::mt19937_64 random(seed);
    Begun agenda(schedule.sections[0]);
    bool early = false;
    for (Phase const phase : {Phase::load, Phase::execute, Phase::store}) {
        agenda.begin_phase(phase);
        std::vector<TaskId> running;
        while (!agenda.phase_done()) {
            while (auto const task = agenda.take_compute()) {
                early = early || (task != agenda.head() && phase == Phase::execute);
                running.push_back(*task);
            }
            REQUIRE_FALSE(running.empty());
            std::size_t const ends = std::uniform_int_distribution<std::size_t>(0, running.size() - 1)(random);
            agenda.finish(running[ends]);
            running.erase(running.begin() + static_cast<std::ptrdiff_t>(ends));
        }
    }
    CHECK(early);
    CHECK(agenda.store().ledger().live() == 0);
    CHECK(agenda.store().ledger().peak_bytes() <= schedule.header.prediction.peak_bytes[0]);
}

TEST_CASE("admission looks at every task between the head and a block's turn", "[executor][agenda]") {
    schedule::Admission admission({8, 16, 8, 12}, 16, 100);
    CHECK(admission.admits(TaskId{0}, 8));
    CHECK_FALSE(admission.admits(TaskId{3}, 4));
    CHECK(admission.admits(TaskId{3}, 0));
    admission.move_head(TaskId{2});
    CHECK(admission.admits(TaskId{3}, 8));
    CHECK_FALSE(admission.admits(TaskId{3}, 9));
    CHECK(admission.made(TaskId{3}, 8));
    CHECK_FALSE(admission.admits(TaskId{3}, 1));
    admission.came_due(TaskId{3}, 8);
    CHECK(admission.admits(TaskId{3}, 1));
    admission.move_head(TaskId{0});
    CHECK(admission.made(TaskId{1}, 4));
    CHECK_FALSE(admission.admits(TaskId{1}, 5));
    admission.move_head(TaskId{1});
    CHECK_FALSE(admission.admits(TaskId{3}, 1));  // as the profile has it; the early block is in it by now
    admission.move_head(TaskId{2});
    CHECK(admission.admits(TaskId{3}, 8));
    CHECK(schedule::Admission({8, 16, 8, 12}, 16, 16).admits(TaskId{3}, 16));  // all blocks together fit
}

TEST_CASE("nothing of another round starts before its phase begins", "[executor][agenda]") {
    auto const schedule = chain();
    Agenda agenda(schedule.sections[0], no_loops, replay_keeping_inputs(schedule.sections[0]));
    agenda.begin_round(Inputs::kept);
    agenda.begin_phase(Phase::load);
    agenda.finish(*agenda.take_compute());
    agenda.begin_phase(Phase::execute);
    while (auto const task = agenda.take_compute()) agenda.finish(*task);
    CHECK(agenda.phase_done());
    agenda.drop_outputs();
    agenda.begin_round(Inputs::used_up);
    CHECK_FALSE(agenda.compute_wanted());
    CHECK_FALSE(agenda.take_compute());
    agenda.begin_phase(Phase::execute);
    CHECK(agenda.take_compute() == TaskId{1});
}

namespace {

/// X -> inside; `turns` times: next = A inside (A is read in every turn); Z = next.
schedule::Schedule power(std::int64_t turns) {
    ScheduleBuilder b(1);
    b.tensor("A", {2, 2}), b.tensor("X", {2}), b.tensor("Z", {2});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', 2}}));
    auto const multiply = b.kernel("multiply", sum_of_products("ij,j->i", {{'i', 2}, {'j', 2}}));
    b.load(0, "a", "A", {{0, 0}, {2, 2}}), b.load(0, "x", "X", {{0}, {2}});
    b.block(0, "inside", "X", {{0}, {2}}), b.block(0, "next", "X", {{0}, {2}}), b.block(0, "z", "Z", {{0}, {2}});
    b.apply(0, copy, {{0}, {2}}, {"x"}, "inside");
    b.begin_loop(0, b.loop("power", turns));
    b.apply(0, multiply, {{0, 0}, {2, 2}}, {"a", "inside"}, "next");
    b.end_loop(0, {{"inside", "next"}});
    b.apply(0, copy, {{0}, {2}}, {"next"}, "z");
    b.store(0, "z");
    return b.finish();
}

}  // namespace

TEST_CASE("a loop's tasks are taken turn after turn, then what comes after it", "[executor][agenda][loops]") {
    std::int64_t const turns = GENERATE(1, 2, 5);
    auto const schedule = power(turns);
    Agenda agenda(schedule.sections[0], schedule.header.loops, schedule::replay(schedule.sections[0]));
    agenda.begin_round(Inputs::used_up);
    agenda.begin_phase(Phase::load);
    while (auto const task = agenda.take_compute()) agenda.finish(*task);
    agenda.begin_phase(Phase::execute);
    std::vector<std::int32_t> taken;
    while (auto const task = agenda.take_compute()) {
        taken.push_back(task->value());
        CHECK(agenda.head() == *task);
        agenda.finish(*task);
    }
    CHECK(agenda.phase_done());
    REQUIRE(static_cast<std::int64_t>(taken.size()) == turns + 2);
    CHECK(std::count(taken.begin(), taken.end(), 3) == turns);
    CHECK(taken.back() == 5);
    CHECK(agenda.turns().begun() == std::vector<std::int64_t>{turns});
    CHECK(agenda.store().ledger().live() == 1);
    CHECK(agenda.store().ledger().peak_bytes() == schedule.header.prediction.peak_bytes[0]);
}

TEST_CASE("parts of a block take room in the window of sends as messages, not as the block", "[executor][agenda]") {
    ScheduleBuilder b(2);
    b.tensor("X", {100});
    b.load(0, "x", "X", {{0}, {100}});
    b.block(1, "y", "X", {{0}, {100}});
    for (Extent begin : {0, 25, 50, 75}) b.transfer_part(0, "x", {{begin}, {25}}, 1, "y");
    b.store(1, "y");
    auto const schedule = b.finish();
    Agenda agenda(schedule.sections[0], schedule.header.loops, schedule::replay(schedule.sections[0]),
                  {.peer_bytes = 2 * 25 * 8});
    agenda.begin_round(Inputs::used_up);
    agenda.begin_phase(Phase::load);
    agenda.finish(*agenda.take_compute());
    agenda.begin_phase(Phase::execute);
    CHECK(agenda.take_send() == TaskId{1});
    CHECK(agenda.take_send() == TaskId{2});
    CHECK_FALSE(agenda.take_send());
    agenda.finish(TaskId{1});
    CHECK(agenda.take_send() == TaskId{3});
}
