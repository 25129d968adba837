// An index out of range that a kernel met: which tensor has it, and where. Kernels say the index alone.
// Example: "tensor 'tok': expected an index from -6 to 5, found 9 at [1, 0]; correct the tensor of indices: ...".
#pragma once

#include <optional>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// The first element of a block of indices that is none of an extent.
/// @param indices  the block that the task looks indices up in, in this process's memory
std::optional<Fault> wrong_index(schedule::Header const& header, schedule::Section const& section,
                                 schedule::Task const& task, void const* indices, std::int64_t extent);

/// The tasks that look up indices of an input, and the extent that they look them up in: a GPU says a wrong one late,
/// and not where it is, so these are looked at before, where the host has them.
std::unordered_map<TaskId, std::int64_t> input_indices(schedule::Header const& header,
                                                       schedule::Section const& section);

/// The fault of an index that a kernel found. @param indices  the block that the task looks indices up in, in this
/// process's memory
Fault index_fault(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task,
                  void const* indices, scalar::PositionError const& error);

}  // namespace ein::executor
