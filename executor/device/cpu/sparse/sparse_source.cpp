#include "executor/device/cpu/sparse/sparse_source.hpp"

#include <algorithm>
#include <numeric>

#include "lib/tensor/sparse/sparse_moves.hpp"

namespace ein::executor {
namespace {

/// Offsets cost as much as this many elements at most, for each that is listed. Where order is kept, which kernel runs
/// may not follow from what one call has: rows always have offsets.
constexpr Extent offsets_an_element = 4, free_offsets = 1 << 16;
bool are_affordable(KernelShape const& shape, Extent rows, Extent listed) {
    return shape.keeps_order || rows / offsets_an_element <= listed + free_offsets;
}

std::span<std::byte const> bytes_of(SparseOperand const& operand, void const* block, DType dtype) {
    auto const* const bytes = static_cast<std::byte const*>(block);
    Extent const listed = tensor::listed_in(std::span(bytes, sizeof(std::uint64_t)));
    return {bytes, static_cast<std::size_t>(tensor::sparse_bytes(operand.layout, operand.lengths, dtype, listed))};
}

}  // namespace

SparseSource::SparseSource(KernelShape const& shape, SparsePlan::Source const& source, void const* block)
    : operand_(source.operand), labels_(source.labels) {
    SparseOperand const& operand = *shape.sparse->operands[operand_];
    std::vector<int> const& axes = shape.kernel->einsum.inputs[operand_];
    DType const dtype = shape.operand_dtypes[operand_];
    value_bytes_ = size_of(dtype);
    std::span<std::byte const> bytes = bytes_of(operand, block, dtype);
    tensor::SparseLayout layout = operand.layout;
    Shape lengths = operand.lengths;
    Extent first = 0;
    bool direct = labels_ == labels_in_order(shape, operand_) && labels_.size() == axes.size();
    Box region{operand.begin, {}};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        region.length.push_back(shape.lengths[static_cast<std::size_t>(axes[axis])]);
        bool const is_compressed = layout.compressed && static_cast<int>(axis) == layout.axes.front();
        if (is_compressed) first = operand.begin[axis];
        direct = direct && (is_compressed || region.length[axis] == lengths[axis]);
    }
    if (!labels_.empty()) first_length_ = shape.lengths[static_cast<std::size_t>(labels_.front())];
    if (!direct) {
        tensor::SparseSelection selection{region, {}};
        for (int label : labels_) {
            selection.axes.emplace_back();
            for (std::size_t axis = 0; axis < axes.size(); ++axis)
                if (axes[axis] == label) selection.axes.back().push_back(static_cast<int>(axis));
        }
        tensor::SparseLayout wanted{{}, !labels_.empty()};
        for (std::size_t place = 0; place < labels_.size(); ++place) wanted.axes.push_back(static_cast<int>(place));
        if (!are_affordable(shape, first_length_, tensor::listed_in(bytes))) wanted.compressed = false;
        copy_ = tensor::select({bytes, dtype, Box::whole(operand.lengths), operand.layout}, selection, wanted);
        bytes = copy_;
        lengths = selection.lengths();
        layout = wanted;
        first = 0;
    }
    auto const listed = tensor::listed_in(bytes);
    tensor::SparseOffsets const at = tensor::sparse_offsets(layout, lengths, dtype, listed);
    narrow_ = tensor::index_bytes(lengths) == 4;
    values_ = bytes.data() + at.values;
    all_ = {0, static_cast<std::size_t>(listed)};
    for (std::size_t place = 0; place < labels_.size(); ++place) coords_.push_back(bytes.data() + at.coords[place]);
    if (!layout.compressed) {
        if (labels_.empty() || !are_affordable(shape, first_length_, listed)) return;
        made_offsets_.assign(static_cast<std::size_t>(first_length_) + 1, 0);
        for (std::size_t e = 0; e < all_.end; ++e) ++made_offsets_[static_cast<std::size_t>(index(0, e)) + 1];
        std::partial_sum(made_offsets_.begin(), made_offsets_.end(), made_offsets_.begin());
        coords_[0] = nullptr;
        offsets_ = made_offsets_.data();
        return;
    }
    coords_[0] = nullptr;
    offsets_ = reinterpret_cast<std::uint64_t const*>(bytes.data() + at.offsets) + first;
    all_ = {static_cast<std::size_t>(offsets_[0]), static_cast<std::size_t>(offsets_[first_length_])};
}

std::size_t SparseSource::sought_before(Extent index) const {
    if (labels_.empty()) return index == 0 ? all_.begin : all_.end;
    std::size_t low = all_.begin, high = all_.end;
    while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        if (this->index(0, middle) < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Extent SparseSource::first_index(std::size_t e) const {
    if (!compressed()) return index(0, e);
    auto const* const after = std::upper_bound(offsets_, offsets_ + first_length_ + 1, e);
    return after - offsets_ - 1;
}

SparseSource::Range SparseSource::narrowed(Range range, std::size_t place, Extent wanted) const {
    std::size_t low = range.begin, high = range.end;
    while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        if (index(place, middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    std::size_t last = low;  // they are few, mostly
    for (std::size_t step = 1; last < range.end && index(place, last) == wanted; step *= 2)
        last = std::min(range.end, last + step);
    high = last;
    last = low;
    while (last < high) {
        std::size_t const middle = last + (high - last) / 2;
        if (index(place, middle) <= wanted)
            last = middle + 1;
        else
            high = middle;
    }
    return {low, last};
}

SparseSource::Range SparseSource::matching(std::span<Extent const> at, std::size_t bound) const {
    Range range = all_;
    std::size_t place = 0;
    if (bound > 0 && compressed()) range = row(at[static_cast<std::size_t>(labels_[place++])]);
    for (; place < bound && !range.empty(); ++place)
        range = narrowed(range, place, at[static_cast<std::size_t>(labels_[place])]);
    return range;
}

int SparseSource::compare(std::size_t e, std::span<Extent const> at, std::size_t from) const {
    for (std::size_t place = from; place < labels_.size(); ++place) {
        Extent const here = index(place, e), wanted = at[static_cast<std::size_t>(labels_[place])];
        if (here != wanted) return here < wanted ? -1 : 1;
    }
    return 0;
}

std::size_t SparseSource::find(std::span<Extent const> at, std::size_t hint) const {
    Range const range = compressed() ? row(at[static_cast<std::size_t>(labels_.front())]) : all_;
    std::size_t const from = compressed() ? 1 : 0;
    std::size_t low = range.begin, high = range.end;
    if (hint >= low && hint < high && compare(hint, at, from) <= 0) {  // it is at the hint or soon after
        low = hint;
        std::size_t step = 1;
        while (low + step < high && compare(low + step, at, from) <= 0) {
            low += step;
            step *= 2;
        }
        high = std::min(high, low + step);
    }
    while (low < high) {
        std::size_t const middle = low + (high - low) / 2;
        int const order = compare(middle, at, from);
        if (order == 0) return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return nowhere;
}

}  // namespace ein::executor
