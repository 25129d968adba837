#include "scheduler/move/stages.hpp"

#include <numeric>

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

TEST_CASE("boxes of a grid are its cells; others are no grid", "[scheduler][stages]") {
    auto const boxes = boxes_of({7, 10}, {3, 4});
    auto const grid = grid_of(boxes);
    REQUIRE(grid);
    CHECK(grid->counts() == Parts{3, 4});
    CHECK(grid->edges[0] == std::vector<Extent>{0, 3, 5, 7});
    for (std::size_t k = 0; k < boxes.size(); ++k)
        CHECK(grid->run(index_at(grid->counts(), static_cast<Extent>(k)), {1, 1}) == boxes[k]);
    CHECK(grid->run(std::vector<Extent>{1, 3}, {3, 2}) == Box{{0, 6}, {7, 4}});
    CHECK_FALSE(grid_of(std::vector<Box>{{{0, 0}, {2, 2}}, {{0, 2}, {1, 2}}}));  // rows of different heights
    CHECK_FALSE(grid_of(std::vector<Box>{{{0, 0}, {1, 1}}, {{1, 1}, {1, 1}}}));  // a diagonal
    CHECK_FALSE(grid_of(std::vector<Box>{{{0}, {2}}, {{3}, {1}}}));              // a gap
    CHECK(grid_of(std::vector<Box>{{{}, {}}})->counts().empty());
}

TEST_CASE("cells are put together until there are few enough", "[scheduler][stages]") {
    auto const grid = *grid_of(boxes_of({8, 12}, {4, 6}));
    CHECK(coarser(grid, 24).counts() == Parts{4, 6});
    CHECK(coarser(grid, 12).counts() == Parts{4, 3});
    CHECK(coarser(grid, 5).counts() == Parts{4, 1});
    CHECK(coarser(grid, 3).counts() == Parts{2, 1});
    CHECK(coarser(grid, 12).edges[1] == std::vector<Extent>{0, 4, 8, 12});
}

TEST_CASE("after all stages every member has been told of every cell, by few messages", "[scheduler][stages]") {
    Parts const counts = GENERATE(Parts{16}, Parts{5}, Parts{2, 3}, Parts{64}, Parts{3, 1, 8}, Parts{7, 2}, Parts{12});
    auto const cells = static_cast<std::size_t>(element_count(counts));
    std::vector<std::vector<bool>> knows(cells, std::vector<bool>(cells, false));
    for (std::size_t k = 0; k < cells; ++k) knows[k][k] = true;
    Parts widths(counts.size(), 1);
    std::size_t messages = 0;
    for (Stage const& stage : stages_of(counts)) {
        CHECK(stage.width == widths[stage.axis]);
        widths[stage.axis] *= stage.factor;
        auto next = knows;
        for (std::size_t member = 0; member < cells; ++member) {
            auto const group = peers(counts, index_at(counts, static_cast<Extent>(member)), stage);
            CHECK(std::count(group.begin(), group.end(), member) == 1);
            for (std::size_t peer : group)
                for (std::size_t cell = 0; cell < cells; ++cell) {
                    if (peer != member) CHECK_FALSE((knows[peer][cell] && knows[member][cell]));  // nothing comes twice
                    if (knows[peer][cell]) next[member][cell] = true;
                }
            if (member == 0) messages += group.size() - 1;
        }
        knows = next;
    }
    CHECK(widths == counts);
    for (auto const& row : knows) CHECK(std::count(row.begin(), row.end(), true) == static_cast<std::ptrdiff_t>(cells));
    if (cells == 64) CHECK(messages == 9);
    if (cells == 16) CHECK(messages == 6);
}
