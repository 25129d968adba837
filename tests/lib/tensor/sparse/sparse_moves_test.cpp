#include "lib/tensor/sparse/sparse_moves.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

#include "tests/support/catch.hpp"

using namespace ein;
using tensor::ListedElements;
using tensor::SparseBlockView;
using tensor::SparseLayout;
using tensor::SparseSelection;

namespace {

using Places = std::map<std::vector<Extent>, std::int16_t>;  // of the whole tensor

Places drawn(Box const& box, double density, std::mt19937& random) {
    Places out;
    for_each_index(box.length, [&](std::vector<Extent> const& index) {
        if (static_cast<double>(random() % 1000) >= density * 1000) return;
        std::vector<Extent> at(index);
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += box.begin[axis];
        out[at] = static_cast<std::int16_t>(random() % 1000 + 1);
    });
    return out;
}

SparseLayout random_layout(std::size_t order, std::mt19937& random) {
    SparseLayout layout;
    layout.axes.resize(order);
    std::iota(layout.axes.begin(), layout.axes.end(), 0);
    std::shuffle(layout.axes.begin(), layout.axes.end(), random);
    layout.compressed = order > 0 && random() % 3 != 0;
    return layout;
}

std::vector<std::byte> block_of(Places const& places, Box const& box, SparseLayout const& layout) {
    ListedElements elements;
    elements.coords.resize(box.order());
    for (auto const& [at, value] : places) {
        for (std::size_t axis = 0; axis < at.size(); ++axis) elements.coords[axis].push_back(at[axis]);
        elements.values.resize(elements.values.size() + 2);
        std::memcpy(elements.values.data() + elements.values.size() - 2, &value, 2);
    }
    std::vector<std::byte> out(static_cast<std::size_t>(
        tensor::sparse_bytes(layout, box.length, DType::i16, static_cast<Extent>(places.size()))));
    tensor::write_sparse_block(elements, DType::i16, box, layout, out);
    return out;
}

Places places_of(std::span<std::byte const> block, Box const& box, SparseLayout const& layout) {
    tensor::check_sparse_block(block, DType::i16, box, layout);
    ListedElements const elements = tensor::elements_of(block, DType::i16, box, layout);
    Places out;
    for (std::size_t e = 0; e < static_cast<std::size_t>(elements.count(DType::i16)); ++e) {
        std::vector<Extent> at;
        for (std::vector<Extent> const& coords : elements.coords) at.push_back(coords[e]);
        std::memcpy(&out[at], elements.values.data() + e * 2, 2);
    }
    return out;
}

Box random_box(std::size_t order, Extent longest, std::mt19937& random) {
    Box box;
    for (std::size_t axis = 0; axis < order; ++axis) {
        box.begin.push_back(static_cast<Extent>(random() % 4));
        box.length.push_back(static_cast<Extent>(random() % static_cast<unsigned>(longest)));
    }
    return box;
}

Box random_part(Box const& box, std::mt19937& random) {
    Box part = box;
    for (std::size_t axis = 0; axis < box.order(); ++axis) {
        Extent const cut = box.length[axis] == 0 ? 0 : static_cast<Extent>(random()) % box.length[axis];
        part.begin[axis] += cut;
        part.length[axis] = static_cast<Extent>(random()) % (box.length[axis] - cut + 1);
    }
    return part;
}

}  // namespace

