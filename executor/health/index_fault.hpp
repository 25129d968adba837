// An index out of range that a kernel met: which tensor has it, and where. Kernels say the index alone.
// Example: "tensor 'tok': expected an index from -6 to 5, found 9 at [1, 0]; correct the tensor of indices: ...".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "executor/device/index_error.hpp"
#include "lib/base/error.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// The first element of a block of indices that is none of an extent. @param elements  the block, in this process's
/// memory
std::optional<Fault> wrong_index(schedule::Header const& header, schedule::Section const& section, BlockId indices,
                                 void const* elements, std::int64_t extent);

/// By task, the blocks of inputs that it looks up as indices, and of which extent: a GPU reports a wrong one late, so
/// these are looked at before, where the host has them.
struct LookedUp {
    BlockId block;
    std::int64_t extent;
};
using InputIndices = std::unordered_map<TaskId, std::vector<LookedUp>>;
InputIndices input_indices(schedule::Header const& header, schedule::Section const& section);

/// "tensor 'tok'"
std::string tensor_text(schedule::Header const& header, schedule::Block const& block);

/// The fault of an index that a kernel found in this process's memory. @param name  what an operand of the call is
using NameOfOperand = std::function<std::string(int operand)>;
Fault index_fault(KernelShape const& shape, KernelCall const& call, scalar::PositionError const& error,
                  NameOfOperand const& name);

/// The fault of an index that a kernel of a task found on a device with memory of its own.
Fault index_fault(schedule::Header const& header, schedule::Section const& section, IndexError::Met const& met);

}  // namespace ein::executor
