// A sparse output: what pieces of a kernel list, put together, combined with what the block holds, and written.
// Example: pieces that list rows 0 to 4 and 5 to 9 make a block without being sorted.
#pragma once

#include "executor/device/cpu/sparse/result_store.hpp"

namespace ein::executor {

/// @param pieces  in the order in which they were cut; coordinates are the block's, values of the output's dtype
void write_listed(std::span<tensor::ListedElements> pieces, KernelShape const& shape, KernelCall const& call,
                  Aggregator const& aggregator, DType accumulate);

/// A sparse output of which is known how much each row lists, to be filled by many threads.
struct ListedRows {
    std::vector<std::byte*> coords;  // by place of the layout; of the first none
    std::byte* values = nullptr;
};
/// Writes all of a compressed block but coordinates and values. @param offsets  where each row begins, and the end
/// @throws tensor::SparseRoomError
ListedRows begin_rows(KernelShape const& shape, KernelCall const& call, std::span<std::uint64_t const> offsets);

}  // namespace ein::executor
