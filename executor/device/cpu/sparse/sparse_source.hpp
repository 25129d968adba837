// A sparse operand of one launch: what it lists in the region that is read, sorted by labels in a wanted order. The
// block itself where it lies so already, else a copy. Elements are numbered in that order.
// Example: rows 2 to 5 of a compressed matrix are read where they are; its transpose is sorted first.
#pragma once

#include <cstring>

#include "executor/device/cpu/sparse/sparse_plan.hpp"

namespace ein::executor {

class SparseSource {
public:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
    /// Elements from one number to another.
    struct Range {
        std::size_t begin = 0, end = 0;
        bool empty() const { return begin == end; }
    };

    SparseSource(KernelShape const& shape, SparsePlan::Source const& source, void const* block);

    std::size_t operand() const { return operand_; }
    std::vector<int> const& labels() const { return labels_; }
    Range all() const { return all_; }
    /// Whether elements are found by the first label: of all but those whose first label is far longer than what is
    /// listed, where order is not kept.
    bool compressed() const { return offsets_ != nullptr; }
    /// Of those whose first label has this index; compressed ones alone.
    Range row(Extent index) const {
        return {static_cast<std::size_t>(offsets_[index]), static_cast<std::size_t>(offsets_[index + 1])};
    }
    Extent rows() const { return first_length_; }
    /// Where rows begin; of compressed ones alone.
    std::uint64_t const* offsets() const { return offsets_; }
    /// How many elements come before those whose first label has this index or a larger one; 0 of order 0.
    std::size_t before(Extent index) const {
        return compressed() ? static_cast<std::size_t>(offsets_[index]) : sought_before(index);
    }
    /// The index of the first label of the first element from number `e` on.
    Extent first_index(std::size_t e) const;
    /// The index of a label but a compressed first one.
    Extent index(std::size_t place, std::size_t e) const {
        return narrow_ ? static_cast<Extent>(static_cast<std::uint32_t const*>(coords_[place])[e])
                       : static_cast<Extent>(static_cast<std::uint64_t const*>(coords_[place])[e]);
    }
    std::uint32_t const* narrow_indices(std::size_t place) const {
        return narrow_ ? static_cast<std::uint32_t const*>(coords_[place]) : nullptr;
    }
    /// Those whose first `bound` labels have these indices. @param at  by label of the EinSum
    Range matching(std::span<Extent const> at, std::size_t bound) const;
    /// The one whose labels have these indices. @param hint  one that was found before, near it
    std::size_t find(std::span<Extent const> at, std::size_t hint) const;
    std::byte const* value(std::size_t e) const { return values_ + e * value_bytes_; }
    std::byte const* values() const { return values_; }
    std::size_t value_bytes() const { return value_bytes_; }

private:
    std::size_t sought_before(Extent index) const;
    Range narrowed(Range range, std::size_t place, Extent index) const;
    int compare(std::size_t e, std::span<Extent const> at, std::size_t from) const;

    std::size_t operand_;
    std::vector<int> labels_;
    std::vector<std::byte> copy_;
    std::vector<std::uint64_t> made_offsets_;
    std::uint64_t const* offsets_ = nullptr;  // of the region's first index
    std::vector<void const*> coords_;         // by place
    bool narrow_ = true;
    std::byte const* values_ = nullptr;
    std::size_t value_bytes_ = 0;
    Extent first_length_ = 1;
    Range all_;
};

}  // namespace ein::executor
