#include "planner/costs/data_movement.hpp"

#include "planner/costs/cost.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

bool reshape_lines_up(Shape const& from, Shape const& to, Parts const& producer, Parts const& parts) {
    test::GraphBuilder builder;
    builder.leaf("X", from);
    builder.node("Y", graph::Reshape{}, {"X"}, to);
    graph::EinGraph const graph = builder.finish({"Y"});
    return blocks_line_up(graph, graph.nodes[0], 0, producer, parts);
}

}  // namespace

TEST_CASE("a reshape lines up where both sides cut the same runs of elements", "[planner][movement]") {
    CHECK(reshape_lines_up({6, 64}, {6, 4, 16}, {3, 2}, {3, 2, 1}));
    CHECK(reshape_lines_up({6, 64}, {6, 4, 16}, {4, 4}, {4, 4, 1}));  // 6 in 4, on both sides
    CHECK_FALSE(reshape_lines_up({6, 64}, {6, 4, 16}, {3, 2}, {3, 1, 2}));
    CHECK_FALSE(reshape_lines_up({6, 64}, {6, 4, 16}, {3, 3}, {3, 3, 1}));  // 64 in 3 are not whole heads
    CHECK_FALSE(reshape_lines_up({6, 64}, {6, 4, 16}, {3, 2}, {2, 2, 1}));
    CHECK(reshape_lines_up({4, 6}, {24}, {4, 1}, {4}));
    CHECK_FALSE(reshape_lines_up({4, 6}, {24}, {1, 2}, {2}));
    CHECK(reshape_lines_up({6}, {1, 6, 1}, {3}, {1, 3, 1}));
    CHECK(reshape_lines_up({1, 1}, {}, {1, 1}, {}));
    CHECK(reshape_lines_up({0, 3}, {3, 0}, {1, 3}, {3, 1}));
}

TEST_CASE("a move lines up along axes that it takes whole, cut alike", "[planner][movement]") {
    test::GraphBuilder builder;
    builder.leaf("A", {8, 4});
    builder.leaf("B", {8, 2});
    graph::Move concat;
    concat.regions = {{Box{{0, 0}, {8, 4}}, {{}, {}}}, {Box{{0, 4}, {8, 2}}, {{}, {}}}};
    builder.node("C", concat, {"A", "B"}, {8, 6});
    graph::EinGraph const graph = builder.finish({"C"});
    graph::Node const& node = graph.nodes[0];
    CHECK(moved_elements(graph, node, 0) == 32);
    CHECK(moved_elements(graph, node, 1) == 16);
    CHECK(blocks_line_up(graph, node, 0, {4, 1}, {4, 1}));
    CHECK_FALSE(blocks_line_up(graph, node, 0, {2, 1}, {4, 1}));
    CHECK_FALSE(blocks_line_up(graph, node, 1, {2, 2}, {2, 2}));
    CHECK(cost_of_node(graph, node, {4, 1}, Unit::elements) == relation::Cost{48, 0, 0});
    CHECK(cost_of_edge(graph, node, 1, {4, 1}, {4, 1}, Unit::bytes) == 0);
    CHECK(cost_of_edge(graph, node, 1, {1, 2}, {4, 1}, Unit::bytes) == 16 * 8);
}

TEST_CASE("a slice with an offset takes a halo from the neighbouring block", "[planner][movement]") {
    test::GraphBuilder builder;
    builder.leaf("X", {100, 40});
    graph::Move up, wrapped, strided;
    up.regions = {{Box{{0, 0}, {98, 40}}, {{2, 1}, {0, 1}}}};  // rows 2 to 99
    builder.node("U", up, {"X"}, {98, 40});
    wrapped.regions = {{Box{{0, 0}, {1, 40}}, {{99, 1}, {0, 1}}}, {Box{{1, 0}, {99, 40}}, {{0, 1}, {0, 1}}}};
    builder.node("W", wrapped, {"X", "X"}, {100, 40});  // turned by a row
    strided.regions = {{Box{{0, 0}, {50, 40}}, {{0, 2}, {0, 1}}}};
    builder.node("S", strided, {"X"}, {50, 40});
    graph::EinGraph const graph = builder.finish({"U", "W", "S"});
    auto const misplaced = [&](std::size_t node, std::size_t operand, Parts const& producer, Parts const& parts) {
        return misplaced_elements(graph, graph.nodes[node], operand, producer, parts);
    };
    CHECK(misplaced(0, 0, {1, 4}, {1, 4}) == 0);
    CHECK(misplaced(0, 0, {4, 1}, {4, 1}) == Approx(3 * 1 * 40));  // from 2 rows to none off: a row on average
    CHECK(misplaced(0, 0, {4, 1}, {2, 1}) == 98 * 40);
    CHECK(misplaced(1, 1, {4, 1}, {4, 1}) == Approx(3 * 40));  // a row over each of three boundaries
    CHECK(misplaced(1, 0, {4, 1}, {4, 1}) == 40);              // the row that comes round
    CHECK(misplaced(2, 0, {4, 1}, {4, 1}) == 50 * 40);
    CHECK(misplaced(2, 0, {1, 4}, {1, 4}) == Approx(0).margin(1e-9));
    CHECK(cost_of_edge(graph, graph.nodes[1], 1, {4, 1}, {4, 1}, Unit::elements) == Approx(3 * 40));
}
