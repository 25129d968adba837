#include "planner/costs/cost.hpp"

#include "planner/planner.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

namespace {
Weights ones(std::size_t operands) { return {std::vector<double>(operands, 1), 1}; }
}  // namespace

TEST_CASE("the paper's worked costs", "[planner][cost]") {
    graph::EinSum const matmul = test::einsum("ij,jk->ik", {{8, 8}, {8, 8}});
    CHECK(cost_join(matmul, {4, 1, 4}, ones(2)) == 512);
    CHECK(cost_agg(matmul, {4, 1, 4}, ones(2)) == 0);
    CHECK(cost_agg(matmul, {2, 2, 4}, ones(2)) == 64);
    CHECK(cost_repart({8, 8}, {2, 4}, {4, 1}) == 320);
}

TEST_CASE("repartition costs nothing between equal cuts and follows the formula elsewhere", "[planner][cost]") {
    CHECK(cost_repart({8, 8}, {2, 4}, {2, 4}) == 0);
    CHECK(cost_repart({8, 8}, {1, 1}, {4, 1}) == 64.0 * 4);         // every consumer is sent the whole
    CHECK(cost_repart({8, 8}, {4, 1}, {1, 1}) == 3.0 * (64 + 16));  // one consumer collects 4 blocks
    CHECK(cost_repart({8}, {2}, {4}, 4) == 4.0 * 4 * 4);            // weighted
    CHECK(cost_repart({0, 8}, {1, 2}, {1, 4}) == 0);
    CHECK(cost_repart({}, {}, {}) == 0);
}

TEST_CASE("the 1024 cube on 8 calls costs what the paper's model says for every candidate", "[planner][cost]") {
    graph::EinSum const cube = test::einsum("ij,jk->ik", {{1024, 1024}, {1024, 1024}});
    auto total = [&](Parts const& parts) { return cost_join(cube, parts, ones(2)) + cost_agg(cube, parts, ones(2)); };
    CHECK(total({2, 2, 2}) == 5242880);
    for (Parts const& parts : {Parts{1, 2, 4}, {1, 4, 2}, {2, 1, 4}, {2, 4, 1}, {4, 1, 2}, {4, 2, 1}})
        CHECK(total(parts) == 6291456);
    CHECK(total({8, 1, 1}) == 9437184);
}

TEST_CASE("one, three and repeated operands: each kernel call has a block of each", "[planner][cost]") {
    CHECK(cost_join(test::einsum("ij->ij", {{8, 6}}), {4, 2}, ones(1)) == 48);
    CHECK(cost_join(test::einsum("ij->i", {{8, 6}}), {4, 2}, ones(1)) == 48);
    CHECK(cost_agg(test::einsum("ij->i", {{8, 6}}), {4, 2}, ones(1)) == 8);
    // p = 8 calls, each with blocks of 4 x 2, 2 x 3 and 3 elements
    CHECK(cost_join(test::einsum("ij,jk,k->ik", {{8, 4}, {4, 6}, {6}}), {2, 2, 2}, ones(3)) == 8 * (8 + 6 + 3));
    CHECK(cost_join(test::einsum("ii->i", {{8, 8}}), {4}, ones(1)) == 4 * 4);  // the diagonal blocks, 2 x 2 each
    CHECK(cost_join(test::einsum("i->ij", {{8}}, {{'j', 6}}), {2, 3}, ones(1)) == 6 * 4);  // broadcast label cut in 3
    CHECK(cost_join(test::einsum("->", {{}}), {}, ones(1)) == 1);
}

TEST_CASE("uneven extents cost the exact sum over their blocks", "[planner][cost]") {
    graph::EinSum const uneven = test::einsum("ij,jk->ik", {{7, 5}, {5, 11}});
    Parts const parts{3, 2, 4};
    double join = 0, agg = 0;
    for_each_index(Shape{3, 2, 4}, [&](std::vector<Extent> const& at) {
        double const i = part_length(7, 3, at[0]), j = part_length(5, 2, at[1]), k = part_length(11, 4, at[2]);
        join += i * j + j * k;
        agg += at[1] == 0 ? i * k : 0;  // two partial results: one is moved
    });
    CHECK(cost_join(uneven, parts, ones(2)) == Approx(join).epsilon(1e-14));
    CHECK(cost_agg(uneven, parts, ones(2)) == Approx(agg).epsilon(1e-14));
}

