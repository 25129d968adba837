// Moving what sparse blocks list where it comes in the order in which the result lists it: it is counted, then copied
// to its place, with no room on the way and nothing to sort. What has to be sorted is left to sparse_moves.cpp.
// Example: rows 3 to 9 of a matrix compressed by rows, from the last to the first, with columns 2 to 5: a run a row.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/tensor/sparse/block_reader.hpp"

namespace ein::tensor {

/// What is taken of a block, and where it comes.
struct MovedPart {
    SparseBlockView view;
    Box region;                      // in the tensor's indices
    RowStep rows;                    // of a compressed axis
    std::vector<IndexPlace> places;  // by axis of the result
};

/// The block of all parts, which do not overlap. @return how many it lists; nothing where elements have to be sorted:
/// then nothing is written
std::optional<Extent> move_in_order(std::vector<MovedPart> parts, Shape const& lengths, SparseLayout const& layout,
                                    DType dtype, std::span<std::byte> out);

}  // namespace ein::tensor
