#include "scheduler/move/cut.hpp"

#include "tests/support/catch.hpp"

using namespace ein;
using scheduler::Cut;

namespace {
std::vector<std::size_t> indices(std::vector<Cut::Block> const& blocks) {
    std::vector<std::size_t> out;
    for (Cut::Block const& block : blocks) out.push_back(block.index);
    return out;
}
}  // namespace

TEST_CASE("a cut without subblocks is a grid", "[scheduler][cut]") {
    Cut const cut({5, 4}, {2, 2});
    CHECK(cut.blocks() == 4);
    CHECK(cut.box(2) == Box{{3, 0}, {2, 2}});
    CHECK(indices(cut.blocks_meeting({{0, 0}, {5, 1}})) == std::vector<std::size_t>{0, 2});
    CHECK(cut.blocks_meeting({{0, 0}, {0, 4}}).empty());
}

TEST_CASE("subblocks stay within their part, whatever the extents", "[scheduler][cut]") {
    Cut cut({7, 2}, {2, 1});
    cut.subdivide({{3, 1}, {1, 2}});
    REQUIRE(cut.blocks() == 5);
    CHECK(cut.box(0) == Box{{0, 0}, {2, 2}});
    CHECK(cut.box(2) == Box{{3, 0}, {1, 2}});
    CHECK(cut.box(4) == Box{{4, 1}, {3, 1}});
    CHECK(indices(cut.blocks_meeting({{2, 0}, {3, 1}})) == std::vector<std::size_t>{1, 2, 3});
    CHECK(cut.parts_meeting({{2, 0}, {3, 1}}) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("every element is in one block, for any parts and subblocks", "[scheduler][cut]") {
    Extent const rows = GENERATE(1, 2, 5, 12);
    std::int64_t const parts = GENERATE(1, 2, 3);
    std::int64_t const sharers = GENERATE(1, 2, 3, 6, 7);
    if (parts > rows) return;
    Shape const shape{rows, 9};
    Cut cut(shape, {parts, 1});
    std::vector<Parts> subblocks;
    for (std::size_t part = 0; part < cut.part_count(); ++part)
        subblocks.push_back(scheduler::subblocks_for(shape, cut.part_box(part), sharers));
    cut.subdivide(subblocks);
    for_each_index(shape, [&](std::vector<Extent> const& index) {
        auto const found = cut.blocks_meeting({index, {1, 1}});
        REQUIRE(found.size() == 1);
        CHECK(found.front().box == cut.box(found.front().index));
        CHECK(intersection(found.front().box, {index, {1, 1}}).elements() == 1);
    });
}

TEST_CASE("subblocks fall together with the next reader's cuts, else they are rows", "[scheduler][cut]") {
    CHECK(scheduler::subblocks_for({64, 64}, {{0, 0}, {32, 64}}, 4) == Parts{4, 1});
    CHECK(scheduler::subblocks_for({64, 64}, {{0, 0}, {32, 64}}, 4, {2, 4}) == Parts{1, 4});
    CHECK(scheduler::subblocks_for({64, 64}, {{0, 0}, {64, 64}}, 4, {2, 2}) == Parts{2, 2});
    CHECK(scheduler::subblocks_for({7, 64}, {{0, 0}, {7, 64}}, 2, {2, 1}) == Parts{2, 1});  // 4 + 3, as wanted
    CHECK(scheduler::subblocks_for({3, 2}, {{0, 0}, {3, 2}}, 5) == Parts{1, 1});            // nothing has room for five
}

TEST_CASE("neighbouring cells may be one part", "[scheduler][cut]") {
    Cut cut({4, 6}, {2, 3});
    cut.merge({{{0, 0}, {4, 2}}, {{0, 2}, {2, 4}}, {{2, 2}, {2, 4}}});
    CHECK(cut.part_count() == 3);
    CHECK(cut.box(1) == Box{{0, 2}, {2, 4}});
    CHECK(cut.parts_meeting({{1, 1}, {1, 2}}) == std::vector<std::size_t>{0, 1});
    cut.subdivide({{2, 1}, {1, 1}, {1, 2}});
    CHECK(cut.blocks() == 5);
    CHECK(indices(cut.blocks_meeting({{2, 0}, {2, 6}})) == std::vector<std::size_t>{1, 3, 4});
}
