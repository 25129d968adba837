// A schedule's tasks for people and for other tools: text, JSON and Graphviz. Totals are overview.hpp's.
#pragma once

#include <string>

#include "lib/base/json_fwd.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// A block as in messages: "AB[0:10, 0:5]", or "AB (packed, 50 elements)".
std::string block_text(Header const& header, Section const& section, BlockId block);
/// The node that a task belongs to, of a fused one that of its last member; "" for loads, stores and transfers.
std::string node_of(Header const& header, Section const& section, Task const& task);
/// What a task belongs to, as in messages: " of node 'Z'", of a fused one " of nodes 'S', 'T', 'Z'", or nothing.
std::string owner_text(Header const& header, Section const& section, Task const& task);
/// A task as in messages: "apply of node 'AB' to AB[0:10, 0:5]".
std::string task_text(Header const& header, Section const& section, TaskId task);

/// A line a task of one rank, from `first` on, `count` of them at most, below a line with the rank's totals.
std::string tasks_text(Schedule const& schedule, Rank rank, std::size_t first, std::size_t count);
Json to_json(Schedule const& schedule);
/// One node a task, one edge a block; a cluster a rank.
std::string to_dot(Schedule const& schedule);

}  // namespace ein::schedule
