#include "lib/base/box.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/partition.hpp"
#include "tests/support/catch.hpp"

using namespace ein;

namespace {
using Indices = std::vector<std::vector<Extent>>;

Indices walked(Shape const& counts) {
    Indices seen;
    for_each_index(counts, [&](std::vector<Extent> const& index) { seen.push_back(index); });
    return seen;
}
}  // namespace

TEST_CASE("a box knows its ends and elements", "[lib][base][box]") {
    Box const box{{0, 2}, {4, 3}};
    CHECK(box.order() == 2);
    CHECK(box.end(0) == 4);
    CHECK(box.end(1) == 5);
    CHECK(box.elements() == 12);
    CHECK_FALSE(box.empty());
    CHECK(Box::whole({4, 3}) == Box{{0, 0}, {4, 3}});
    CHECK(Box::whole({}).elements() == 1);
    CHECK(Box{{1, 1}, {0, 5}}.empty());
    Extent const large = Extent{1} << 32;
    CHECK_FALSE(Box{{0, 0}, {large, large}}.empty());  // its elements cannot be counted in 64 bits
}

TEST_CASE("a region is projected onto an operand's labels", "[lib][base][box]") {
    Box const region{{1, 2, 3}, {4, 5, 6}};
    CHECK(projected(region, {2, 0}) == Box{{3, 1}, {6, 4}});
    CHECK(projected(view(region), {2, 0}) == Box{{3, 1}, {6, 4}});
    CHECK(projected(region, {1, 1}) == Box{{2, 2}, {5, 5}});  // a diagonal
    CHECK(projected(Box{{1}, {4}}, {}) == Box{{}, {}});
}

TEST_CASE("intersections are what both boxes hold", "[lib][base][box]") {
    CHECK(intersection(Box{{0, 2}, {4, 3}}, Box{{3, 0}, {5, 4}}) == Box{{3, 2}, {1, 2}});
    CHECK(intersection(Box{{0}, {4}}, Box{{4}, {2}}).empty());
    CHECK(intersection(Box{{0}, {4}}, Box{{9}, {2}}).length == Shape{0});  // never negative
    CHECK(intersection(Box{}, Box{}).elements() == 1);
}

TEST_CASE("intersection agrees with counting elements one by one", "[lib][base][box]") {
    auto holds = [](Box const& box, std::vector<Extent> const& index) {
        for (std::size_t axis = 0; axis < box.order(); ++axis)
            if (index[axis] < box.begin[axis] || index[axis] >= box.end(axis)) return false;
        return true;
    };
    // All pairs of intervals within [0, 5) on one axis, one fixed pair on the other.
    for_each_index(Shape{5, 5, 5, 5}, [&](std::vector<Extent> const& p) {
        Box const a{{p[0], 1}, {std::min<Extent>(p[1], 5 - p[0]), 3}};
        Box const b{{p[2], 2}, {std::min<Extent>(p[3], 5 - p[2]), 3}};
        Extent shared = 0, in_a = 0, in_b = 0;
        for_each_index(Shape{5, 5}, [&](std::vector<Extent> const& index) {
            shared += holds(a, index) && holds(b, index);
            in_a += holds(a, index);
            in_b += holds(b, index);
        });
        CHECK(intersection(a, b).elements() == shared);
        CHECK(a.contains(b) == (shared == in_b));
        CHECK(a.elements() == in_a);
    });
}

TEST_CASE("an empty box is in every box", "[lib][base][box]") {
    CHECK(Box{{0}, {2}}.contains(Box{{7}, {0}}));
    CHECK_FALSE(Box{{0}, {2}}.contains(Box{{1}, {2}}));
    CHECK_FALSE(Box{{1}, {2}}.contains(Box{{0}, {2}}));
}

TEST_CASE("a part lies in one run where counting its elements in C order finds no gap", "[lib][base][box]") {
    Box const whole{{2, 0, 5}, {3, 2, 4}};
    auto const position = [&](std::vector<Extent> const& index) {
        return ((index[0] - 2) * 2 + index[1]) * 4 + index[2] - 5;
    };
    Parts const begins = {3, 2, 4};
    int runs = 0;
    for_each_index(begins, [&](std::vector<Extent> const& from) {
        for_each_index(begins, [&](std::vector<Extent> const& to) {
            Box part{{2 + from[0], from[1], 5 + from[2]}, {}};
            for (std::size_t axis = 0; axis < 3; ++axis) part.length.push_back(to[axis] - from[axis] + 1);
            if (part.length[0] < 1 || part.length[1] < 1 || part.length[2] < 1) return;
            std::vector<Extent> last = part.begin;
            for (std::size_t axis = 0; axis < 3; ++axis) last[axis] = part.end(axis) - 1;
            CHECK(offset_in(part, whole) == position(part.begin));
            bool const one_run = position(last) - position(part.begin) + 1 == part.elements();
            CHECK(is_one_run(part, whole) == one_run);
            runs += one_run ? 1 : 0;
        });
    });
    CHECK(runs == 6 * 10 + 3 * 1 + 3);  // parts of a row, both rows of a slab, several slabs
    CHECK(is_one_run(Box{}, Box{}));
    CHECK(offset_in(Box{}, Box{}) == 0);
}

TEST_CASE("element counts that do not fit in 63 bits are noticed", "[lib][base][box]") {
    CHECK(element_count(Shape{}) == 1);
    CHECK(element_count(Shape{4, 3, 2}) == 24);
    CHECK(element_count(Shape{Extent{1} << 40, Extent{1} << 40, 0}) == 0);
    CHECK(row_major_strides(Shape{0, Extent{1} << 40, Extent{1} << 40})[2] == 1);
    CHECK(checked_element_count(Shape{4, 3, 2}) == 24);
    CHECK(checked_element_count(Shape{}) == 1);
    CHECK(checked_element_count(Shape{Extent{1} << 31, Extent{1} << 31}) == Extent{1} << 62);
    CHECK(checked_element_count(Shape{Extent{1} << 32, Extent{1} << 31}) == std::nullopt);
    CHECK(checked_element_count(Shape{std::numeric_limits<Extent>::max(), 2}) == std::nullopt);
    CHECK(checked_element_count(Shape{Extent{1} << 40, Extent{1} << 40, 0}) == 0);  // nothing, whatever the order
}

TEST_CASE("strides are those of C order", "[lib][base][box]") {
    CHECK(row_major_strides(Shape{4, 3, 2}) == std::vector<Extent>{6, 2, 1});
    CHECK(row_major_strides(Shape{7}) == std::vector<Extent>{1});
    CHECK(row_major_strides(Shape{}).empty());
}

TEST_CASE("indices are walked in C order, once each", "[lib][base][box]") {
    CHECK(walked({2, 3}) == Indices{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
    CHECK(walked({}) == Indices{{}});
    CHECK(walked({3, 0, 2}).empty());
    CHECK(walked({1, 1}) == Indices{{0, 0}});
}

TEST_CASE("shapes print as NumPy's, boxes as slices", "[lib][base][box]") {
    CHECK(to_string(Shape{4, 3}) == "(4, 3)");
    CHECK(to_string(Shape{5}) == "(5,)");
    CHECK(to_string(Shape{}) == "()");
    CHECK(to_string(Box{{0, 2}, {4, 3}}) == "[0:4, 2:5]");
    CHECK(to_string(Box{}) == "[]");
}
