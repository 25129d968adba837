#include "lib/tensor/sparse/sparse_block.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "lib/base/error.hpp"
#include "lib/tensor/sparse/sparse_moves.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using tensor::ListedElements;
using tensor::SparseLayout;

namespace {

std::vector<std::byte> block_of(ListedElements const& elements, Box const& box, SparseLayout const& layout) {
    std::vector<std::byte> out(
        static_cast<std::size_t>(tensor::sparse_bytes(layout, box.length, DType::f32, elements.count(DType::f32))));
    Extent const listed = tensor::write_sparse_block(elements, DType::f32, box, layout, out);
    out.resize(static_cast<std::size_t>(tensor::sparse_bytes(layout, box.length, DType::f32, listed)));
    return out;
}

/// Every element with probability 1/3, in no order.
ListedElements drawn(Shape const& shape, std::mt19937& random) {
    std::vector<std::vector<Extent>> at;
    for_each_index(shape, [&](std::vector<Extent> const& index) {
        if (random() % 3 == 0) at.push_back(index);
    });
    std::shuffle(at.begin(), at.end(), random);
    ListedElements out;
    out.coords.resize(shape.size());
    out.values.resize(at.size() * 4);
    for (std::size_t e = 0; e < at.size(); ++e) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) out.coords[axis].push_back(at[e][axis]);
        auto const value = static_cast<float>(element_count(shape) + static_cast<Extent>(random() % 1000));
        std::memcpy(out.values.data() + e * 4, &value, 4);
    }
    return out;
}

std::vector<float> dense_of(ListedElements const& elements, Shape const& shape) {
    std::vector<float> out(static_cast<std::size_t>(element_count(shape)), 0);
    std::vector<Extent> const strides = row_major_strides(shape);
    for (std::size_t e = 0; e < static_cast<std::size_t>(elements.count(DType::f32)); ++e) {
        Extent at = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) at += strides[axis] * elements.coords[axis][e];
        std::memcpy(&out[static_cast<std::size_t>(at)], elements.values.data() + e * 4, 4);
    }
    return out;
}

}  // namespace

TEST_CASE("some elements of a block are those of all", "[lib][tensor][sparse]") {
    std::mt19937 random(3);
    Box const box{{2, 0, 1}, {5, 4, 3}};
    for (int k = 0; k < 200; ++k) {
        SparseLayout layout{{0, 1, 2}, random() % 2 == 0};
        std::shuffle(layout.axes.begin(), layout.axes.end(), random);
        std::vector<std::byte> const block = block_of(drawn({9, 4, 5}, random), box, layout);
        ListedElements const all = tensor::elements_of(block, DType::f32, box, layout);
        Extent const listed = all.count(DType::f32);
        Extent const first = static_cast<Extent>(random() % static_cast<std::uint32_t>(listed + 1));
        Extent const count = static_cast<Extent>(random() % static_cast<std::uint32_t>(listed - first + 1));
        ListedElements const some = tensor::elements_of(block, DType::f32, box, layout, first, count);
        CAPTURE(k, first, count, listed);
        for (std::size_t axis = 0; axis < 3; ++axis)
            CHECK(std::equal(some.coords[axis].begin(), some.coords[axis].end(), all.coords[axis].begin() + first,
                             all.coords[axis].begin() + first + count));
        CHECK(std::equal(some.values.begin(), some.values.end(), all.values.begin() + 4 * first,
                         all.values.begin() + 4 * (first + count)));
    }
}

