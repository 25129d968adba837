// A sparse output that lists what a sparse operand lists: its coordinates are copied, its values computed.
// Example: elements of a matrix, each times a row's number.
#pragma once

#include "executor/device/cpu/sparse/sparse_source.hpp"

namespace ein::executor {

/// The labels of a sparse output in the order of its block; nothing unless a call writes the whole of it anew.
std::optional<std::vector<int>> whole_output_labels(KernelShape const& shape);

/// Writes all of the block but its values. @param source  sorted as the block is  @return where its values belong
std::byte* copy_pattern(KernelShape const& shape, SparseSource const& source, KernelCall const& call);

}  // namespace ein::executor
