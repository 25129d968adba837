#include "scheduler/simulate/simulate.hpp"

#include "lib/scalar/program/work.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "scheduler/tuning.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::test;
using scheduler::Cluster;
using scheduler::simulate;
using scheduler::Simulation;

namespace {

/// Bytes a second, wherever blocks are.
void set_bytes(Cluster& cluster, double rate) { cluster.bytes = cluster.cached = cluster.memory_rate = rate; }

/// Round numbers: 8 bytes/s of elementwise kernels, 1 byte/s between ranks, and nothing beside.
Cluster slow_cluster() {
    Cluster cluster;
    cluster.ranks_per_node = 1;
    cluster.threads = 1;
    cluster.flops_f64 = 2;
    cluster.operations = 1e9;
    set_bytes(cluster, 16);  // an element read and written in a second
    cluster.shared_cache = 32 << 20;
    cluster.copied = 8;
    cluster.per_task = 0;
    cluster.between = {8, 0, 0, {}};  // an element in a second
    cluster.uplink.reset();
    cluster.eager = 0;
    return cluster;
}

/// Blocks of n elements, copied from x to name by an EinSum: n seconds on the slow cluster.
class Steps : public ScheduleBuilder {
public:
    explicit Steps(int ranks) : ScheduleBuilder(ranks) {
        tensor("T", {64});
        copy_ = kernel("copy", sum_of_products("i->i", {{'i', 64}}));
    }
    void input(int rank, std::string const& name, Extent n) { load(rank, name, "T", {{0}, {n}}); }
    void step(int rank, std::string const& from, std::string const& to, Extent n) {
        block(rank, to, "T", {{0}, {n}});
        apply(rank, copy_, {{0}, {n}}, {from}, to);
    }

private:
    schedule::KernelId copy_;
};

/// Three times: rank 0 makes a piece in 4 s and sends it in 4 s, rank 1 works `last` seconds on it.
schedule::Schedule pipeline(Extent last = 4) {
    Steps b(2);
    b.input(1, "large", 64), b.store(1, "large");  // receives posted ahead take a quarter of the peak at most
    for (std::string const id : {"a", "b", "c"}) b.input(0, "x" + id, 4);
    for (std::string const id : {"a", "b", "c"}) {
        b.step(0, "x" + id, id, 4);
        b.transfer(0, id, 1);
        b.step(1, id, "z" + id, last);
        b.store(1, "z" + id);
    }
    return b.finish();
}

}  // namespace

TEST_CASE("two ranks work as a pipeline, transfers beside computing", "[scheduler][simulate]") {
    auto const schedule = pipeline();
    Simulation const run = simulate(schedule, slow_cluster());
    CHECK(run.makespan == Approx(3 * 4 + 4 + 4));
    CHECK(run.ranks[0].busy == Approx(12));
    CHECK(run.ranks[0].communicating == Approx(4));  // the last piece
    CHECK(run.ranks[0].waiting == Approx(4));
    CHECK(run.ranks[1].busy == Approx(12));
    CHECK(run.ranks[1].waiting == Approx(4));  // for the first piece to be made
    CHECK(run.ranks[1].communicating == Approx(4));
    CHECK(run.efficiency == Approx(24.0 / 40));
}

TEST_CASE("the critical path says whose seconds the makespan is", "[scheduler][simulate]") {
    auto const schedule = pipeline(1);
    Cluster cluster = slow_cluster();
    cluster.between.bandwidth = 16;
    auto const path = critical_path(schedule, simulate(schedule, cluster));
    REQUIRE(path.size() == 2);
    CHECK(path[0].node == "copy");
    CHECK(path[0].computing == Approx(3 * 4 + 1));
    CHECK(path[0].moving == 0);
    CHECK(path[1].node == "T");
    CHECK(path[1].moving == Approx(2));
}

