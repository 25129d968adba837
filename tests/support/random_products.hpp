// Random EinGraph files of products and sums of every dtype and aggregation over labels that no tile divides, of
// extents 1 and 0 too: batches, transposed operands, diagonals, the same operand twice. The same seed gives the same
// file. Example: "aij,jabk->kabi" of bf16 with 33, 1, 65 and 17 indices, under max.
#pragma once

#include <cstdint>

#include "lib/base/json.hpp"

namespace ein::test {

Json random_products(std::uint64_t seed);

/// The same with masks of labels: offsets, bands and parities, and, or, not of such, in every place of a join, prefixes
/// and suffixes among them. Example: where([i] + 2 <= [j] && !([j] == 3), x*y, 0).
Json random_masks(std::uint64_t seed);

}  // namespace ein::test
