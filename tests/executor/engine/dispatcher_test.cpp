#include "executor/engine/dispatcher.hpp"

#include <random>

#include "tests/support/catch.hpp"
#include "tests/support/copying_schedules.hpp"
#include "tests/support/sample_schedules.hpp"
#include "tests/support/waiting_schedule.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;

namespace {

Table<schedule::LoopSpecId, schedule::LoopSpec> const no_loops;

struct Begun : Dispatcher {
    explicit Begun(schedule::Section const& section) : Dispatcher(section, no_loops, schedule::replay(section)) {
        begin_round(Inputs::used_up);
    }
};

}  // namespace

TEST_CASE("tasks are taken in order as their inputs become ready, phase by phase", "[executor][dispatcher]") {
    auto const schedule = copied_twice();
    Begun dispatcher(schedule.sections[Rank{0}]);
    dispatcher.begin_phase(Phase::load);
    REQUIRE(dispatcher.take_compute() == TaskId{0});
    CHECK_FALSE(dispatcher.take_compute());
    dispatcher.finish(TaskId{0});
    CHECK(dispatcher.phase_done());
    CHECK_FALSE(dispatcher.take_compute());  // the next phase has not begun
    dispatcher.begin_phase(Phase::execute);
    REQUIRE(dispatcher.take_compute() == TaskId{1});
    CHECK_FALSE(dispatcher.compute_wanted());
    dispatcher.finish(TaskId{1});
    REQUIRE(dispatcher.take_compute() == TaskId{2});
    dispatcher.finish(TaskId{2});
    CHECK(dispatcher.phase_done());
    CHECK(dispatcher.store().counts().live() == 1);
    dispatcher.begin_phase(Phase::store);
    REQUIRE(dispatcher.take_compute() == TaskId{3});
    dispatcher.finish(TaskId{3});
    CHECK(dispatcher.store().counts().live() == 0);
    CHECK(dispatcher.store().counts().peak_bytes() == schedule.header.prediction.peak_bytes[0]);
}

TEST_CASE("a block that would break the memory promise waits for its turn", "[executor][dispatcher]") {
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
    Begun dispatcher(schedule.sections[Rank{0}]);
    dispatcher.begin_phase(Phase::load);
    while (auto const load = dispatcher.take_compute()) dispatcher.finish(*load);
    dispatcher.begin_phase(Phase::execute);
    REQUIRE(dispatcher.take_compute() == TaskId{3});
    CHECK_FALSE(dispatcher.take_compute());  // task 5 is ready, but its block does not fit beside y
    dispatcher.finish(TaskId{3});
    REQUIRE(dispatcher.take_compute() == TaskId{4});
    CHECK_FALSE(dispatcher.take_compute());  // y is still being read
    dispatcher.finish(TaskId{4});
    CHECK(dispatcher.take_compute() == TaskId{5});
}

TEST_CASE("what is ready behind a message that is waited for is computed where there is room",
          "[executor][dispatcher]") {
    auto schedule = loss_before_slope(100);
    bool const has_room = GENERATE(false, true);
    if (has_room) give_room(schedule, Rank{0}, 8);
    Begun dispatcher(schedule.sections[Rank{0}]);
    dispatcher.begin_phase(Phase::load);
    dispatcher.finish(*dispatcher.take_compute());
    dispatcher.begin_phase(Phase::execute);
    dispatcher.finish(*dispatcher.take_compute());  // the loss of this rank
    REQUIRE(dispatcher.take_receive() == TaskId{2});
    std::optional<TaskId> const slope = dispatcher.take_compute();
    CHECK(slope == (has_room ? std::optional(TaskId{4}) : std::nullopt));
    if (slope) dispatcher.finish(*slope);
    dispatcher.finish(TaskId{2});
    REQUIRE(dispatcher.take_compute() == TaskId{3});
    dispatcher.finish(TaskId{3});
    CHECK(dispatcher.take_compute() == (has_room ? std::nullopt : std::optional(TaskId{4})));
    CHECK(dispatcher.store().counts().peak_bytes() <= schedule.header.prediction.peak_bytes[0]);
}

TEST_CASE("reading a block more often than scheduled is our own bug and says so", "[executor][dispatcher]") {
    auto const schedule = copied_twice();
    BlockStore store(schedule.sections[Rank{0}], 1 << 20);
    store.allocate(BlockId{0});
    CHECK(store.wrote(BlockId{0}));
    CHECK_THROWS_AS(store.wrote(BlockId{0}), InternalError);
    store.read(BlockId{0});
    CHECK_THROWS_AS(store.read(BlockId{0}), InternalError);
}