TEST_CASE("messages into one rank share its link", "[scheduler][simulate]") {
    Steps b(3);
    b.input(0, "large", 20);
    for (int rank : {1, 2}) {
        std::string const id = std::to_string(rank);
        b.input(rank, "x" + id, 5);
        b.transfer(rank, "x" + id, 0);
        b.step(0, "x" + id, "z" + id, 1);
        b.store(0, "z" + id);
    }
    b.step(0, "large", "copy", 20);  // 20 s at the end, whose peak leaves room for both receives before
    b.store(0, "copy");
    auto const schedule = b.finish();
    CHECK(simulate(schedule, slow_cluster()).makespan == Approx(32));  // both arrive at 10 s, then 1 s each
    Cluster with_latency = slow_cluster();
    with_latency.between.latency = 0.5;
    CHECK(simulate(schedule, with_latency).makespan == Approx(32 + 3 * 0.5));  // there, back, and the bytes
    with_latency.eager = 1000;
    CHECK(simulate(schedule, with_latency).makespan == Approx(32 + 0.5));
}

TEST_CASE("the answer to a message stands behind what goes its way", "[scheduler][simulate]") {
    Steps b(2);
    for (int rank : {0, 1}) {
        std::string const id = std::to_string(rank);
        Extent const work = rank == 0 ? 1 : 3;
        b.input(rank, "large" + id, 64), b.input(rank, "x" + id, work), b.input(rank, "y" + id, 16);
        b.step(rank, "large" + id, "copy" + id, 64), b.store(rank, "copy" + id);  // 64 s, for room for receives later
        b.step(rank, "x" + id, "z" + id, work), b.store(rank, "z" + id);
        b.step(rank, "y" + id, "m" + id, 16);
    }
    b.transfer(0, "m0", 1), b.transfer(1, "m1", 0);
    b.store(1, "m0"), b.store(0, "m1");
    auto const schedule = b.finish();
    double const ready = 64 + 3 + 16;  // on rank 1; rank 0 sends since 2 s
    Cluster cluster = slow_cluster();
    CHECK(simulate(schedule, cluster).makespan == Approx(ready + 16));  // both ways at once
    cluster.between.queue = 5 * 8;
    // Behind 5 of the 14 elements that are left, or some of them.
    CHECK(simulate(schedule, cluster).makespan == Approx(ready + 5 * scheduler::tuning::share_of_a_queue + 16));
    cluster.eager = 3 * 8;  // go with the request, in 3 s: both have asked before either sends the rest
    CHECK(simulate(schedule, cluster).makespan == Approx(ready + 16));
}

TEST_CASE("as many tasks run at once as there are workers, in list order", "[scheduler][simulate]") {
    Steps b(1);
    b.input(0, "x", 4);
    for (std::string const id : {"a", "b", "c", "d", "e"}) b.step(0, "x", id, 4), b.store(0, id);
    auto const schedule = b.finish();
    Cluster cluster = slow_cluster();
    CHECK(simulate(schedule, cluster).makespan == Approx(20));
    cluster.threads = 2;
    set_bytes(cluster, 2 * cluster.bytes);  // rates are those of all threads
    Simulation const run = simulate(schedule, cluster);
    CHECK(run.makespan == Approx(12));
    CHECK(run.ranks[0].busy == Approx(10));  // at the end one of two workers has nothing to do
    CHECK(run.ranks[0].waiting == Approx(2));
    auto const& spans = run.spans[Rank{0}];  // task 0 loads
    CHECK(spans[TaskId{0}].begin == -1);
    CHECK(spans[TaskId{1}].begin == 0);
    CHECK(spans[TaskId{2}].begin == 0);
    CHECK(spans[TaskId{3}].begin == Approx(4));
    CHECK(spans[TaskId{5}].begin == Approx(8));
}

TEST_CASE("one large kernel is cut for all workers", "[scheduler][simulate]") {
    Steps b(1);
    b.input(0, "x", 8);
    b.step(0, "x", "z", 8);
    b.store(0, "z");
    auto const schedule = b.finish();
    Cluster cluster = slow_cluster();
    cluster.threads = 4;
    CHECK(simulate(schedule, cluster).makespan == Approx(8));
}

