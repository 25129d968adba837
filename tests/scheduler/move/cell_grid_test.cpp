#include "scheduler/move/cell_grid.hpp"

#include "scheduler/move/cut.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;

namespace {

std::vector<Box> boxes_of(Shape const& shape, Parts const& parts) {
    Cut const cut(shape, parts);
    std::vector<Box> out;
    for (std::size_t k = 0; k < cut.blocks(); ++k) out.push_back(cut.box(k));
    return out;
}

}  // namespace

TEST_CASE("boxes of a grid are its cells; others are no grid", "[scheduler][cell_grid]") {
    auto const boxes = boxes_of({7, 10}, {3, 4});
    auto const grid = grid_of(boxes);
    REQUIRE(grid);
    CHECK(grid->counts() == Parts{3, 4});
    CHECK(grid->edges[0] == std::vector<Extent>{0, 3, 5, 7});
    for (std::size_t k = 0; k < boxes.size(); ++k) CHECK(grid->cell(k) == boxes[k]);
    CHECK(grid->run(std::vector<Extent>{1, 3}, {3, 2}) == Box{{0, 6}, {7, 4}});
    CHECK_FALSE(grid_of(std::vector<Box>{{{0, 0}, {2, 2}}, {{0, 2}, {1, 2}}}));  // rows of different heights
    CHECK_FALSE(grid_of(std::vector<Box>{{{0, 0}, {1, 1}}, {{1, 1}, {1, 1}}}));  // a diagonal
    CHECK_FALSE(grid_of(std::vector<Box>{{{0}, {2}}, {{3}, {1}}}));              // a gap
    CHECK(grid_of(std::vector<Box>{{{}, {}}})->counts().empty());
}

TEST_CASE("cells are put together, as evenly as can be", "[scheduler][cell_grid]") {
    auto const grid = *grid_of(boxes_of({8, 12}, {4, 6}));
    CHECK(coarser(grid, {4, 6}).edges == grid.edges);
    CHECK(coarser(grid, {4, 3}).edges[1] == std::vector<Extent>{0, 4, 8, 12});
    CHECK(coarser(grid, {3, 1}).edges == std::vector<std::vector<Extent>>{{0, 2, 4, 8}, {0, 12}});
    CHECK(coarser(grid, {1, 5}).edges[1] == std::vector<Extent>{0, 2, 4, 6, 8, 12});
}
