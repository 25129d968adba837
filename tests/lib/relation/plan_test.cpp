#include "lib/relation/plan.hpp"

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::relation;

namespace {
graph::EinGraph small_graph() {
    test::GraphBuilder builder;
    builder.leaf("A", {4, 4});
    builder.leaf("B", {4, 6});
    builder.einsum("D", "ii->i", {"A"});
    builder.einsum("C", "ij,jk->ki", {"A", "B"});
    builder.node("R", graph::Reshape{}, {"C"}, {24});
    builder.einsum("E", "i->ji", {"D"}, {.sizes = {{'j', 0}}});
    return builder.finish({"D", "R", "E"});
}

Plan small_plan() {
    Plan plan;
    plan.nodes = {{.parts = {2}}, {.parts = {2, 4, 3}}, {.parts = {5}}, {.parts = {4, 1}}};
    return plan;
}
}  // namespace

TEST_CASE("a node's parts say how its output and its inputs are cut", "[relation][plan]") {
    graph::EinGraph const graph = small_graph();
    Plan const plan = small_plan();
    CHECK(output_parts(graph.nodes[1], plan.nodes[1]) == Parts{3, 2});
    CHECK(input_parts(graph.nodes[1], plan.nodes[1], 0) == Parts{2, 4});
    CHECK(input_parts(graph.nodes[1], plan.nodes[1], 1) == Parts{4, 3});
    CHECK(input_parts(graph.nodes[0], plan.nodes[0], 0) == Parts{2, 2});
    CHECK(output_parts(graph.nodes[2], plan.nodes[2]) == Parts{5});
    CHECK_FALSE(input_parts(graph.nodes[2], plan.nodes[2], 0).has_value());
    CHECK(cut_name(graph.nodes[1], 2) == "k");
    CHECK(cut_name(graph.nodes[2], 0) == "0");
}

TEST_CASE("a plan is verified: a part for each label, from one to its extent", "[relation][plan]") {
    graph::EinGraph const graph = small_graph();
    verify(graph, small_plan());
    auto refused = [&](auto spoil) {
        Plan plan = small_plan();
        spoil(plan);
        CHECK_THROWS_AS(verify(graph, plan), InternalError);
    };
    refused([](Plan& plan) { plan.nodes.pop_back(); });
    refused([](Plan& plan) { plan.nodes[1].parts.pop_back(); });
    refused([](Plan& plan) { plan.nodes[1].parts[0] = 0; });
    refused([](Plan& plan) { plan.nodes[1].parts[0] = 5; });
    refused([](Plan& plan) { plan.nodes[2].parts[0] = 25; });
    refused([](Plan& plan) { plan.nodes[3].parts[1] = 2; });                // an extent of 0 has one part
    refused([](Plan& plan) { plan.nodes[0].ranks = {Rank{0}}; });           // two calls
    refused([](Plan& plan) { plan.nodes[0].ranks = {Rank{0}, Rank{1}}; });  // the plan has one rank
}

TEST_CASE("a plan that cuts what a sparse result is aggregated over is refused", "[relation][plan]") {
    graph::EinGraph graph = small_graph();
    CHECK_NOTHROW(verify(graph, small_plan()));
    graph.values[static_cast<std::size_t>(graph.nodes[1].output.value())].listing = graph::Listing{{}, 1.0, 1};
    CHECK_THROWS_AS(verify(graph, small_plan()), InternalError);
    Plan plan = small_plan();
    plan.nodes[1].parts[1] = 1;
    CHECK_NOTHROW(verify(graph, plan));
}

TEST_CASE("costs of a plan are the sums over its nodes", "[relation][plan]") {
    Plan plan = small_plan();
    for (NodePlan& node : plan.nodes) node.elements = {1, 2, 4}, node.bytes = {8, 16, 32};
    CHECK(plan.elements() == Cost{4, 8, 16});
    CHECK(plan.elements().total() == 28);
    CHECK(plan.bytes().total() == 224);
}
