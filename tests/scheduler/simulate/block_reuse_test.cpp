#include "scheduler/simulate/block_reuse.hpp"

#include "scheduler/simulate/task_costs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::test;
using scheduler::BlockReuse;
using scheduler::Cluster;
using scheduler::Nearness;
using scheduler::TaskCosts;

namespace {

constexpr Extent in_a_mebibyte = (1 << 20) / 8;  // elements of f64

/// z = x, then far = x again and again, then last = z.
schedule::Schedule copies(Extent mebibytes, int between) {
    ScheduleBuilder b(1);
    Extent const n = mebibytes * in_a_mebibyte;
    b.tensor("T", {n});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', n}}));
    auto const add = [&](std::string const& from, std::string const& to) {
        b.block(0, to, "T", {{0}, {n}});
        b.apply(0, copy, {{0}, {n}}, {from}, to);
    };
    b.load(0, "x", "T", {{0}, {n}});
    add("x", "z");
    for (int k = 0; k < between; ++k) add("x", "far" + std::to_string(k));
    add("z", "last");
    for (int k = 0; k < between; ++k) b.store(0, "far" + std::to_string(k));
    b.store(0, "last");
    return b.finish();
}

/// Where what the last copy reads is when it begins.
Nearness of_z(schedule::Schedule const& schedule, Cluster const& cluster) {
    schedule::Section const& section = schedule.sections[Rank{0}];
    BlockReuse reuse(section, std::int64_t{1} << 40, cluster);
    OptionalId<BlockId> z;
    for (TaskId id : section.tasks.ids()) {
        schedule::Task const& task = section.tasks[id];
        if (!task.is<schedule::Apply>()) continue;
        if (!z) z = *task.result();
        if (section.reads(task)[0] == *z) return reuse.of(*z);
        reuse.use(task);
    }
    return {};
}

Cluster small_cluster() {
    Cluster cluster;
    cluster.threads = 1;
    cluster.shared_cache = 32 << 20;
    return cluster;
}

}  // namespace

TEST_CASE("what was used last is in a core's cache, and goes to memory as more is used", "[scheduler][simulate]") {
    Cluster const cluster = small_cluster();
    CHECK(of_z(copies(1, 0), cluster).in_core == 1);
    CHECK(of_z(copies(1, 2), cluster).in_core == 0);
    CHECK(of_z(copies(1, 2), cluster).in_memory == 0);
    CHECK(of_z(copies(8, 2), cluster).in_memory > 0);
    CHECK(of_z(copies(8, 2), cluster).in_memory < 1);
    CHECK(of_z(copies(8, 4), cluster).in_memory == 1);
}

TEST_CASE("blocks that were never used are as far as all that a rank holds", "[scheduler][simulate]") {
    auto const schedule = copies(1, 0);
    BlockId const x = schedule.sections[Rank{0}].reads(TaskId{1})[0];
    auto const at_first = [&](std::int64_t peak) {
        return BlockReuse(schedule.sections[Rank{0}], peak, small_cluster()).of(x);
    };
    CHECK(at_first(1 << 20).in_core == 1);
    CHECK(at_first(16 << 20).in_core == 0);
    CHECK(at_first(16 << 20).in_memory == 0);
    CHECK(at_first(std::int64_t{1} << 30).in_memory == 1);
}

TEST_CASE("where no shared cache is known, all is in memory", "[scheduler][simulate]") {
    Cluster cluster = small_cluster();
    cluster.shared_cache = 0;
    CHECK(of_z(copies(1, 0), cluster).in_core == 0);
    CHECK(of_z(copies(1, 0), cluster).in_memory == 1);
}

TEST_CASE("kernels read and write at the rate of where their blocks are", "[scheduler][simulate]") {
    auto const schedule = copies(1, 0);
    schedule::Section const& section = schedule.sections[Rank{0}];
    Cluster cluster = small_cluster();
    cluster.operations = 1e30;
    cluster.cached = 64 << 20, cluster.bytes = 16 << 20, cluster.memory_rate = 4 << 20;
    TaskCosts const costs(schedule.header, cluster);
    auto const seconds = [&](std::int64_t peak) {
        BlockReuse const reuse(section, peak, cluster);
        return costs.seconds(section, section.tasks[TaskId{1}], &reuse);
    };
    CHECK(seconds(1 << 20) == Approx(2.0 / 64));
    CHECK(seconds(16 << 20) == Approx(2.0 / 16));
    CHECK(seconds(std::int64_t{1} << 30) == Approx(3.0 / 4));  // lines of the result are read before they are written
    CHECK(costs.seconds(section, section.tasks[TaskId{1}]) == Approx(2.0 / 16));
}

TEST_CASE("results that go past the caches are not read before they are written", "[scheduler][simulate]") {
    auto const schedule = copies(32, 0);
    schedule::Section const& section = schedule.sections[Rank{0}];
    Cluster cluster = small_cluster();
    cluster.bytes = 16 << 20, cluster.memory_rate = 4 << 20;
    BlockReuse const reuse(section, std::int64_t{1} << 30, cluster);
    CHECK(TaskCosts(schedule.header, cluster).seconds(section, section.tasks[TaskId{1}], &reuse) ==
          Approx(32.0 / 4 + 32.0 / 16));
}
