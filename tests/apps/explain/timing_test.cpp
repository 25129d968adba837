#include "apps/explain/timing.hpp"

#include "apps/explain/print.hpp"
#include "tests/apps/explain/explained.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::apps::explain;

namespace {

Timing timed(graph::EinGraph const& graph, int ranks) {
    auto const made = scheduler::schedule_plan(graph, planner::plan(graph, {.ranks = ranks}));
    return timing_of(graph, made.schedule, scheduler::simulate(made.schedule, {}), {}, "the default cluster");
}

/// A small and a large product, and their sum.
graph::EinGraph diamond() {
    test::GraphBuilder g;
    g.leaf("A", {64, 64});
    g.leaf("W", {64, 4096});
    g.leaf("V", {4096, 64});
    g.einsum("small", "ij,jk->ik", {"A", "A"});
    g.einsum("wide", "ij,jk->ik", {"A", "W"});
    g.einsum("large", "ij,jk->ik", {"wide", "V"});
    g.einsum("both", "ij,ij->ij", {"small", "large"});
    return g.finish({"both"});
}

}  // namespace

TEST_CASE("the critical path is the chain that takes longest", "[apps][explain][timing]") {
    Timing const timing = timed(diamond(), 1);
    CHECK(timing.path == std::vector<std::size_t>{1, 2, 3});
    CHECK(timing.path_seconds == Approx(timing.computing[1] + timing.computing[2] + timing.computing[3]));
    CHECK(timing.path_seconds <= timing.makespan);
    for (double moving : timing.moving) CHECK(moving == 0);
}

TEST_CASE("a path's nodes read one another, on any number of ranks", "[apps][explain][timing]") {
    int const ranks = GENERATE(2, 7);
    for (auto const& file : test::example_files()) {
        graph::EinGraph const graph = test::graph_of(file);
        CAPTURE(file, ranks);
        if (!graph.mesh.empty()) continue;
        Timing const timing = timed(graph, ranks);
        REQUIRE(timing.computing.size() == graph.nodes.size());
        if (!graph.nodes.empty()) CHECK(!timing.path.empty());
        for (std::size_t k = 1; k < timing.path.size(); ++k) {
            auto const& inputs = graph.nodes[timing.path[k]].inputs;
            CHECK(std::find(inputs.begin(), inputs.end(), graph.nodes[timing.path[k - 1]].output) != inputs.end());
        }
    }
}

TEST_CASE("a graph without nodes has no path", "[apps][explain][timing]") {
    test::GraphBuilder g;
    g.leaf("A", {3});
    Timing const timing = timed(g.finish({"A"}), 2);
    CHECK(timing.path.empty());
    CHECK(timing.path_seconds == 0);
}

TEST_CASE("JSON has predicted times where the schedule was simulated", "[apps][explain][timing][json]") {
    graph::EinGraph const graph = diamond();
    Explanation e = test::explained(graph, 1);
    CHECK(!to_json(e).contains("timing"));
    e.timing = timed(graph, 1);
    Json const timing = to_json(e).at("timing");
    CHECK(timing.at("machines") == "the default cluster");
    CHECK(timing.at("seconds") == e.timing->makespan);
    CHECK(timing.at("computing").size() == 4);
    CHECK(timing.at("moving").size() == 4);
    CHECK(timing.at("critical_path") == Json{{"nodes", {1, 2, 3}}, {"seconds", e.timing->path_seconds}});
}