TEST_CASE("a selection lists what lies in its region, in any order", "[tensor][sparse]") {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        std::size_t const order = random() % 5;
        Extent const longest = order == 1 ? 40000 : order == 2 ? 150 : order == 3 ? 25 : 9;
        Box const box = random_box(order, longest, random);
        SparseLayout const from = random_layout(order, random), to = random_layout(order, random);
        Places const all = drawn(box, round % 4 == 0 ? 1 : 0.3, random);
        std::vector<std::byte> const block = block_of(all, box, from);
        Box const region = round % 2 == 0 ? box : random_part(box, random);
        SparseBlockView const view{block, DType::i16, box, from};
        std::vector<std::byte> const found = tensor::select(view, SparseSelection::of(region), to);
        Places inside;
        for (auto const& [at, value] : all) {
            bool in = true;
            for (std::size_t axis = 0; axis < order; ++axis)
                in = in && at[axis] >= region.begin[axis] && at[axis] < region.end(axis);
            if (in) inside[at] = value;
        }
        CAPTURE(round, to_string(box), to_string(region));
        CHECK(places_of(found, region, to) == inside);
        CHECK(tensor::listed_in(view, region) == static_cast<Extent>(inside.size()));
        std::vector<std::byte> reserved(found.size() + 24);
        CHECK(tensor::select(view, SparseSelection::of(region), to, reserved) == static_cast<Extent>(inside.size()));
        reserved.resize(found.size());
        CHECK(reserved == found);
    }
}

TEST_CASE("a selection takes diagonals", "[tensor][sparse]") {
    std::mt19937 random(6);
    for (int round = 0; round < 60; ++round) {
        Box const box = random_box(3, 12, random);
        SparseLayout const from = random_layout(3, random), to = random_layout(2, random);
        Places const all = drawn(box, 0.5, random);
        std::vector<std::byte> const block = block_of(all, box, from);
        SparseSelection const diagonal{box, {{1}, {0, 2}}};
        std::vector<std::byte> const found = tensor::select({block, DType::i16, box, from}, diagonal, to);
        Places expected;
        for (auto const& [at, value] : all)
            if (at[0] - box.begin[0] == at[2] - box.begin[2])
                expected[{at[1] - box.begin[1], at[0] - box.begin[0]}] = value;
        CHECK(places_of(found, Box::whole(diagonal.lengths()), to) == expected);
    }
}

TEST_CASE("parts of a box are put together again", "[tensor][sparse]") {
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        std::size_t const order = 1 + random() % 3;
        Box const box = random_box(order, order == 1 ? 9000 : 20, random);
        Places const all = drawn(box, 0.4, random);
        SparseLayout const from = random_layout(order, random), to = random_layout(order, random);
        std::vector<std::byte> const block = block_of(all, box, from);
        std::size_t const axis = random() % order;
        Extent const cut = static_cast<Extent>(random()) % (box.length[axis] + 1);
        Box first = box, second = box;
        first.length[axis] = cut;
        second.begin[axis] += cut;
        second.length[axis] -= cut;
        SparseLayout const one = random_layout(order, random), other = random_layout(order, random);
        std::vector<std::byte> const a =
            tensor::select({block, DType::i16, box, from}, SparseSelection::of(first), one);
        std::vector<std::byte> const b =
            tensor::select({block, DType::i16, box, from}, SparseSelection::of(second), other);
        std::vector<SparseBlockView> const parts{{b, DType::i16, second, other}, {a, DType::i16, first, one}};
        std::vector<std::byte> const whole = block_of(all, box, to);
        std::vector<std::byte> out(whole.size());
        CHECK(tensor::assemble(parts, box, to, out) == static_cast<Extent>(all.size()));
        CHECK(out == whole);
        Box const part = random_part(box, random);
        std::vector<std::byte> const expected =
            tensor::select({block, DType::i16, box, from}, SparseSelection::of(part), to);
        out.assign(out.size() + 64, std::byte{0});
        out.resize(std::max(out.size(), expected.size()));
        tensor::assemble(parts, part, to, out);
        out.resize(expected.size());
        CHECK(out == expected);
    }
}

