// To whom the time of a task is put down: a kernel or copy to its node, a message, a spill or a fetch to the tensor
// that it moves. Example: a send of a block of A: "A", and it moves a block.
#pragma once

#include <string>

#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

/// Between ranks, or to disk and back.
bool moves_a_block(schedule::Task const& task);

/// "" for loads and stores.
std::string task_owner(schedule::Schedule const& schedule, Rank rank, TaskId task);

}  // namespace ein::scheduler
