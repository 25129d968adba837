// Part of a tensor: the elements at a product of index sets, one set an axis. All of an axis takes no memory.
// Example: rows {0, 3} and all columns of a (5, 2) tensor: 4 elements, C order; row 3 is at position 1.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::relation {

/// Indices along one axis, increasing.
class IndexSet {
public:
    static IndexSet all(Extent extent) { return IndexSet(extent, std::nullopt); }
    /// @throws InternalError unless `picks` are increasing and within the extent
    static IndexSet of(Extent extent, std::vector<Extent> picks);

    Extent extent() const { return extent_; }
    bool is_all() const { return !picks_; }
    Extent size() const { return picks_ ? static_cast<Extent>(picks_->size()) : extent_; }
    Extent operator[](Extent k) const { return picks_ ? (*picks_)[static_cast<std::size_t>(k)] : k; }
    bool contains(Extent index) const;
    /// Where an index of the set is in it.
    Extent position(Extent index) const;
    void unite(IndexSet const& other);

private:
    IndexSet(Extent extent, std::optional<std::vector<Extent>> picks) : extent_(extent), picks_(std::move(picks)) {}

    Extent extent_ = 0;
    std::optional<std::vector<Extent>> picks_;  // nothing: all
};

using Sets = std::vector<IndexSet>;

Shape sizes_of(Sets const& sets);
Sets all_of(Shape const& shape);

struct Sampled {
    Sets sets;
    tensor::HostTensor data;  // shape: sizes_of(sets)
};

/// Copies elements one by one: for each axis the pairs (offset in `to`, offset in `from`), in elements, of what is
/// copied.
using OffsetPairs = std::vector<std::pair<Extent, Extent>>;
void copy_elements(std::vector<OffsetPairs> const& axes, std::size_t element_bytes, std::byte const* from,
                   std::byte* to);

}  // namespace ein::relation
