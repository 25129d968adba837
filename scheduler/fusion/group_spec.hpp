// A fused group as a task of the schedule will say it. Leaves adding it to the header to fuse.hpp.
// Example: m = max X, e = exp(X - m): member 1 reads operand 0 of the task and member 0.
#pragma once

#include <vector>

#include "scheduler/fusion/fused_groups.hpp"

namespace ein::scheduler {

struct GroupSpec {
    schedule::FusionSpec spec;
    std::vector<BlockId> operands;  // of the task
};
GroupSpec group_spec(schedule::Section const& section, FusedGroup const& group);

}  // namespace ein::scheduler
