#include "lib/graph/read_graph.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/simulate/simulate.hpp"
#include "tests/scheduler/lower/lowering_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

graph::EinGraph rows_of(std::string const& op, Extent rows, Extent columns) {
    Json node = {{"name", "Z"}, {"op", op}, {"inputs", {"X"}}};
    if (op == "softmax") node["axes"] = {1};
    Json const x = {{"shape", {rows, columns}}, {"data", {{"random", "uniform"}}}};
    Json const json = {
        {"eingraph", 1}, {"dtype", "f32"}, {"tensors", {{"X", x}}}, {"nodes", {node}}, {"outputs", {"Z"}}};
    return graph::read_graph(json.dump(), "g.json");
}

schedule::Schedule scheduled(graph::EinGraph const& graph, std::optional<FusionLimits> const& fusion) {
    std::vector<Parts> parts;
    for (graph::Node const& node : graph.nodes) parts.emplace_back(std::get<graph::EinSum>(node.op).labels.size(), 1);
    SchedulerOptions options{.place = "pattern", .fusion = fusion};
    return make_schedule(graph, test::plan_by_hand(1, parts), options);
}

std::size_t tasks_of(schedule::Schedule const& made) { return made.sections[Rank{0}].tasks.size(); }

}  // namespace

TEST_CASE("kernels take no longer fused than one after the other", "[scheduler][simulate]") {
    auto const op = GENERATE(as<std::string>(), "softmax", "layer_norm", "rms_norm");
    double const operations = GENERATE(1e9, 1e10, 1e12);
    CAPTURE(op, operations);
    Cluster cluster;
    cluster.operations = operations;
    Extent const columns = GENERATE(4096, 8192, 20000);  // 18, 9 and 3 rows a piece or so
    graph::EinGraph const graph = rows_of(op, 2048, columns);
    auto const fused = scheduled(graph, FusionLimits{}), apart = scheduled(graph, std::nullopt);
    REQUIRE(tasks_of(fused) < tasks_of(apart));
    CHECK(simulate(fused, cluster).makespan <= Approx(simulate(apart, cluster).makespan));
}

TEST_CASE("a fused task waits once for what it reads and once for what it writes", "[scheduler][simulate]") {
    Cluster cluster;
    cluster.operations = cluster.cached = 1e15;
    double const block = 4.0 * 4096 * 4096;
    auto const fused = scheduled(rows_of("layer_norm", 4096, 4096), FusionLimits{});
    double const rows = simulate(fused, cluster).makespan - 2 * block / cluster.bytes;
    CHECK(rows >= 0);
    CHECK(rows < 0.01 * block / cluster.bytes);  // what sums of rows take
}