TEST_CASE("a worker that finds nothing to begin helps a kernel that has room for it", "[scheduler][simulate]") {
    Steps b(1);
    b.input(0, "x", 12);
    b.step(0, "x", "a", 4), b.step(0, "x", "b", 12);
    for (std::string const id : {"a", "b"}) b.store(0, id);
    auto const schedule = b.finish();
    Cluster cluster = slow_cluster();
    cluster.threads = 2;
    set_bytes(cluster, 2 * cluster.bytes);  // rates are those of all threads
    Simulation const run = simulate(schedule, cluster);
    CHECK(run.spans[Rank{0}][TaskId{1}].end == Approx(4));
    CHECK(run.spans[Rank{0}][TaskId{2}].begin == 0);
    CHECK(run.makespan == Approx(4 + 4));  // a third of it by one worker, the rest by two
    CHECK(run.ranks[0].busy == Approx(8));
}

TEST_CASE("a slow rank delays those that wait for it", "[scheduler][simulate]") {
    Cluster cluster = slow_cluster();
    cluster.speeds = {{0, 0.5}};
    CHECK(simulate(pipeline(), cluster).makespan == Approx(3 * 8 + 4 + 4));
    cluster.speeds = {{1, 0.5}};
    CHECK(simulate(pipeline(), cluster).makespan == Approx(4 + 4 + 3 * 8));
}

TEST_CASE("memory admission holds early tasks back as the engine does", "[scheduler][simulate]") {
    Steps b(2);  // rank 1 could receive b while it still computes from a, but has room for one of them only
    b.input(0, "a", 8);
    b.input(0, "b", 8);
    b.transfer(0, "a", 1);
    b.step(1, "a", "za", 1);
    b.transfer(0, "b", 1);
    b.step(1, "b", "zb", 1);
    b.store(1, "za"), b.store(1, "zb");
    Simulation const run = simulate(b.finish(), slow_cluster());
    CHECK(run.makespan == Approx(8 + 1 + 8 + 1));
}

namespace {

/// A matrix of n x n by itself.
schedule::Schedule square_product(Extent n) {
    ScheduleBuilder b(1);
    b.tensor("A", {n, n}), b.tensor("Z", {n, n});
    auto const product = b.kernel("p", sum_of_products("ij,jk->ik", {{'i', n}, {'j', n}, {'k', n}}));
    b.load(0, "a", "A", {{0, 0}, {n, n}});
    b.block(0, "z", "Z", {{0, 0}, {n, n}});
    b.apply(0, product, {{0, 0, 0}, {n, n, n}}, {"a", "a"}, "z");
    b.store(0, "z");
    return b.finish();
}

}  // namespace

TEST_CASE("products run at the rate of flops or bytes, those of other operations at a part of it",
          "[scheduler][simulate]") {
    auto schedule = square_product(128);
    double const flops = 2.0 * 128 * 128 * 128, block = 128 * 128 * 8;
    Cluster cluster = slow_cluster();
    set_bytes(cluster, 1e9);
    CHECK(simulate(schedule, cluster).makespan == Approx(flops / cluster.flops_f64));
    cluster.flops_f64 = 1e12;
    set_bytes(cluster, 16);
    CHECK(simulate(schedule, cluster).makespan == Approx(3 * block / 16));
    schedule.header.kernels[schedule::KernelId{0}].einsum.agg = scalar::Agg::max;
    cluster.operations = 1;
    cluster.flops_f64 = 4;
    set_bytes(cluster, 1e9);
    double const rate = 4 * scheduler::tuning::share_of_other_tiles;  // in tiles as well
    CHECK(simulate(schedule, cluster).makespan == Approx(flops / rate));
}

