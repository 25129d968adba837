#include "scheduler/move/collectives.hpp"

#include <map>
#include <numeric>
#include <set>

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

/// Cells of one element each.
CellGrid unit_grid(Parts const& counts) {
    CellGrid grid;
    for (std::int64_t count : counts) {
        grid.edges.emplace_back(static_cast<std::size_t>(count) + 1);
        std::iota(grid.edges.back().begin(), grid.edges.back().end(), Extent{0});
    }
    return grid;
}

bool contains(Box const& outer, Box const& inner) { return intersection(outer, inner) == inner; }

constexpr auto any_grid = [] { return std::vector<Parts>{{16}, {5}, {2, 3}, {64}, {3, 1, 8}, {7, 2}, {12}, {1, 1}}; };

}  // namespace

TEST_CASE("after an all-gather every member has every cell, and no cell came twice", "[scheduler][collectives]") {
    for (Parts const& counts : any_grid()) {
        CellGrid const grid = unit_grid(counts);
        auto const cells = static_cast<std::size_t>(element_count(counts));
        std::vector<std::set<std::size_t>> has(cells);
        for (std::size_t k = 0; k < cells; ++k) has[k] = {k};
        for (CollectiveStep const& step : staged_all_gather(grid)) {
            auto next = has;
            for (std::size_t member = 0; member < cells; ++member) {
                CHECK(std::count(step.peers[member].begin(), step.peers[member].end(), member) == 1);
                for (std::size_t peer : step.peers[member])
                    for (std::size_t cell : has[peer]) CHECK(next[member].insert(cell).second == (peer != member));
                for (std::size_t cell = 0; cell < cells; ++cell)
                    CHECK(next[member].contains(cell) == contains(step.boxes[member], grid.cell(cell)));
            }
            has = next;
        }
        for (auto const& cells_of_member : has) CHECK(cells_of_member.size() == cells);
    }
}

TEST_CASE("cells are as many as take the fewest messages and steps", "[scheduler][collectives]") {
    CHECK(cells_to_gather({16}, 16, 64) == Parts{16});
    CHECK(cells_to_gather({8}, 24, 64) == Parts{8});           // three rows
    CHECK(cells_to_gather({13, 32}, 12, 64) == Parts{1, 12});  // 39 pieces a rank, where rows alone would be 64
    CHECK(cells_to_gather({9, 32}, 8, 64) == Parts{1, 8});     // nobody is left over
    CHECK(cells_to_gather({97}, 97, 64) == Parts{54});         // 8 messages, and one whole, in place of 96
    CHECK(cells_to_gather({97}, 97, 8 << 20) == Parts{97});    // bytes take longer: nobody gets all of them once more
    CHECK(cells_to_gather({2, 1, 2}, 3, 64) == Parts{2, 1, 1});
    for (std::size_t ranks : {2, 3, 7, 12, 31, 100})
        for (Parts const& pieces : {Parts{5}, Parts{7, 9}, Parts{3, 1, 64}}) {
            Parts const cells = cells_to_gather(pieces, ranks, 1000);
            CHECK(element_count(cells) >= 2);
            CHECK(element_count(cells) <= static_cast<std::int64_t>(ranks));
            for (std::size_t axis = 0; axis < pieces.size(); ++axis) CHECK(cells[axis] <= pieces[axis]);
        }
}

TEST_CASE("after a reduce-scatter member k has the sum of cell k, each summand once", "[scheduler][collectives]") {
    for (Parts const& counts : any_grid()) {
        CellGrid const grid = unit_grid(counts);
        auto const cells = static_cast<std::size_t>(element_count(counts));
        std::vector<std::multiset<std::size_t>> summands(cells);  // in what a member has now
        std::vector<Box> boxes(cells, Box::whole(counts));
        for (std::size_t k = 0; k < cells; ++k) summands[k] = {k};
        for (CollectiveStep const& step : staged_reduce_scatter(grid)) {
            auto next = summands;
            for (std::size_t member = 0; member < cells; ++member)
                for (std::size_t peer : step.peers[member]) {
                    CHECK(contains(boxes[peer], step.boxes[member]));  // the peer still has it
                    if (peer != member) next[member].insert(summands[peer].begin(), summands[peer].end());
                }
            summands = next;
            boxes = step.boxes;
        }
        for (std::size_t k = 0; k < cells; ++k) {
            CHECK(boxes[k] == grid.cell(k));
            CHECK(summands[k].size() == cells);
            CHECK(std::set<std::size_t>(summands[k].begin(), summands[k].end()).size() == cells);
        }
    }
}

