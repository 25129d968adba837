#include "lib/tensor/sparse/output/sparse_places.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::tensor {
namespace {

bool has_all_columns(Box const& box, Shape const& shape) { return box.length[1] == shape[1]; }

}  // namespace

BlockCounts counts_of(std::span<std::byte const> block, DType dtype, Box const& box, SparseLayout const& layout,
                      Shape const& shape) {
    BlockCounts out{box, listed_in(block), {}};
    if (shape.size() != 2 || has_all_columns(box, shape)) return out;
    out.rows.resize(static_cast<std::size_t>(box.length[0]));
    ListedElements const elements = elements_of(block, dtype, box, layout);
    for (Extent row : elements.coords[0]) ++out.rows[static_cast<std::size_t>(row - box.begin[0])];
    return out;
}

SparsePlaces::SparsePlaces(Shape shape, std::vector<BlockCounts> blocks)
    : shape_(std::move(shape)), blocks_(std::move(blocks)) {
    std::erase_if(blocks_, [](BlockCounts const& block) {
        return std::find(block.box.length.begin(), block.box.length.end(), 0) != block.box.length.end();
    });
    std::sort(blocks_.begin(), blocks_.end(),
              [](BlockCounts const& a, BlockCounts const& b) { return a.box.begin < b.box.begin; });
    Extent end = 0;  // of the rows of the last band
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        Box const& box = blocks_[k].box;
        if (k == 0 || !is_matrix() || box.begin[0] >= end) bands_.push_back({k, 0, listed_}), end = 0;
        ++bands_.back().count;
        if (is_matrix()) end = std::max(end, box.end(0));
        listed_ += blocks_[k].listed;
    }
}

SparsePlaces::Band const& SparsePlaces::band_of(Box const& box) const {
    auto const after = std::upper_bound(bands_.begin(), bands_.end(), box, [&](Box const& wanted, Band const& band) {
        Box const& first = blocks_[band.first].box;
        return is_matrix() ? wanted.begin[0] < first.begin[0] : wanted.begin < first.begin;
    });
    promise(after != bands_.begin(), "a block of the sparse output is written");
    return *(after - 1);
}

bool SparsePlaces::is_one_run(Box const& box) const { return !is_matrix() || has_all_columns(box, shape_); }

Extent SparsePlaces::begin(Box const& box) const {
    promise(is_one_run(box), "a block in one run");
    return band_of(box).begin;
}

Extent SparsePlaces::row_sum(Band const& band, Extent row, Extent column) const {
    Extent sum = 0;
    for (std::size_t k = band.first; k < band.first + band.count; ++k) {
        Box const& box = blocks_[k].box;
        if (box.begin[0] <= row && row < box.end(0) && box.begin[1] < column)
            sum += blocks_[k].rows.at(static_cast<std::size_t>(row - box.begin[0]));
    }
    return sum;
}

Extent SparsePlaces::before_row(Band const& band, Extent row) const {
    Extent sum = 0;
    for (Extent before = blocks_[band.first].box.begin[0]; before < row; ++before) sum += row_sum(band, before);
    return sum;
}

std::vector<Extent> SparsePlaces::row_begins(Box const& box) const {
    Band const& band = band_of(box);
    std::vector<Extent> out;
    Extent before = band.begin + before_row(band, box.begin[0]);
    for (Extent row = box.begin[0]; row < box.end(0); ++row) {
        out.push_back(before + row_sum(band, row, box.begin[1]));
        before += row_sum(band, row);
    }
    return out;
}

std::optional<std::vector<Extent>> SparsePlaces::row_ends(Box const& box) const {
    if (box.begin[1] != 0 || has_all_columns(box, shape_)) return std::nullopt;
    Band const& band = band_of(box);
    std::vector<Extent> out;
    Extent end = band.begin + before_row(band, box.begin[0]);
    for (Extent row = box.begin[0]; row < box.end(0); ++row) out.push_back(end += row_sum(band, row));
    return out;
}

}  // namespace ein::tensor
