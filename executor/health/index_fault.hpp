// An index out of range that a kernel met: which tensor has it, and where. Kernels say the index alone.
// Example: "tensor 'tok': expected an index from -6 to 5, found 9 at [1, 0]; correct the tensor of indices: ...".
#pragma once

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// @param indices  the block that the task looks indices up in, in this process's memory
Fault index_fault(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task,
                  void const* indices, scalar::PositionError const& error);

}  // namespace ein::executor
