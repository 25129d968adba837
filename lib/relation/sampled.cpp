#include "lib/relation/sampled.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "lib/base/error.hpp"

namespace ein::relation {

IndexSet IndexSet::of(Extent extent, std::vector<Extent> picks) {
    bool const increasing = std::adjacent_find(picks.begin(), picks.end(), std::greater_equal<>()) == picks.end();
    promise(increasing && (picks.empty() || (picks.front() >= 0 && picks.back() < extent)),
            "an index set is not increasing or leaves its axis");
    if (static_cast<Extent>(picks.size()) == extent) return all(extent);
    return IndexSet(extent, std::move(picks));
}

bool IndexSet::contains(Extent index) const {
    if (!picks_) return index >= 0 && index < extent_;
    return std::binary_search(picks_->begin(), picks_->end(), index);
}

Extent IndexSet::position(Extent index) const {
    promise(contains(index), "an element was not computed that is needed");
    return picks_ ? std::lower_bound(picks_->begin(), picks_->end(), index) - picks_->begin() : index;
}

void IndexSet::unite(IndexSet const& other) {
    if (is_all()) return;
    if (other.is_all()) {
        picks_.reset();
        return;
    }
    std::vector<Extent> both;
    std::set_union(picks_->begin(), picks_->end(), other.picks_->begin(), other.picks_->end(),
                   std::back_inserter(both));
    *this = of(extent_, std::move(both));
}

Shape sizes_of(Sets const& sets) {
    Shape sizes;
    for (IndexSet const& set : sets) sizes.push_back(set.size());
    return sizes;
}

Sets all_of(Shape const& shape) {
    Sets sets;
    for (Extent extent : shape) sets.push_back(IndexSet::all(extent));
    return sets;
}

namespace {
template <std::size_t Bytes>
void copy_row(OffsetPairs const& row, std::byte const* from, std::byte* to) {
    for (auto const& [into, out_of] : row)
        std::memcpy(to + static_cast<std::size_t>(into) * Bytes, from + static_cast<std::size_t>(out_of) * Bytes,
                    Bytes);
}

void copy_row(OffsetPairs const& row, std::size_t bytes, std::byte const* from, std::byte* to) {
    switch (bytes) {
        case 1: return copy_row<1>(row, from, to);
        case 2: return copy_row<2>(row, from, to);
        case 4: return copy_row<4>(row, from, to);
        case 8: return copy_row<8>(row, from, to);
        case 16: return copy_row<16>(row, from, to);
        default: throw InternalError("no dtype has this size");
    }
}
}  // namespace

void copy_elements(std::vector<OffsetPairs> const& axes, std::size_t element_bytes, std::byte const* from,
                   std::byte* to) {
    if (axes.empty()) {
        std::memcpy(to, from, element_bytes);
        return;
    }
    Shape outer;
    for (std::size_t axis = 0; axis + 1 < axes.size(); ++axis) outer.push_back(static_cast<Extent>(axes[axis].size()));
    for_each_index(outer, [&](std::vector<Extent> const& at) {
        Extent into = 0, out_of = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            auto const& [a, b] = axes[axis][static_cast<std::size_t>(at[axis])];
            into += a;
            out_of += b;
        }
        copy_row(axes.back(), element_bytes, from + static_cast<std::size_t>(out_of) * element_bytes,
                 to + static_cast<std::size_t>(into) * element_bytes);
    });
}

}  // namespace ein::relation
