#include "executor/checkpoint/live_values.hpp"

#include "tests/support/catch.hpp"

using namespace ein;
using executor::BoxToSave;
using executor::LiveBox;

namespace {

schedule::TensorId const w{0}, v{1};

LiveBox live(schedule::TensorId tensor, Box box) { return {tensor, std::move(box), {}, {}}; }

std::vector<BoxToSave> saved(std::vector<std::vector<LiveBox>> const& by_rank, bool sparse = false) {
    return executor::boxes_to_save(by_rank, [&](schedule::TensorId) { return sparse; });
}

}  // namespace

TEST_CASE("what several ranks hold is saved once, by the first of them", "[executor][checkpoint]") {
    Box const row{{0, 0}, {1, 4}}, half{{0, 2}, {1, 2}}, other{{1, 0}, {1, 4}};
    std::vector<BoxToSave> const all =
        saved({{live(w, half)}, {live(w, row), live(v, {{0}, {4}})}, {live(w, row), live(w, other)}});
    CHECK(all == std::vector<BoxToSave>{{w, row, Rank{1}}, {w, other, Rank{2}}, {v, {{0}, {4}}, Rank{1}}});
}

TEST_CASE("boxes that overlap are saved both", "[executor][checkpoint]") {
    Box const left{{0}, {3}}, right{{2}, {3}};
    CHECK(saved({{live(w, left)}, {live(w, right)}}).size() == 2);
}

TEST_CASE("scalars and empty boxes are saved by one rank, and nothing by nobody", "[executor][checkpoint]") {
    CHECK(saved({{}, {}}).empty());
    CHECK(saved({{live(w, Box{})}, {live(w, Box{})}}) == std::vector<BoxToSave>{{w, Box{}, Rank{0}}});
    Box const none{{0, 0}, {0, 4}};
    CHECK(saved({{live(w, none)}}).size() == 1);
}

TEST_CASE("boxes are read as they were written for other ranks", "[executor][checkpoint]") {
    std::vector<LiveBox> const boxes{live(w, {{3, 0}, {2, 5}}), live(v, Box{})};
    std::vector<LiveBox> const read = executor::boxes_from(executor::to_text(boxes));
    REQUIRE(read.size() == 2);
    CHECK(read[0].tensor == w);
    CHECK(read[0].box == boxes[0].box);
    CHECK(read[1].tensor == v);
    CHECK(read[1].box.order() == 0);
}

TEST_CASE("of a sparse tensor each element is saved by one rank", "[executor][checkpoint]") {
    Box const left{{0, 0}, {4, 3}}, right{{1, 2}, {4, 3}}, inside{{0, 1}, {2, 1}}, apart{{7, 0}, {1, 5}};
    std::vector<BoxToSave> const all =
        saved({{live(w, inside), live(w, apart)}, {live(w, left)}, {live(w, right), live(w, apart)}}, true);
    int count[8][5] = {};
    for (BoxToSave const& each : all)
        for (Extent row = each.box.begin[0]; row < each.box.end(0); ++row)
            for (Extent column = each.box.begin[1]; column < each.box.end(1); ++column) {
                ++count[row][column];
                Box const at{{row, column}, {1, 1}};
                CHECK((each.rank == Rank{0}   ? inside.contains(at) || apart.contains(at)
                       : each.rank == Rank{1} ? left.contains(at)
                                              : right.contains(at) || apart.contains(at)));
            }
    for (Extent row = 0; row < 8; ++row)
        for (Extent column = 0; column < 5; ++column) {
            Box const at{{row, column}, {1, 1}};
            CHECK(count[row][column] == (left.contains(at) || right.contains(at) || apart.contains(at) ? 1 : 0));
        }
    CHECK(saved({{live(w, {{0, 0}, {0, 4}})}}, true).size() == 1);
}
