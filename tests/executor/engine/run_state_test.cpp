#include "executor/engine/run_state.hpp"

#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/copying_schedules.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;

namespace {

/// A run state of `copied_twice` whose failures are noted down.
struct Fixture {
    schedule::Schedule schedule = copied_twice();
    std::vector<std::string> failures;
    RunState state{schedule.header,
                   schedule.sections[Rank{0}],
                   schedule::replay(schedule.sections[Rank{0}]),
                   {},
                   2,
                   nullptr,
                   [this](ExitCode, std::string const& message) { failures.push_back(message); }};

    Fixture() {
        state.change([](Dispatcher& dispatcher) { dispatcher.begin_round(Inputs::used_up); });
        state.begin_phase(Phase::load, 0);
    }
};

Caller const leader{true}, follower{false};

}  // namespace

TEST_CASE("a worker gets task after task, and leaves when the phase is done", "[executor][run_state]") {
    Fixture run;
    Work work = run.state.enter(leader);
    REQUIRE(work.kind == Work::Kind::run);
    CHECK(work.task == TaskId{0});
    CHECK(run.state.next_after(work.task, leader).kind == Work::Kind::leave);
    run.state.begin_phase(Phase::execute, 0);
    std::vector<TaskId> ran;
    for (work = run.state.enter(leader); work.kind == Work::Kind::run; work = run.state.next_after(work.task, leader))
        ran.push_back(work.task);
    CHECK(work.kind == Work::Kind::leave);
    CHECK(ran == std::vector<TaskId>{TaskId{1}, TaskId{2}});
}

TEST_CASE("a worker that waits takes part in a kernel that is lent, and its failure is its owner's",
          "[executor][run_state]") {
    Fixture run;
    REQUIRE(run.state.enter(leader).kind == Work::Kind::run);
    SharedKernel kernel;
    kernel.pieces = 1;
    bool helped = false;
    std::thread other([&] {
        Work const work = run.state.enter(follower);  // waits: the only task is taken
        helped = work.kind == Work::Kind::help && work.kernel == &kernel;
        kernel.next = kernel.pieces;
        run.state.end_help(kernel, std::make_exception_ptr(RunError("a piece")));
    });
    run.state.lend(kernel);
    while (kernel.has_pieces()) std::this_thread::yield();
    CHECK_THROWS_AS(run.state.take_back(kernel, nullptr), RunError);
    other.join();
    CHECK(helped);
}

TEST_CASE("the first failure is reported once, and everybody leaves", "[executor][run_state]") {
    Fixture run;
    Work::Kind found = Work::Kind::run;
    REQUIRE(run.state.enter(leader).kind == Work::Kind::run);
    std::thread other([&] { found = run.state.enter(follower).kind; });
    run.state.fail(std::make_exception_ptr(RunError("broken")), "task 0");
    run.state.fail(std::make_exception_ptr(RunError("broken too")), "task 1");
    other.join();
    CHECK(found == Work::Kind::leave);
    CHECK(run.state.next(leader).kind == Work::Kind::leave);
    CHECK(run.state.closed());
    CHECK(run.failures == std::vector<std::string>{"task 0: broken"});
    CHECK_THROWS_AS(std::rethrow_exception(run.state.failure()), Error);
    CHECK_FALSE(run.state.change([](Dispatcher&) {}));
}

TEST_CASE("the progress thread waits until its pause ends or the run is closed", "[executor][run_state]") {
    Fixture run;
    auto const now = [] { return std::chrono::steady_clock::now(); };
    auto const soon = now() + std::chrono::milliseconds(5);
    bool transfers = true;
    RunState::Attention const first = run.state.wait_for_attention([&](bool some) {
        transfers = some;
        return RunState::Pause{soon, false};
    });
    CHECK_FALSE(first.closed);
    CHECK_FALSE(first.poll);
    CHECK_FALSE(transfers);
    std::thread closing([&] { run.state.close(); });
    RunState::Attention last;
    while (!last.closed)
        last = run.state.wait_for_attention([&](bool) { return RunState::Pause{now() + std::chrono::hours(1), true}; });
    closing.join();
}