TEST_CASE("products with short sides wait for what they pack, read and write", "[scheduler][simulate]") {
    Cluster cluster = slow_cluster();  // 2 flop/s, 16 bytes/s
    auto const bytes_beside_flops = [&](Extent n) {
        double const flops = 2.0 * static_cast<double>(n * n * n);
        return (simulate(square_product(n), cluster).makespan - flops / cluster.flops_f64) * cluster.bytes;
    };
    CHECK(bytes_beside_flops(64) == Approx(4 * 64 * 64 * 8));        // one operand is read, written and read again
    CHECK(bytes_beside_flops(96) == Approx(4 * 96 * 96 * 8 / 2.0));  // the half of it, halfway to a long side
    CHECK(bytes_beside_flops(128) == Approx(0).margin(1e-6));
}

TEST_CASE("a rank computes less while it moves bytes over a link that queues", "[scheduler][simulate]") {
    Steps b(2);
    b.input(0, "x", 64), b.input(0, "y", 4);
    b.step(0, "x", "z", 64), b.store(0, "z");
    b.transfer(0, "y", 1);
    b.step(1, "y", "zy", 1), b.store(1, "zy");
    auto const schedule = b.finish();
    Cluster cluster = slow_cluster();
    CHECK(simulate(schedule, cluster).makespan == Approx(64).margin(1e-12));
    cluster.between.queue = 8;
    double const beside = simulate(schedule, cluster).makespan - 64;
    CHECK(beside == Approx(4 * 8 * scheduler::tuning::seconds_of_a_queued_byte).epsilon(1e-3));
}

TEST_CASE("a rank computes less while it copies what comes from its own node", "[scheduler][simulate]") {
    Steps b(2);
    b.input(0, "x", 64), b.input(0, "y", 4);
    b.input(1, "u", 32);
    b.step(0, "x", "z", 64), b.store(0, "z");
    b.transfer(0, "y", 1);
    b.step(1, "u", "v", 32), b.store(1, "v");
    b.step(1, "y", "zy", 1), b.store(1, "zy");
    auto const schedule = b.finish();
    Cluster cluster = slow_cluster();
    double const apart = simulate(schedule, cluster).ranks.at(1).busy;
    cluster.ranks_per_node = 2;
    cluster.inside = cluster.between;
    Simulation const together = simulate(schedule, cluster);
    CHECK(together.ranks.at(1).busy == Approx(apart + 4 * 8 / cluster.inside.bandwidth));
    CHECK(together.ranks.at(0).busy == Approx(64));  // its sender does nothing for it
}

TEST_CASE("narrow results of products take as long as a row of a tile", "[scheduler][simulate]") {
    auto const seconds = [](Extent columns) {
        ScheduleBuilder b(1);
        b.tensor("A", {128, 128}), b.tensor("B", {128, columns}), b.tensor("C", {128, columns});
        b.load(0, "a", "A", {{0, 0}, {128, 128}}), b.load(0, "b", "B", {{0, 0}, {128, columns}});
        b.block(0, "c", "C", {{0, 0}, {128, columns}});
        auto const einsum = sum_of_products("ij,jk->ik", {{'i', 128}, {'j', 128}, {'k', columns}});
        b.apply(0, b.kernel("product", einsum), {{0, 0, 0}, {128, 128, columns}}, {"a", "b"}, "c");
        b.store(0, "c");
        Cluster cluster = slow_cluster();
        set_bytes(cluster, 1e12);
        return simulate(b.finish(), cluster).makespan;
    };
    constexpr Extent whole = static_cast<Extent>(scheduler::tuning::bytes_of_a_vector) / 8;
    CHECK(seconds(whole / 2) == Approx(seconds(whole)));
    CHECK(seconds(whole + 1) == Approx(2 * seconds(whole) / scheduler::tuning::time_of_a_narrow_tile));
}

