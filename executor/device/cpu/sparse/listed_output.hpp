// A sparse output: what pieces of a kernel list, put together, combined with what the block holds, and written.
// Example: pieces that list rows 0 to 4 and 5 to 9 make a block without being sorted.
#pragma once

#include "executor/device/cpu/sparse/result_store.hpp"

namespace ein::executor {

/// @param pieces  in the order in which they were cut; coordinates are the block's, values of the output's dtype
void write_listed(std::span<tensor::ListedElements> pieces, KernelShape const& shape, KernelCall const& call,
                  Aggregator const& aggregator, DType accumulate);

}  // namespace ein::executor