TEST_CASE("bytes are elements times the size of each type; partial results have the accumulating type",
          "[planner][cost]") {
    test::GraphBuilder builder;
    builder.leaf("A", {8, 8}, DType::f16);
    builder.leaf("B", {8, 8}, DType::f64);
    builder.leaf("C", {8, 8}, DType::f16);
    builder.einsum("AB", "ij,jk->ik", {"A", "B"}, {.dtype = DType::f64});
    builder.einsum("AC", "ij,jk->ik", {"A", "C"}, {.dtype = DType::f16});
    graph::EinGraph const graph = builder.finish({"AB", "AC"});
    auto const mixed = cost_of_node(graph, graph.nodes[0], {2, 2, 2}, Unit::bytes);
    CHECK(mixed.join == 8 * (16 * 2 + 16 * 8));
    CHECK(mixed.agg == 64 * 8);
    auto const half = cost_of_node(graph, graph.nodes[1], {2, 2, 2}, Unit::bytes);
    CHECK(half.agg == 64 * 4);  // f16 accumulates in f32
    CHECK(cost_of_node(graph, graph.nodes[1], {2, 2, 2}, Unit::elements).agg == 64);
}

TEST_CASE("price counts the repartition of an edge at its consumer, and none for leaves", "[planner][cost]") {
    test::GraphBuilder builder;
    builder.leaf("A", {8, 8}, DType::f32);
    builder.leaf("B", {8, 8}, DType::f32);
    builder.einsum("Z", "ij,jk->ik", {"A", "B"}, {.dtype = DType::f32});
    builder.einsum("W", "ij,jk->ik", {"Z", "A"}, {.dtype = DType::f32});
    graph::EinGraph const graph = builder.finish({"W"});
    relation::Plan plan;
    plan.nodes = {{.parts = {2, 2, 4}}, {.parts = {4, 1, 4}}};
    price(graph, plan);
    CHECK(plan.nodes[0].elements == relation::Cost{16.0 * (16 + 8), 64, 0});
    CHECK(plan.nodes[1].elements == relation::Cost{512, 0, 320});
    CHECK(plan.nodes[1].bytes.repart == 320 * 4);
    CHECK(plan.elements().total() == 384 + 64 + 512 + 320);
}

TEST_CASE("a sparse operand costs what it lists, with its indices", "[planner][cost]") {
    test::GraphBuilder g;
    g.leaf("A", {100, 200});
    g.leaf("B", {200, 10});
    g.einsum("C", "ij,jk->ik", {"A", "B"});
    graph::EinGraph graph = g.finish({"C"});
    graph.values[0].listing = graph::Listing{{}, 500.0, 500};
    graph::Node const& node = graph.nodes.front();
    relation::Cost const rows = cost_of_node(graph, node, {4, 1, 1}, Unit::elements);
    CHECK(rows.join == Approx(500 + 4 * 2000));
    CHECK(cost_of_node(graph, node, {1, 1, 4}, Unit::elements).join == Approx(4 * 500 + 2000));
    // As one block: how many, 101 offsets, and 4 + 8 bytes an element.
    CHECK(cost_of_node(graph, node, {4, 1, 1}, Unit::bytes).join == Approx(8 + 808 + 500 * 12 + 8.0 * 4 * 2000));
    graph.values[0].listing->listed.reset();  // not counted: no more than there may be
    CHECK(cost_of_node(graph, node, {4, 1, 1}, Unit::elements).join == Approx(rows.join));
}

TEST_CASE("a plan that differs from a priced one costs the same as one that is priced anew", "[planner][cost]") {
    test::GraphBuilder g;
    for (auto const& name : {"A", "B", "C"}) g.leaf(name, {24, 24});
    g.einsum("P", "ij,jk->ik", {"A", "B"});
    g.einsum("Q", "ij,jk->ik", {"P", "C"});
    g.einsum("S", "ij,ij->ij", {"Q", "P"}, {.join = "x + y"});
    graph::EinGraph const graph = g.finish({"S"});
    relation::Plan const priced = planner::plan(graph, {.ranks = 4});
    for (std::size_t node = 0; node < 3; ++node) {
        relation::Plan anew = priced;
        anew.nodes[node].parts = node == 2 ? Parts{1, 4} : Parts{1, 1, 4};
        relation::Plan beside = anew;
        planner::price(graph, anew);
        planner::price(graph, beside, priced.nodes);
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(beside.nodes[k].elements == anew.nodes[k].elements);
            CHECK(beside.nodes[k].bytes == anew.nodes[k].bytes);
        }
    }
}
