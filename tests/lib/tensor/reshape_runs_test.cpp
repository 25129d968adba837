#include "lib/tensor/reshape_runs.hpp"

#include <array>
#include <random>

#include "tests/support/catch.hpp"

using namespace ein;

namespace {

using Run = std::array<Extent, 3>;

std::vector<Run> runs(Shape const& from, Box const& from_box, Shape const& to, Box const& to_box) {
    std::vector<Run> found;
    tensor::for_each_shared_run(from, from_box, to, to_box, [&](Extent f, Extent t, Extent n) {
        found.push_back({f, t, n});
    });
    return found;
}

/// The C-order position in the tensor of each element of a box.
std::vector<Extent> positions(Shape const& shape, Box const& box) {
    std::vector<Extent> const strides = row_major_strides(shape);
    std::vector<Extent> all;
    for_each_index(box.length, [&](std::vector<Extent> const& index) {
        Extent position = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            position += (box.begin[axis] + index[axis]) * strides[axis];
        all.push_back(position);
    });
    return all;
}

/// A shape with this many elements, cut at random.
Shape random_shape(Extent elements, std::mt19937& random) {
    Shape shape;
    while (elements > 1) {
        Extent factor = 1 + static_cast<Extent>(random() % 6);
        while (elements % factor != 0) --factor;
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(random() % (shape.size() + 1)), factor);
        elements /= factor;
        if (factor == 1 && random() % 3 == 0) {
            shape.push_back(elements);
            elements = 1;
        }
    }
    return shape;
}

Box random_box_in(Shape const& shape, std::mt19937& random) {
    Box box = Box::whole(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (random() % 2 == 0) continue;
        box.begin[axis] = static_cast<Extent>(random()) % shape[axis];
        box.length[axis] = 1 + static_cast<Extent>(random()) % (shape[axis] - box.begin[axis]);
    }
    return box;
}

}  // namespace

TEST_CASE("two blocks share the positions that lie in both", "[lib][tensor]") {
    CHECK(runs({6}, {{0}, {4}}, {2, 3}, {{1, 0}, {1, 3}}) == std::vector<Run>{{3, 0, 1}});
    CHECK(tensor::shared_elements({6}, {{0}, {4}}, {2, 3}, {{1, 0}, {1, 3}}) == 1);
}

TEST_CASE("axes that a reshape leaves alone do not cut runs", "[lib][tensor]") {
    Box const rows{{2, 0}, {3, 12}};
    CHECK(runs({8, 12}, rows, {8, 3, 4}, {{0, 0, 0}, {8, 3, 4}}) == std::vector<Run>{{0, 24, 36}});
    CHECK(runs({8, 12}, rows, {8, 3, 4}, {{2, 1, 0}, {2, 1, 4}}) == std::vector<Run>{{4, 0, 4}, {16, 4, 4}});
}

TEST_CASE("a huge reshape is counted without walking over its elements", "[lib][tensor]") {
    Extent const n = 1 << 20;
    CHECK(tensor::shared_elements({n, n}, {{0, 0}, {n, n / 2}}, {n * n}, {{5}, {n * n - 5}}) == n * (n / 2) - 5);
    CHECK(tensor::shared_elements({n, n}, {{0, 0}, {n, 1}}, {n, 2, n / 2}, {{0, 0, 0}, {n, 1, n / 2}}) == n);
}

TEST_CASE("scalars, extents of one and empty boxes are reshaped too", "[lib][tensor]") {
    CHECK(runs({}, {{}, {}}, {1, 1}, {{0, 0}, {1, 1}}) == std::vector<Run>{{0, 0, 1}});
    CHECK(runs({4}, {{2}, {0}}, {2, 2}, Box::whole({2, 2})).empty());
    CHECK(runs({0, 3}, Box::whole({0, 3}), {0}, Box::whole({0})).empty());
    CHECK(tensor::shared_elements({0, 3}, Box::whole({0, 3}), {0}, Box::whole({0})) == 0);
    CHECK(runs({1, 5, 1}, {{0, 1, 0}, {1, 3, 1}}, {5}, {{0}, {3}}) == std::vector<Run>{{0, 1, 2}});
}

TEST_CASE("random boxes share what comparing every position finds", "[lib][tensor]") {
    std::mt19937 random(11);
    for (int round = 0; round < 3000; ++round) {
        Extent const elements = std::array<Extent, 6>{1, 12, 30, 64, 72, 210}[random() % 6];
        Shape const from = random_shape(elements, random), to = random_shape(elements, random);
        Box const from_box = random_box_in(from, random), to_box = random_box_in(to, random);
        CAPTURE(to_string(from), to_string(from_box), to_string(to), to_string(to_box));
        std::vector<Extent> const here = positions(from, from_box), there = positions(to, to_box);
        std::vector<Run> expected;
        for (std::size_t f = 0, t = 0; f < here.size() && t < there.size();) {
            if (here[f] < there[t])
                ++f;
            else if (there[t] < here[f])
                ++t;
            else
                expected.push_back({static_cast<Extent>(f++), static_cast<Extent>(t++), 1});
        }
        std::vector<Run> single;
        for (Run const& run : runs(from, from_box, to, to_box))
            for (Extent i = 0; i < run[2]; ++i) single.push_back({run[0] + i, run[1] + i, 1});
        REQUIRE(single == expected);
        REQUIRE(tensor::shared_elements(from, from_box, to, to_box) == static_cast<Extent>(expected.size()));
    }
}
