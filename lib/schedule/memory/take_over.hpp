// Which results may have the memory of an operand: tasks that read of it only what they are about to write, so that it
// can be written over piece by piece. Leaves whether that is worth it to the scheduler, and who reads the operand too
// to verify, which checks that the task is the last. A section without these marks is as good and needs more memory.
// Example: Z = where([p] == s, y, X) over blocks X and Z of one box; not Z[i, j] = X[i, j] + X[j, i].
#pragma once

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Whether the task's result may take over the memory of its k-th operand, whoever else reads that: both are dense
/// blocks of one type and box, or of a reshape one run of elements under two shapes, the task is the only one that
/// writes its result, all of it, and each element is read before it is written, and not afterwards.
/// @param task  whose blocks, kernel and region fit its kind
bool may_take_over(Header const& header, Section const& section, Task const& task, std::size_t k);

/// The share of its result that a task which takes memory over is expected to write: of an update
/// (lib/graph/update.hpp) the part in which its values lie, of all else 1.
double written_share(Header const& header, Section const& section, Task const& task);

/// No result has another block's memory any more.
void keep_all(Section& section);
/// None has that of a block that was loaded: inputs stay for another round.
void keep_inputs(Section& section);

}  // namespace ein::schedule