TEST_CASE("steps take few messages", "[scheduler][collectives]") {
    auto const messages = [](Parts const& counts) {
        std::size_t sum = 0;
        for (CollectiveStep const& step : staged_all_gather(unit_grid(counts))) sum += step.peers[0].size() - 1;
        return sum;
    };
    CHECK(messages({16}) == 6);
    CHECK(messages({64}) == 9);
    CHECK(messages({7}) == 6);  // a prime: all at once
}

TEST_CASE("cells go to ranks that hold something of them", "[scheduler][collectives]") {
    CellGrid const grid = unit_grid({2});
    std::vector<Rank> const ranks{Rank{0}, Rank{1}, Rank{2}, Rank{3}, Rank{4}};
    std::map<Box, std::vector<Held>> held{{grid.cell(0), {{Rank{3}, 8}}}, {grid.cell(1), {{Rank{1}, 8}}}};
    held[Box::whole({2})] = {{Rank{1}, 8}, {Rank{3}, 8}};
    auto const owners = owners_of_cells(grid, Box::whole({2}), ranks, [&](Box const& box) { return held[box]; });
    REQUIRE(owners);
    CHECK(owners->rows == std::vector<std::vector<Rank>>{{Rank{3}, Rank{1}}, {Rank{0}, Rank{2}}});
    CHECK(owners->left_over == std::vector<Rank>{Rank{4}});
}

TEST_CASE("no all-gather where ranks would get again what they have", "[scheduler][collectives]") {
    CellGrid const grid = unit_grid({2});
    std::vector<Rank> const ranks{Rank{0}, Rank{1}};
    auto const all_on_0 = [&](Box const& box) {
        return std::vector<Held>{{Rank{0}, 8.0 * static_cast<double>(box.elements())}};
    };
    CHECK_FALSE(owners_of_cells(grid, Box::whole({2}), ranks, all_on_0));
    CHECK_FALSE(owners_of_cells(grid, Box::whole({2}), ranks, all_on_0, 7));  // of 16 bytes, less a cell's 8
    CHECK(owners_of_cells(grid, Box::whole({2}), ranks, all_on_0, 8));
}

TEST_CASE("a tree adds every sum up on member 0, four at a time", "[scheduler][collectives]") {
    for (std::size_t members : {1u, 2u, 4u, 5u, 16u, 17u, 21u}) {
        std::vector<std::set<std::size_t>> has(members);
        for (std::size_t k = 0; k < members; ++k) has[k] = {k};
        for (Addition const& addition : sum_tree(members)) {
            CHECK(addition.from.size() < 4);
            for (std::size_t from : addition.from) {
                has[addition.into].insert(has[from].begin(), has[from].end());
                has[from].clear();
            }
        }
        CHECK(has[0].size() == members);
    }
}

TEST_CASE("members keep as many subblocks each, and single subblocks in turn", "[scheduler][collectives]") {
    std::vector<std::size_t> keepers;
    for (std::size_t s = 0; s < 6; ++s) keepers.push_back(keeper_of(s, 6, 3, 5));
    CHECK(keepers == std::vector<std::size_t>{0, 0, 1, 1, 2, 2});
    CHECK(keeper_of(0, 1, 3, 5) == 2);
}

TEST_CASE("small regions of many ranks are exchanged in steps", "[scheduler][collectives]") {
    Staging const staging{.ranks = 8, .bytes = 1000};
    CHECK(staging.suits(8, 1000));
    CHECK_FALSE(staging.suits(7, 1000));
    CHECK_FALSE(staging.suits(8, 1001));
}