TEST_CASE("a sparse block lies as its header says") {
    ListedElements elements{{{3, 2}, {0, 5}}, std::vector<std::byte>(8)};
    float const values[2] = {9, 7};
    std::memcpy(elements.values.data(), values, 8);
    Box const box{{2, 0}, {2, 6}};
    std::vector<std::byte> const block = block_of(elements, box, {{0, 1}, true});
    CHECK(block.size() == 8 + 3 * 8 + 2 * 4 + 2 * 4);
    CHECK(tensor::listed_in(block) == 2);
    std::uint64_t offsets[3];
    std::uint32_t columns[2];
    float held[2];
    std::memcpy(offsets, block.data() + 8, 24);
    std::memcpy(columns, block.data() + 32, 8);
    std::memcpy(held, block.data() + 40, 8);
    CHECK((offsets[0] == 0 && offsets[1] == 1 && offsets[2] == 2));
    CHECK((columns[0] == 5 && columns[1] == 0));
    CHECK((held[0] == 7 && held[1] == 9));
}

TEST_CASE("nothing is written of a block that has more elements than room", "[lib][tensor][sparse]") {
    ListedElements const elements{{{3, 2, 2}, {0, 5, 1}}, std::vector<std::byte>(12, std::byte{1})};
    Box const box{{2, 0}, {2, 6}};
    tensor::SparseLayout const layout{{0, 1}, true};
    auto const refused = [&](auto&& write) {
        std::vector<std::byte> room(static_cast<std::size_t>(tensor::sparse_bytes(layout, box.length, DType::f32, 1)));
        std::vector<std::byte> const before = room;
        Extent listed = 0;
        try {
            write(std::span(room));
        } catch (tensor::SparseRoomError const& error) {
            listed = error.listed();
        }
        CHECK(listed == 3);
        CHECK(room == before);
    };
    refused([&](auto room) { tensor::write_sparse_block(elements, DType::f32, box, layout, room); });
    std::vector<std::uint64_t> const keys{1, 5, 6};
    refused([&](auto room) { tensor::write_sorted_block(keys, elements.values, DType::f32, box, true, room); });
    std::vector<std::byte> const block = block_of(elements, box, layout);
    tensor::SparseBlockView const view{block, DType::f32, box, layout};
    refused([&](auto room) { tensor::assemble(std::vector{view}, box, layout, room); });
    tensor::SparseLayout const turned{{1, 0}, false};
    refused([&](auto room) { tensor::select(view, tensor::SparseSelection::of(box), turned, room.first(24)); });
}

TEST_CASE("blocks of any layout give back what they were made of") {
    std::mt19937 random(7);
    for (Shape const& shape :
         {Shape{}, Shape{1}, Shape{0, 3}, Shape{9}, Shape{7, 5}, Shape{3, 4, 5}, Shape{2, 3, 2, 4}}) {
        ListedElements const all = drawn(shape, random);
        std::vector<int> axes(shape.size());
        std::iota(axes.begin(), axes.end(), 0);
        do {
            for (bool compressed : {true, false}) {
                if (shape.empty() && compressed) continue;
                SparseLayout const layout{axes, compressed};
                Box const box = Box::whole(shape);
                std::vector<std::byte> const block = block_of(all, box, layout);
                CHECK_NOTHROW(tensor::check_sparse_block(block, DType::f32, box, layout));
                CHECK(dense_of(tensor::elements_of(block, DType::f32, box, layout), shape) == dense_of(all, shape));
            }
        } while (std::next_permutation(axes.begin(), axes.end()));
    }
}

TEST_CASE("a block that is written slab by slab is the same", "[lib][tensor][sparse]") {
    std::mt19937 random(6);
    Box const box{{1, 2, 0}, {6, 5, 4}};
    for (int round = 0; round < 60; ++round) {
        ListedElements const elements = drawn({8, 8, 6}, random);
        SparseLayout layout{{0, 1, 2}, random() % 2 == 0};
        std::shuffle(layout.axes.begin(), layout.axes.end(), random);
        std::vector<std::byte> const whole = block_of(elements, box, layout);
        std::vector<std::byte> slabs(whole.size());
        tensor::SlabWriter writer(box, layout, DType::f32, tensor::listed_in(whole), slabs);
        auto const axis = static_cast<std::size_t>(layout.axes[0]);
        Box slab = box;
        for (Extent at = 0; at < box.length[axis]; at += slab.length[axis]) {
            slab.begin[axis] = box.begin[axis] + at;
            slab.length[axis] = std::min<Extent>(1 + static_cast<Extent>(random() % 3), box.length[axis] - at);
            writer.add(elements, slab);
        }
        CHECK(writer.finish() == static_cast<std::int64_t>(whole.size()));
        CHECK(slabs == whole);
    }
    std::vector<std::byte> few(200);
    ListedElements const elements = drawn({8, 8, 6}, random);
    SparseLayout const layout = tensor::in_order(3);
    tensor::SlabWriter writer(box, layout, DType::f32, 1, few);
    CHECK_THROWS_AS(writer.finish(), InternalError);
    CHECK_THROWS_AS(writer.add(elements, box), InternalError);
}

