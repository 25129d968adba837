// What tests of sparse readers share: a reader's elements as a dense tensor, and whether any boxes of it, in any
// layout, are the parts of the whole.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "lib/base/partition.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/sparse/sparse_reader.hpp"

namespace ein::samples {

using Block = std::vector<std::byte>;

inline Block read_block(tensor::SparseReader const& reader, Box const& box, tensor::SparseLayout const& layout) {
    Extent const listed = reader.listed(box);
    Block block(static_cast<std::size_t>(tensor::sparse_bytes(layout, box.length, reader.dtype(), listed)));
    if (reader.read(box, layout, block) != static_cast<std::int64_t>(block.size())) return {};
    return block;
}

/// The elements of blocks in place, all others `rest`.
inline void scatter_block(Block const& block, Box const& box, tensor::SparseLayout const& layout,
                          tensor::HostTensor& whole) {
    tensor::ListedElements const listed = tensor::elements_of(block, whole.dtype(), box, layout);
    std::vector<Extent> const strides = row_major_strides(whole.shape());
    std::size_t const size = size_of(whole.dtype());
    for (std::size_t e = 0; e < static_cast<std::size_t>(listed.count(whole.dtype())); ++e) {
        Extent at = 0;
        for (std::size_t axis = 0; axis < strides.size(); ++axis) at += listed.coords[axis][e] * strides[axis];
        std::copy_n(listed.values.begin() + static_cast<std::ptrdiff_t>(e * size), size,
                    whole.bytes().begin() + at * static_cast<Extent>(size));
    }
}

inline Parts random_cut(Shape const& shape, std::mt19937& random) {
    Parts parts;
    for (Extent extent : shape)
        parts.push_back(1 +
                        static_cast<Extent>(random() % static_cast<std::uint32_t>(std::min<Extent>(extent + 1, 5))));
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        parts[axis] = std::clamp<Extent>(parts[axis], 1, std::max<Extent>(1, shape[axis]));
    return parts;
}

/// What is wrong with blocks of random cuts in random layouts beside the whole; "" for nothing. `prepares`: the boxes
/// are announced.
inline std::string wrong_blocks(tensor::SparseReader& reader, tensor::HostTensor const& whole,
                                tensor::HostTensor const& fill, bool prepares, std::mt19937& random) {
    Shape const& shape = reader.shape();
    tensor::SparseLayout layout;
    layout.axes.resize(shape.size());
    std::iota(layout.axes.begin(), layout.axes.end(), 0);
    std::shuffle(layout.axes.begin(), layout.axes.end(), random);
    layout.compressed = !shape.empty() && random() % 2 == 0;
    Parts const parts = random_cut(shape, random);
    std::vector<Box> boxes;
    for_each_index(parts, [&](std::vector<Extent> const& at) { boxes.push_back(block_box(shape, parts, at)); });
    std::shuffle(boxes.begin(), boxes.end(), random);
    if (prepares) reader.prepare(boxes);
    tensor::HostTensor found = fill;
    Extent sum = 0;
    for (Box const& box : boxes) {
        Block const block = read_block(reader, box, layout);
        if (block.empty()) return "another size than told of " + to_string(box);
        tensor::check_sparse_block(block, reader.dtype(), box, layout);
        sum += tensor::listed_in(block);
        scatter_block(block, box, layout, found);
    }
    if (sum != reader.listed(Box::whole(shape))) return "another count of parts than of the whole";
    return found.bytes() == whole.bytes() ? "" : "other elements";
}

}  // namespace ein::samples
