// Sorting by whole numbers, stable: what is sorted already costs one look at each.
// Example: sorted_order of 5, 2, 5 is 1, 0, 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ein::tensor {

/// The places of the keys in ascending order of key; of equal keys, the first one first. Nothing where they are in
/// ascending order as they stand.
std::vector<std::size_t> sorted_order(std::span<std::uint64_t const> keys);

}  // namespace ein::tensor
