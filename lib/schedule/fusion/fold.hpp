// Kernels of a section as one fused task, and a fused task as the kernels that it stands for. What is inside is no
// block of the section: it takes no memory, is not counted, sent or spilled. Who cannot run kernels tile by tile (a
// device with memory of its own, --check-finite) takes the task apart again. Example: applies m = max X, e = exp(X -
// m), Z = e / m as one task that reads X and writes Z; taken apart it has the blocks of m and e again.
#pragma once

#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Applies that become one task, at the place of the last one.
struct Folding {
    FusionId fusion;
    std::vector<TaskId> tasks;      // ascending: the members
    std::vector<BlockId> operands;  // of the fused task, as the section has them now
};

/// The section with each folding's tasks as one. Nothing outside may read what is inside.
Section folded(Section const& section, std::vector<Folding> const& foldings);

/// A fused task alone: a block for each of its operands, then that of its result, then those inside; an apply for each
/// member, in order. @param task  of dense blocks
Section unfolded(Header const& header, Section const& section, Fused const& task);

/// The section with an apply for each member of its fused tasks.
Section with_members_apart(Header const& header, Section const& section);

}  // namespace ein::schedule
