// Loops in simulated runs: what is done once is counted once, and what ranks overlap from one iteration to the next.
#include "scheduler/simulate/simulate.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;
using namespace ein::test;
using scheduler::Cluster;
using scheduler::simulate;

namespace {

/// Of blocks of one element: copying one takes a second, and a message with one too.
class LoopBench : public ScheduleBuilder {
public:
    explicit LoopBench(int ranks = 2) : ScheduleBuilder(ranks) {
        tensor("T", {64});
        copy_ = kernel("copy", sum_of_products("i->i", {{'i', 64}}));
        machines.ranks_per_node = 1, machines.threads = 1;
        machines.bytes = machines.cached = 16, machines.shared_cache = 32 << 20, machines.copied = 8,
        machines.per_task = 0, machines.eager = 0;
        machines.between = {8, 0, 0, {}};
        machines.uplink.reset();
    }
    void input(int rank, std::string const& name, Extent n) { load(rank, name, "T", {{0}, {n}}); }
    void step(int rank, std::string const& from, std::string const& to, Extent n) {
        block(rank, to, "T", {{0}, {n}});
        apply(rank, copy_, {{0}, {n}}, {from}, to);
    }

    Cluster machines;

private:
    schedule::KernelId copy_;
};

}  // namespace

TEST_CASE("what the first iteration waits for is counted once", "[scheduler][simulate][loops]") {
    LoopBench b;
    b.machines.between.bandwidth = 1;  // 8 s an element
    b.input(0, "x", 2), b.input(1, "p", 1), b.input(1, "q", 2), b.input(1, "large", 64);
    b.transfer(0, "x", 1);
    b.step(1, "p", "in", 1), b.step(1, "q", "in_b", 2);
    b.begin_loop(1, b.loop("steps", 10));
    b.step(1, "in", "a", 1), b.step(1, "x", "b", 2);
    b.end_loop(1, {{"in", "a"}, {"in_b", "b"}});
    b.store(1, "a"), b.store(1, "b"), b.store(1, "large");
    auto const run = simulate(b.finish(), b.machines);
    CHECK(run.makespan >= 16 + 2);  // of one iteration: x takes 16 s to come
    CHECK(run.all_iterations == Approx(run.makespan + 9 * (1 + 2)));
}

TEST_CASE("ranks are in different iterations at a time", "[scheduler][simulate][loops]") {
    std::int64_t const iterations = GENERATE(2, 3, 7);
    LoopBench b;
    b.input(0, "p", 1), b.input(1, "large", 64), b.input(1, "q", 1);
    schedule::LoopSpecId const spec = b.loop("steps", iterations);
    b.step(0, "p", "in", 1), b.step(1, "q", "in_z", 1);
    b.begin_loop(0, spec), b.begin_loop(1, spec);
    b.step(0, "in", "a", 1);
    b.transfer(0, "a", 1);
    b.step(1, "a", "z", 1);
    b.end_loop(0, {{"in", "a"}}), b.end_loop(1, {{"in_z", "z"}});
    b.store(0, "a"), b.store(1, "z"), b.store(1, "large");
    auto const schedule = b.finish();
    auto const run = simulate(schedule, b.machines);
    CAPTURE(iterations);
    CHECK(run.all_iterations == Approx(run.makespan + 2 * (static_cast<double>(iterations) - 1)));
    Table<schedule::LoopSpecId, std::int64_t> fewer;
    fewer.add(iterations + 1);
    CHECK(seconds_with(schedule, run, fewer) == Approx(run.all_iterations + 2));
}

TEST_CASE("a rank that begins late hides no other that takes longer", "[scheduler][simulate][loops]") {
    LoopBench b;
    b.input(0, "p", 20), b.input(0, "one", 1), b.input(1, "q", 3);
    schedule::LoopSpecId const spec = b.loop("steps", 10);
    b.step(0, "p", "late", 20), b.step(0, "one", "in", 1), b.step(1, "q", "in", 3);
    b.begin_loop(0, spec), b.begin_loop(1, spec);
    b.step(0, "in", "a", 1), b.step(1, "in", "a", 3);
    b.end_loop(0, {{"in", "a"}}), b.end_loop(1, {{"in", "a"}});
    b.store(0, "late"), b.store(0, "a"), b.store(1, "a");
    auto const run = simulate(b.finish(), b.machines);
    CHECK(run.makespan == Approx(20 + 1 + 1));
    CHECK(run.repeated.each[spec] == Approx(3));
    CHECK(run.all_iterations == Approx(20 + 1 + 2 * 1 + 8 * 3));
}

TEST_CASE("no iteration is shorter than what its busiest link carries", "[scheduler][simulate][loops]") {
    LoopBench b(3);
    b.machines.between.bandwidth = 4;  // 8 s for four elements
    schedule::LoopSpecId const spec = b.loop("steps", 10);
    b.input(0, "p", 40), b.step(0, "p", "late", 40);
    for (int rank : {0, 1, 2}) b.input(rank, "q", 4), b.step(rank, "q", "in", 4);
    for (int rank : {0, 1, 2}) b.begin_loop(rank, spec);
    b.step(0, "in", "a", 4), b.step(1, "in", "a", 4);
    b.transfer(1, "a", 2);
    b.step(2, "a", "z", 4);
    b.end_loop(0, {{"in", "a"}}), b.end_loop(1, {{"in", "a"}}), b.end_loop(2, {{"in", "z"}});
    b.store(0, "late"), b.store(0, "a"), b.store(1, "a"), b.store(2, "z");
    auto const schedule = b.finish();
    auto const run = simulate(schedule, b.machines);
    CHECK(run.makespan == Approx(40 + 4 + 4));  // of rank 0: the others are done by then, twice too
    CHECK(run.repeated.each[spec] == Approx(8));
    b.machines.between.burst = 80;  // 20 s of the rate, over ten iterations
    CHECK(simulate(schedule, b.machines).repeated.each[spec] == Approx(8 - 2));
}

TEST_CASE("inner loops are entered in each iteration of the outer", "[scheduler][simulate][loops]") {
    LoopBench b;
    b.input(0, "p", 1);
    schedule::LoopSpecId const inner = b.loop("inner", 5), outer = b.loop("outer", 4);
    b.step(0, "p", "x", 1);
    b.begin_loop(0, outer);
    b.step(0, "x", "y", 1);
    b.begin_loop(0, inner);
    b.step(0, "y", "y2", 1);
    b.end_loop(0, {{"y", "y2"}});
    b.step(0, "y2", "x2", 1);
    b.end_loop(0, {{"x", "x2"}});
    b.store(0, "x2");
    auto schedule = b.finish();
    schedule.header.loops[inner].outer = outer;
    auto const run = simulate(schedule, b.machines);
    CHECK(run.makespan == Approx(1 + 1 + 1 + 1));
    CHECK(run.all_iterations == Approx(1 + 4 * (1 + 5 + 1)));
}