TEST_CASE("any order that the dispatcher allows keeps within the peak and ends with nothing",
          "[executor][dispatcher]") {
    // Tasks are taken as early as possible and end in random order: the most out-of-order run that there can be.
    std::uint64_t const seed = GENERATE(range(1, 41));
    auto const schedule = random_schedule(1, 80, seed);
    std::mt19937_64 random(seed);
    Begun dispatcher(schedule.sections[Rank{0}]);
    bool early = false;
    for (Phase const phase : {Phase::load, Phase::execute, Phase::store}) {
        dispatcher.begin_phase(phase);
        std::vector<TaskId> running;
        while (!dispatcher.phase_done()) {
            while (auto const task = dispatcher.take_compute()) {
                early = early || (task != dispatcher.head() && phase == Phase::execute);
                running.push_back(*task);
            }
            REQUIRE_FALSE(running.empty());
            std::size_t const ends = std::uniform_int_distribution<std::size_t>(0, running.size() - 1)(random);
            dispatcher.finish(running[ends]);
            running.erase(running.begin() + static_cast<std::ptrdiff_t>(ends));
        }
    }
    CHECK(early);
    CHECK(dispatcher.store().counts().live() == 0);
    CHECK(dispatcher.store().counts().peak_bytes() <= schedule.header.prediction.peak_bytes[0]);
}

