// How a task is named in messages. Example: "task 17 (apply of node 'AB', block AB[0:10, 0:5])".
#pragma once

#include <string>

#include "lib/base/ids.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// Whose the task is: the node, input or output tensor; "" for a transfer, a spill or a fetch.
std::string owner_of(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task);
std::string task_text(schedule::Header const& header, schedule::Section const& section, TaskId task);

}  // namespace ein::executor
