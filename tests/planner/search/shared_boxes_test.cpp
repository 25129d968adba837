#include "planner/search/shared_boxes.hpp"

#include <map>

#include "planner/costs/lower_bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

graph::EinSum const& product_of(graph::EinGraph const& graph) {
    return std::get<graph::EinSum>(graph.node(NodeId{0}).op);
}

}  // namespace

TEST_CASE("boxes are as large as they have ranks", "[planner][shared_boxes]") {
    SharedBoxes const boxes({{3, 3}, {3, 2, 2}});
    CHECK(boxes.ranks() == 13);
    CHECK(boxes.row_parts() == 14);  // halves, and 3, 2 and 2 sevenths
    CHECK(boxes.column_parts() == 13);
    CHECK(boxes.sum_parts() == 6);
    SharedBoxes::Share const& last = boxes.shares().back();
    CHECK(last.sharers == 2);
    CHECK(last.row.begin == 10);
    CHECK(last.column.begin == 6);
    CHECK(last.sum.begin == 3);
    CHECK(last.sum.end == 6);
}

TEST_CASE("every cell is one rank's, and all have as many", "[planner][shared_boxes]") {
    SharedBoxes const boxes(GENERATE(BoxRanks{{3, 3}, {3, 2, 2}}, BoxRanks{{2, 2, 2}, {2, 2, 1}}, BoxRanks{{1}},
                                     BoxRanks{{4}, {4, 4}, {3}}));
    std::map<std::int64_t, std::int64_t> cells;
    for (std::int64_t rank : boxes.ranks_of_cells()) ++cells[rank];
    REQUIRE(cells.size() == static_cast<std::size_t>(boxes.ranks()));
    for (auto const& [rank, count] : cells) CHECK(count * boxes.ranks() == static_cast<std::int64_t>(boxes.cells()));
}

TEST_CASE("at every number of ranks from 7 to 64 a cube's boxes come near the bound", "[planner][shared_boxes]") {
    graph::EinGraph const graph = test::matmul(16384, 16384, 16384);
    for (int ranks = 7; ranks <= 64; ++ranks) {
        double least = 1e300;
        for (std::int64_t sharers = 1; sharers <= 4; ++sharers)
            if (auto const all = boxes_of(ranks, {sharers, false});
                auto const* const boxes = least_receiving(all, product_of(graph), {0, 2, 1}))
                least = std::min(least, *received_at_most(product_of(graph), {0, 2, 1}, *boxes));
        CAPTURE(ranks);
        CHECK(least < 1.22 * matmul_lower_bound(16384, 16384, 16384, ranks));
    }
}

TEST_CASE("boxes of a column are alike where that is asked for", "[planner][shared_boxes]") {
    graph::EinGraph const graph = test::matmul(16384, 16384, 16384);
    auto const all = boxes_of(19, {2, true});
    auto const* const boxes = least_receiving(all, product_of(graph), {0, 2, 1});
    REQUIRE(boxes);
    for (auto const& column : boxes->columns()) CHECK(column == std::vector(column.size(), column.front()));
}

TEST_CASE("labels that are short or given are not cut in boxes", "[planner][shared_boxes]") {
    graph::EinGraph graph = test::matmul(4, 4, 4);
    CHECK_FALSE(SharedBoxesTable(graph, 13, {2, false}, Unit::bytes, 100).serves());
    graph = test::matmul(512, 512, 512);
    SharedBoxesTable const table(graph, 13, {2, false}, Unit::bytes, 100);
    REQUIRE(table.serves());
    CHECK(table.ranks_of(NodeId{0}, 0).size() ==
          static_cast<std::size_t>(element_count(table.of(NodeId{0}).candidates[0])));
    graph.nodes[0].fixed = {0, 1, 0};
    CHECK_FALSE(SharedBoxesTable(graph, 13, {2, false}, Unit::bytes, 100).serves());
}