TEST_CASE("admission looks at every task between the head and a block's turn", "[executor][dispatcher]") {
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

TEST_CASE("what is gone before its last reader's turn leaves room", "[executor][dispatcher]") {
    schedule::Admission admission({8, 16, 16, 8}, 16, 100);
    CHECK_FALSE(admission.admits(TaskId{3}, 4));
    admission.gone(TaskId{2}, 8);  // a block of tasks 1 and 2
    CHECK(admission.admits(TaskId{3}, 8));
    CHECK_FALSE(admission.admits(TaskId{3}, 9));
    admission.passed(TaskId{2}, 8);
    CHECK_FALSE(admission.admits(TaskId{3}, 1));
    admission.gone(TaskId{3}, 8);  // the last task
    CHECK(admission.admits(TaskId{3}, 8));
}

TEST_CASE("nothing of another round starts before its phase begins", "[executor][dispatcher]") {
    auto const schedule = copied_twice();
    Dispatcher dispatcher(schedule.sections[Rank{0}], no_loops, replay_keeping_inputs(schedule.sections[Rank{0}]));
    dispatcher.begin_round(Inputs::kept);
    dispatcher.begin_phase(Phase::load);
    dispatcher.finish(*dispatcher.take_compute());
    dispatcher.begin_phase(Phase::execute);
    while (auto const task = dispatcher.take_compute()) dispatcher.finish(*task);
    CHECK(dispatcher.phase_done());
    dispatcher.drop_outputs();
    dispatcher.begin_round(Inputs::used_up);
    CHECK_FALSE(dispatcher.compute_wanted());
    CHECK_FALSE(dispatcher.take_compute());
    dispatcher.begin_phase(Phase::execute);
    CHECK(dispatcher.take_compute() == TaskId{1});
}

namespace {

/// X -> inside; `iterations` times: next = A inside (A is read in every iteration); Z = next.
schedule::Schedule power(std::int64_t iterations) {
    ScheduleBuilder b(1);
    b.tensor("A", {2, 2}), b.tensor("X", {2}), b.tensor("Z", {2});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', 2}}));
    auto const multiply = b.kernel("multiply", sum_of_products("ij,j->i", {{'i', 2}, {'j', 2}}));
    b.load(0, "a", "A", {{0, 0}, {2, 2}}), b.load(0, "x", "X", {{0}, {2}});
    b.block(0, "inside", "X", {{0}, {2}}), b.block(0, "next", "X", {{0}, {2}}), b.block(0, "z", "Z", {{0}, {2}});
    b.apply(0, copy, {{0}, {2}}, {"x"}, "inside");
    b.begin_loop(0, b.loop("power", iterations));
    b.apply(0, multiply, {{0, 0}, {2, 2}}, {"a", "inside"}, "next");
    b.end_loop(0, {{"inside", "next"}});
    b.apply(0, copy, {{0}, {2}}, {"next"}, "z");
    b.store(0, "z");
    return b.finish();
}

}  // namespace

TEST_CASE("a loop's tasks are taken once an iteration, then what comes after it", "[executor][dispatcher][loops]") {
    std::int64_t const iterations = GENERATE(1, 2, 5);
    auto const schedule = power(iterations);
    Dispatcher dispatcher(schedule.sections[Rank{0}], schedule.header.loops,
                          schedule::replay(schedule.sections[Rank{0}]));
    dispatcher.begin_round(Inputs::used_up);
    dispatcher.begin_phase(Phase::load);
    while (auto const task = dispatcher.take_compute()) dispatcher.finish(*task);
    dispatcher.begin_phase(Phase::execute);
    std::vector<std::int32_t> taken;
    while (auto const task = dispatcher.take_compute()) {
        taken.push_back(task->value());
        CHECK(dispatcher.head() == *task);
        dispatcher.finish(*task);
    }
    CHECK(dispatcher.phase_done());
    REQUIRE(static_cast<std::int64_t>(taken.size()) == iterations + 2);
    CHECK(std::count(taken.begin(), taken.end(), 3) == iterations);
    CHECK(taken.back() == 5);
    CHECK(dispatcher.iterations().begun().list() == std::vector<std::int64_t>{iterations});
    CHECK(dispatcher.store().counts().live() == 1);
    CHECK(dispatcher.store().counts().peak_bytes() == schedule.header.prediction.peak_bytes[0]);
}

TEST_CASE("parts of a block take room in the window of sends as messages, not as the block", "[executor][dispatcher]") {
    ScheduleBuilder b(2);
    b.tensor("X", {100});
    b.load(0, "x", "X", {{0}, {100}});
    b.block(1, "y", "X", {{0}, {100}});
    for (Extent begin : {0, 25, 50, 75}) b.transfer_part(0, "x", {{begin}, {25}}, 1, "y");
    b.store(1, "y");
    auto const schedule = b.finish();
    Dispatcher dispatcher(schedule.sections[Rank{0}], schedule.header.loops,
                          schedule::replay(schedule.sections[Rank{0}]), {.peer_bytes = 2 * 25 * 8});
    dispatcher.begin_round(Inputs::used_up);
    dispatcher.begin_phase(Phase::load);
    dispatcher.finish(*dispatcher.take_compute());
    dispatcher.begin_phase(Phase::execute);
    CHECK(dispatcher.take_send() == TaskId{1});
    CHECK(dispatcher.take_send() == TaskId{2});
    CHECK_FALSE(dispatcher.take_send());
    dispatcher.finish(TaskId{1});
    CHECK(dispatcher.take_send() == TaskId{3});
}

TEST_CASE("a task that takes memory over waits until others have read it", "[executor][dispatcher]") {
    ScheduleBuilder b(1);
    for (char const* name : {"X", "T", "Z"}) b.tensor(name, {8});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', 8}}));
    b.load(0, "x", "X", {{0}, {8}});
    b.block(0, "t", "T", {{0}, {8}}), b.block(0, "z", "Z", {{0}, {8}});
    b.apply(0, copy, {{0}, {8}}, {"x"}, "t");  // task 1
    b.apply(0, copy, {{0}, {8}}, {"x"}, "z");  // task 2
    b.over(0, 0);
    b.store(0, "t"), b.store(0, "z");
    auto const schedule = b.finish();
    CHECK(schedule.header.prediction.peak_bytes[0] == 128);
    Begun dispatcher(schedule.sections[Rank{0}]);
    dispatcher.begin_phase(Phase::load);
    dispatcher.finish(*dispatcher.take_compute());
    dispatcher.begin_phase(Phase::execute);
    REQUIRE(dispatcher.take_compute() == TaskId{1});
    CHECK_FALSE(dispatcher.take_compute());
    BlockId const x = schedule.sections[Rank{0}].reads(TaskId{2})[0],
                  z = *schedule.sections[Rank{0}].tasks[TaskId{2}].result();
    auto const* const before = dispatcher.store().storage().in_host(x, HostUse::read).data();
    dispatcher.finish(TaskId{1});
    REQUIRE(dispatcher.take_compute() == TaskId{2});
    CHECK(dispatcher.store().held(x));  // until the task has read it
    CHECK(dispatcher.store().storage().in_host(z, HostUse::read).data() == before);
    dispatcher.finish(TaskId{2});
    CHECK_FALSE(dispatcher.store().held(x));
    CHECK(dispatcher.phase_done());
    dispatcher.begin_phase(Phase::store);
    while (auto const store = dispatcher.take_compute()) dispatcher.finish(*store);
    dispatcher.store().counts().check(128);
    CHECK(dispatcher.store().counts().peak_bytes() == 128);
    CHECK(dispatcher.store().counts().created() == 3);
}
