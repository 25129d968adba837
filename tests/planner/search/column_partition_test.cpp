#include "planner/search/column_partition.hpp"

#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

using namespace ein;
using namespace ein::planner;

TEST_CASE("seven ranks stand in groups of three, two and two", "[planner][column_partition]") {
    ColumnPartition const partition = column_partition_for(7);
    CHECK(partition.groups == std::vector<std::int64_t>{3, 2, 2});
    CHECK(partition.rows == 6);
    CHECK(partition.rank_of(0, 0) == 0);
    CHECK(partition.rank_of(5, 2) == 2);
    CHECK(partition.rank_of(3, 6) == 6);
}

TEST_CASE("every rank has the same number of cells, and they make a box", "[planner][column_partition]") {
    std::int64_t const ranks = GENERATE(5, 7, 11, 13, 17, 23);
    ColumnPartition const partition = column_partition_for(ranks);
    std::map<std::int64_t, std::int64_t> cells, top, bottom, left, right;
    for (std::int64_t row = 0; row < partition.rows; ++row)
        for (std::int64_t column = 0; column < ranks; ++column) {
            std::int64_t const rank = partition.rank_of(row, column);
            if (cells[rank]++ == 0) top[rank] = row, left[rank] = column;
            bottom[rank] = std::max(bottom[rank], row);
            right[rank] = std::max(right[rank], column);
        }
    REQUIRE(cells.size() == static_cast<std::size_t>(ranks));
    for (auto const& [rank, count] : cells) {
        CHECK(count == partition.rows);
        CHECK(count == (bottom[rank] - top[rank] + 1) * (right[rank] - left[rank] + 1));
    }
}

TEST_CASE("only factors of five or more are awkward", "[planner][column_partition]") {
    CHECK(awkward_factor(48) == 1);
    CHECK(awkward_factor(7) == 7);
    CHECK(awkward_factor(2 * 5 * 11) == 11);
}

TEST_CASE("uneven columns cost what ranks see: numbers of groups, and widths of columns",
          "[planner][column_partition]") {
    graph::EinGraph const graph = test::matmul(84, 84, 84);
    ColumnPartitionTable const table(graph, 7, Unit::elements, 1000);
    NodeCandidates const& choices = table.of(NodeId{0});
    double const all = 84 * 84;
    REQUIRE(choices.candidates.size() == 2);  // the columns along k, or along i; j is summed
    CHECK(choices.candidates[0] == Parts{6, 1, 7});
    CHECK(choices.work[0] == Approx(all * (3 + (9 + 4 + 4) / 7.0)));
    auto const ranks = table.ranks_of(NodeId{0}, 0);
    CHECK(ranks.size() == 42);
}
