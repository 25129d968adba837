// Which elements of a tensor are verified: all, or some at positions that depend on the shape alone.
#pragma once

#include <cstdint>
#include <string>

#include "lib/relation/interpret.hpp"

namespace ein::relation {

IndexSets all_indices(Shape const& shape);

/// At least `count` positions of a tensor, where it has so many, and not many more: a product of index sets, with first
/// and last of each axis where there is room.
IndexSets sampled_indices(Shape const& shape, std::int64_t count);

/// How many indices each axis has.
Shape counts_of(IndexSets const& indices);

/// The index of an element of the sample in the tensor. @param linear  its C-order position in the sample
std::vector<Extent> index_of(IndexSets const& indices, Extent linear);

}  // namespace ein::relation
