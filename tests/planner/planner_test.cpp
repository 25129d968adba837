#include "planner/planner.hpp"
#include "planner/strategies/strategies.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

/// (A x B) + (C x (D x E)) of s x s matrices.
graph::EinGraph chain(Extent s) {
    test::GraphBuilder builder;
    for (char const* name : {"A", "B", "C", "D", "E"}) builder.leaf(name, {s, s});
    builder.einsum("AB", "ij,jk->ik", {"A", "B"});
    builder.einsum("DE", "ij,jk->ik", {"D", "E"});
    builder.einsum("CDE", "ij,jk->ik", {"C", "DE"});
    builder.einsum("Z", "ij,ij->ij", {"AB", "CDE"}, {.join = "x+y"});
    return builder.finish({"Z"});
}

}  // namespace

TEST_CASE("a plan has its options, its costs and exactly the calls that were asked for", "[planner]") {
    graph::EinGraph const graph = chain(30);
    int const ranks = GENERATE(1, 2, 3, 5, 6, 7, 16, 30);
    CAPTURE(ranks);
    relation::Plan const made = plan(graph, {.ranks = ranks});
    CHECK(made.ranks == ranks);
    CHECK(made.calls == ranks);
    CHECK(made.strategy == "eindecomp");
    for (relation::NodePlan const& node : made.nodes) {
        std::int64_t calls = 1;
        for (std::int64_t part : node.parts) calls *= part;
        CHECK(calls == ranks);
        CHECK(node.candidates >= 1);
        CHECK(node.bytes.total() == 8 * node.elements.total());
    }
    CHECK(made.elements().total() > 0);
}

TEST_CASE("more calls than ranks over-decompose", "[planner]") {
    relation::Plan const made = plan(chain(16), {.ranks = 2, .calls = 8});
    CHECK(made.ranks == 2);
    CHECK(made.calls == 8);
}

TEST_CASE("sqrt cuts outputs in squares and never costs less than eindecomp", "[planner]") {
    graph::EinGraph const graph = chain(64);
    for (int ranks : {4, 8, 12, 16}) {
        relation::Plan const square = plan(graph, {.ranks = ranks, .decompose = "sqrt"});
        CHECK(square.strategy == "sqrt");
        CHECK(square.bytes().total() >= plan(graph, {.ranks = ranks}).bytes().total());
        if (ranks == 16) CHECK(square.nodes[0].parts == Parts{4, 1, 4});
        if (ranks == 8) CHECK(square.nodes[0].parts == Parts{4, 1, 2});
        if (ranks == 12) CHECK(square.nodes[0].parts == Parts{4, 1, 3});
    }
}

TEST_CASE("a plan says how far from least it may be, where that is known", "[planner]") {
    graph::EinGraph const tree = chain(30);
    CHECK(plan(tree, {.ranks = 4}).gap == 0.0);
    CHECK(plan(tree, {.ranks = 4, .decompose = "exact"}).gap == 0.0);
    CHECK_FALSE(plan(tree, {.ranks = 4, .decompose = "sqrt"}).gap.has_value());
    CHECK_FALSE(plan(tree, {.ranks = 4, .candidate_limit = 2}).gap.has_value());  // of some candidates only

    test::GraphBuilder builder;
    builder.leaf("A", {30, 30});
    builder.einsum("B", "ij->ij", {"A"});
    builder.einsum("C", "ij,ji->ij", {"B", "B"});
    builder.einsum("D", "ij,jk->ik", {"B", "C"});
    graph::EinGraph const two_readers = builder.finish({"D"});
    CHECK_FALSE(plan(two_readers, {.ranks = 4}).gap.has_value());
    CHECK(plan(two_readers, {.ranks = 4, .decompose = "exact"}).gap == 0.0);
    CHECK(plan(two_readers, {.ranks = 4, .decompose = "exact", .time_limit = 5}).gap == 0.0);
    CHECK_FALSE(plan(two_readers, {.ranks = 4, .decompose = "exact", .candidate_limit = 2}).gap.has_value());
}

TEST_CASE("every strategy keeps to the parts that the graph fixes", "[planner]") {
    graph::EinGraph graph = chain(32);
    graph.nodes[0].fixed = {0, 1, 3};  // AB
    graph.nodes[2].fixed = {5, 2, 2};  // CDE: more than the calls
    std::string const strategy = GENERATE(from_range(strategy_names()));
    CAPTURE(strategy);
    relation::Plan const made = plan(graph, {.ranks = 8, .decompose = strategy});
    CHECK(made.nodes[0].parts == Parts{2, 1, 3});
    CHECK(made.nodes[2].parts == Parts{5, 2, 2});
    if (strategy == "eindecomp" || strategy == "exact") CHECK(made.gap == 0.0);
}