TEST_CASE("parts of a grid in one order are put together row by row", "[tensor][sparse]") {
    std::mt19937 random(8);
    for (int round = 0; round < 60; ++round) {
        std::size_t const order = 2 + random() % 2;
        Box const box = random_box(order, 20, random);
        Places const all = drawn(box, 0.4, random);
        SparseLayout layout = random_layout(order, random);
        layout.compressed = true;
        std::vector<std::byte> const block = block_of(all, box, layout);
        std::vector<std::vector<std::byte>> bytes;
        std::vector<Box> boxes;
        Shape cut;
        for (Extent length : box.length) cut.push_back(static_cast<Extent>(random()) % (length + 1));
        for (std::size_t corner = 0; corner < std::size_t{1} << order; ++corner) {
            Box part = box;
            for (std::size_t axis = 0; axis < order; ++axis) {
                bool const high = (corner >> axis & 1) != 0;
                part.begin[axis] += high ? cut[axis] : 0;
                part.length[axis] = high ? box.length[axis] - cut[axis] : cut[axis];
            }
            boxes.push_back(part);
            bytes.push_back(tensor::select({block, DType::i16, box, layout}, SparseSelection::of(part), layout));
        }
        std::vector<SparseBlockView> parts;
        for (std::size_t k = bytes.size(); k-- > 0;) parts.push_back({bytes[k], DType::i16, boxes[k], layout});
        std::vector<std::byte> out(block.size());
        CHECK(tensor::assemble(parts, box, layout, out) == static_cast<Extent>(all.size()));
        CHECK(out == block);
    }
}

namespace {

/// A block cut in two along an axis, each in some order.
struct Halves {
    std::vector<std::byte> first, second;
    std::vector<SparseBlockView> views;
    Halves(SparseBlockView const& block, std::mt19937& random) {
        std::size_t const order = block.box.order(), axis = random() % order;
        Box low = block.box, high = block.box;
        low.length[axis] = static_cast<Extent>(random()) % (block.box.length[axis] + 1);
        high.begin[axis] += low.length[axis];
        high.length[axis] -= low.length[axis];
        SparseLayout const one = random_layout(order, random), other = random_layout(order, random);
        first = tensor::select(block, SparseSelection::of(low), one);
        second = tensor::select(block, SparseSelection::of(high), other);
        views = {{second, block.dtype, high, other}, {first, block.dtype, low, one}};
    }
};

}  // namespace

TEST_CASE("elements are listed where a movement has them", "[tensor][sparse]") {
    std::mt19937 random(9);
    for (int round = 0; round < 200; ++round) {
        std::size_t const order = 1 + random() % 3;
        Box const from = random_box(order, order == 1 ? 9000 : 20, random);
        Places const all = drawn(from, 0.4, random);
        SparseLayout const layout = random_layout(order, random), to = random_layout(order, random);
        std::vector<std::byte> const block = block_of(all, from, layout);
        // A region of a result whose indices are read backwards, in steps, from anywhere.
        Box box = random_box(order, 12, random);
        Box const region = random_part(box, random);
        std::vector<tensor::IndexMap> maps;
        for (std::size_t axis = 0; axis < order; ++axis) {
            Extent const step = static_cast<Extent>(random() % 7) - 3;
            maps.push_back({from.begin[axis] + static_cast<Extent>(random() % 9) - 4, step == 0 ? 1 : step});
            maps.back().start -= maps.back().step * box.begin[axis];
        }
        Places expected;
        for_each_index(region.length, [&](std::vector<Extent> index) {
            std::vector<Extent> source(order);
            for (std::size_t axis = 0; axis < order; ++axis) {
                index[axis] += region.begin[axis];
                source[axis] = maps[axis].start + maps[axis].step * index[axis];
            }
            if (auto const found = all.find(source); found != all.end()) expected[index] = found->second;
        });
        std::vector<std::byte> const right = block_of(expected, box, to);
        std::vector<std::byte> out(right.size());
        Halves const halves({block, DType::i16, from, layout}, random);
        CHECK(tensor::relocate(halves.views, maps, region, box, to, out) == static_cast<Extent>(expected.size()));
        CHECK(out == right);
    }
}