TEST_CASE("boxes together list what the tensor lists") {
    std::mt19937 random(8);
    Shape const shape{10, 9};
    ListedElements const all = drawn(shape, random);
    Extent listed = 0;
    for (Box const& box : {Box{{0, 0}, {4, 9}}, Box{{4, 0}, {6, 2}}, Box{{4, 2}, {6, 7}}}) {
        std::vector<std::byte> const block = block_of(all, box, {{1, 0}, true});
        CHECK_NOTHROW(tensor::check_sparse_block(block, DType::f32, box, {{1, 0}, true}));
        listed += tensor::listed_in(block);
    }
    CHECK(listed == all.count(DType::f32));
}

TEST_CASE("a damaged sparse block is found") {
    std::mt19937 random(9);
    Box const box = Box::whole({6, 5});
    SparseLayout const layout{{0, 1}, true};
    std::vector<std::byte> const sound = block_of(drawn({6, 5}, random), box, layout);
    auto damaged = [&](std::size_t at, unsigned char value) {
        std::vector<std::byte> block = sound;
        block[at] = std::byte{value};
        return block;
    };
    CHECK_THROWS_AS(tensor::check_sparse_block(damaged(0, 250), DType::f32, box, layout), InternalError);
    CHECK_THROWS_AS(tensor::check_sparse_block(damaged(8, 1), DType::f32, box, layout), InternalError);
    CHECK_THROWS_AS(tensor::check_sparse_block(damaged(8 + 56, 200), DType::f32, box, layout), InternalError);
    CHECK_THROWS_AS(tensor::check_sparse_block(std::span(sound).first(40), DType::f32, box, layout), InternalError);
}

TEST_CASE("elements that are sorted already make the same block", "[lib][tensor][sparse]") {
    std::mt19937 random(5);
    for (Shape const& shape : {Shape{}, Shape{7}, Shape{6, 9}, Shape{4, 5, 3}, Shape{3, 0, 2}, Shape{0, 4}})
        for (bool compressed : {false, true}) {
            if (shape.empty() && compressed) continue;
            SparseLayout layout = tensor::in_order(shape.size());
            layout.compressed = compressed;
            Box const box{std::vector<Extent>(shape.size(), 2), shape};
            ListedElements elements = drawn(shape, random);
            for (std::vector<Extent>& axis : elements.coords)
                for (Extent& index : axis) index += 2;
            std::vector<std::byte> const expected = block_of(elements, box, layout);
            ListedElements const sorted = tensor::elements_of(expected, DType::f32, box, layout);
            std::vector<std::uint64_t> keys;
            for (std::size_t e = 0; e < static_cast<std::size_t>(sorted.count(DType::f32)); ++e) {
                std::uint64_t key = 0;
                for (std::size_t axis = 0; axis < shape.size(); ++axis)
                    key = key * static_cast<std::uint64_t>(shape[axis]) +
                          static_cast<std::uint64_t>(sorted.coords[axis][e] - 2);
                keys.push_back(key);
            }
            CAPTURE(to_string(shape), compressed);
            std::vector<std::byte> found(expected.size());
            CHECK(tensor::write_sorted_block(keys, sorted.values, DType::f32, box, compressed, found) ==
                  static_cast<std::int64_t>(expected.size()));
            CHECK(found == expected);
        }
}
