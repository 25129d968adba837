#include "planner/search/rejected_plans.hpp"

#include "planner/planner.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;

namespace {

graph::EinGraph product(Extent n) { return test::matmul(n, n, n, DType::f32); }

}  // namespace

TEST_CASE("the next best cuts of the 1024 cube are the published ones", "[planner][alternatives]") {
    graph::EinGraph const graph = product(1024);
    auto const found = planner::rejected_plans(graph, planner::plan(graph, {.ranks = 8}), 20);
    REQUIRE(found.size() == 1);
    CHECK(found[0].candidates == 10);
    CHECK(found[0].planned.parts == Parts{2, 2, 2});
    CHECK(found[0].planned.elements.total() == 5242880);
    REQUIRE(found[0].rejected.size() == 9);
    for (std::size_t k = 0; k < 6; ++k) CHECK(found[0].rejected[k].elements.total() == 6291456);
    CHECK(found[0].rejected.back().elements.total() == 9437184);
    CHECK(found[0].rejected[0].bytes.total() == 4 * 6291456.0);
}

TEST_CASE("an alternative costs what the plan would cost with it, less what it does not touch",
          "[planner][alternatives]") {
    test::GraphBuilder g;
    for (auto const& name : {"A", "B", "C"}) g.leaf(name, {16, 16});
    g.einsum("AB", "ij,jk->ik", {"A", "B"});
    g.einsum("square", "ij,jk->ik", {"AB", "AB"});
    g.einsum("D", "ij,jk->ik", {"square", "C"});
    g.einsum("E", "ij,ij->ij", {"D", "AB"});
    graph::EinGraph const graph = g.finish({"E"});
    relation::Plan const plan = planner::plan(graph, {.ranks = 6});
    auto const found = planner::rejected_plans(graph, plan);
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        REQUIRE(found[node].rejected.size() == 3);
        for (planner::Option const& option : found[node].rejected) {
            relation::Plan other = plan;
            other.nodes[node].parts = option.parts;
            planner::price(graph, other);
            CHECK(other.bytes().total() - plan.bytes().total() ==
                  Approx(option.bytes.total() - found[node].planned.bytes.total()));
            CHECK(other.elements().total() - plan.elements().total() ==
                  Approx(option.elements.total() - found[node].planned.elements.total()));
            CHECK(option.bytes.total() >= found[node].planned.bytes.total());
        }
    }
}

TEST_CASE("beside a plan that someone made, an alternative may cost less", "[planner][alternatives]") {
    graph::EinGraph const graph = product(64);
    relation::Plan plan = planner::plan(graph, {.ranks = 8});
    plan.nodes[0].parts = {8, 1, 1};
    planner::price(graph, plan);
    auto const found = planner::rejected_plans(graph, plan, 1);
    REQUIRE(found[0].rejected.size() == 1);
    CHECK(found[0].rejected[0].parts == Parts{2, 2, 2});
    CHECK(found[0].rejected[0].bytes.total() < found[0].planned.bytes.total());
}