TEST_CASE("elements are listed where a reshape has them", "[tensor][sparse]") {
    std::mt19937 random(10);
    std::vector<Shape> const shapes{{24, 10, 6}, {240, 6}, {24, 60}, {1440}, {2, 1, 720}, {6, 4, 5, 12}};
    for (int round = 0; round < 200; ++round) {
        Shape const &from = shapes[random() % shapes.size()], &to = shapes[random() % shapes.size()];
        Places const all = drawn(Box::whole(from), 0.3, random);
        SparseLayout const layout = random_layout(from.size(), random), order = random_layout(to.size(), random);
        std::vector<std::byte> const block = block_of(all, Box::whole(from), layout);
        Box const box = random_part(Box::whole(to), random);
        Places expected;
        for (auto const& [index, value] : all) {
            Extent place = 0;
            for (std::size_t axis = 0; axis < from.size(); ++axis) place = place * from[axis] + index[axis];
            std::vector<Extent> const there = index_at(to, place);
            bool inside = true;
            for (std::size_t axis = 0; axis < to.size(); ++axis)
                inside = inside && there[axis] >= box.begin[axis] && there[axis] < box.end(axis);
            if (inside) expected[there] = value;
        }
        std::vector<std::byte> const right = block_of(expected, box, order);
        std::vector<std::byte> out(right.size());
        Halves const halves({block, DType::i16, Box::whole(from), layout}, random);
        CHECK(tensor::refold(halves.views, from, to, box, order, out) == static_cast<Extent>(expected.size()));
        CHECK(out == right);
    }
}

TEST_CASE("dense and sparse blocks become one another", "[tensor][sparse]") {
    std::mt19937 random(8);
    for (int round = 0; round < 100; ++round) {
        std::size_t const order = random() % 4;
        Box const box = random_box(order, order == 1 ? 5000 : 14, random);
        SparseLayout const layout = random_layout(order, random);
        Places const all = drawn(box, 0.3, random);
        std::vector<std::byte> const block = block_of(all, box, layout);
        scalar::Scalar const fill = scalar::Scalar::of(std::int64_t{-7});
        std::vector<std::byte> dense(static_cast<std::size_t>(box.elements()) * 2);
        SparseBlockView const view{block, DType::i16, box, layout};
        tensor::densify(view, fill, box, dense);
        std::vector<Extent> const strides = row_major_strides(box.length);
        std::size_t other = 0;
        for (std::size_t at = 0; at < dense.size(); at += 2) {
            std::int16_t value = 0;
            std::memcpy(&value, &dense[at], 2);
            std::vector<Extent> index = index_at(box.length, static_cast<Extent>(at / 2));
            for (std::size_t axis = 0; axis < order; ++axis) index[axis] += box.begin[axis];
            auto const known = all.find(index);
            other += value != (known == all.end() ? -7 : known->second);
        }
        CHECK(other == 0);
        CHECK(tensor::differing(dense, DType::i16, fill) == static_cast<Extent>(all.size()));
        std::vector<std::byte> again(block.size());
        CHECK(tensor::sparsify(dense, DType::i16, box.length, fill, layout, again) == static_cast<Extent>(all.size()));
        CHECK(again == block);
        Box const region = random_part(box, random);
        std::vector<std::byte> part(static_cast<std::size_t>(region.elements()) * 2);
        tensor::densify(view, fill, region, part);
        std::vector<std::byte> const cut = tensor::select(view, SparseSelection::of(region), layout);
        std::vector<std::byte> of_cut(part.size());
        tensor::densify({cut, DType::i16, region, layout}, fill, region, of_cut);
        CHECK(part == of_cut);
    }
}

TEST_CASE("zeros of either sign and all nans are equal to a fill", "[tensor][sparse]") {
    double const values[] = {0, -0.0, 1, NAN, -NAN, HUGE_VAL};
    auto const bytes = std::as_bytes(std::span(values));
    auto const differing = [&](double fill) {
        return tensor::differing(bytes, DType::f64, scalar::Scalar::of(std::complex<double>(fill)));
    };
    CHECK(differing(0) == 4);
    CHECK(differing(NAN) == 4);
    CHECK(differing(HUGE_VAL) == 5);
    CHECK(differing(-HUGE_VAL) == 6);
}