TEST_CASE("integers are converted before they are computed with", "[scheduler][simulate]") {
    Steps b(1);
    b.input(0, "x", 64);
    b.step(0, "x", "z", 64), b.store(0, "z");
    auto schedule = b.finish();
    Cluster cluster = slow_cluster();
    cluster.operations = 1;
    CHECK(simulate(schedule, cluster).makespan == Approx(64));  // its bytes
    for (schedule::Block& block : schedule.sections[Rank{0}].blocks) block.dtype = DType::i64;
    CHECK(simulate(schedule, cluster).makespan == Approx(64 * scheduler::tuning::operations_of_a_conversion));
}

TEST_CASE("functions count the operations that take as long", "[scheduler][simulate]") {
    ScheduleBuilder b(1);
    b.tensor("X", {8});
    graph::EinSum einsum = sum_of_products("i->i", {{'i', 8}});
    scalar::Expr const x = scalar::Expr::operand(0);
    einsum.join = scalar::Expr::call(scalar::Op::exp, {x + x});
    auto const kernel = b.kernel("e", einsum);
    b.load(0, "x", "X", {{0}, {8}});
    b.block(0, "z", "X", {{0}, {8}});
    b.apply(0, kernel, {{0}, {8}}, {"x"}, "z");
    b.store(0, "z");
    Cluster cluster = slow_cluster();
    cluster.operations = 1;
    CHECK(simulate(b.finish(), cluster).makespan == Approx(8 * scalar::work_of(einsum.join, DType::f64)));
}

TEST_CASE("spills and fetches have the disk one after another, beside what is computed", "[scheduler][simulate]") {
    Steps b(1);
    b.input(0, "x", 4), b.input(0, "y", 4);
    b.step(0, "x", "a", 4), b.step(0, "y", "b", 4), b.step(0, "a", "c", 4);
    b.step(0, "b", "d", 4), b.step(0, "c", "e", 4);
    b.store(0, "e");
    auto const schedule = b.finish();
    auto const spilled = schedule::with_spills(schedule, 64);
    schedule::DiskUse const use = schedule::disk_use(spilled);
    REQUIRE(use.blocks >= 2);
    auto const bytes = static_cast<double>(use.written + use.read);
    Cluster cluster = slow_cluster();
    CHECK(simulate(schedule, cluster).makespan == Approx(20));
    cluster.disk = 8;
    CHECK(simulate(spilled, cluster).makespan == Approx(20 + bytes / 8));
    cluster.disk = 1;
    cluster.threads = 4;
    CHECK(simulate(spilled, cluster).makespan >= bytes);  // the disk is no faster for more workers
}

TEST_CASE("a graph without work takes no time", "[scheduler][simulate]") {
    Steps b(3);
    b.input(0, "x", 4);
    b.store(0, "x");
    Simulation const run = simulate(b.finish(), slow_cluster());
    CHECK(run.makespan == 0);
    CHECK(run.efficiency == 1);
}

TEST_CASE("random schedules run to their end, the same every time", "[scheduler][simulate]") {
    auto const seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    auto const schedule = random_schedule(3, 200, seed);
    Cluster cluster = slow_cluster();
    cluster.threads = GENERATE(1, 3);
    Simulation const run = simulate(schedule, cluster);
    CHECK(run.makespan > 0);
    CHECK(simulate(schedule, cluster).makespan == run.makespan);
    double path = 0;
    for (auto const& share : critical_path(schedule, run)) path += share.computing + share.moving;
    CHECK(path == Approx(run.makespan));
    for (auto const& rank : run.ranks) CHECK(rank.busy + rank.communicating + rank.waiting == Approx(run.makespan));
}

TEST_CASE("what holds a run up is put down to tensors, and is all of the run", "[scheduler][simulate]") {
    auto const schedule = pipeline(1);
    Cluster cluster = slow_cluster();
    cluster.between.bandwidth = 16;
    Simulation const run = simulate(schedule, cluster);
    auto const seconds = held_up(schedule, run);
    REQUIRE(seconds.size() == schedule.header.tensors.size());
    double all = 0;
    for (double each : seconds.list()) all += each;
    CHECK(all == Approx(run.makespan));
}
