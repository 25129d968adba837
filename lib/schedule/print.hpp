// A schedule for people and for other tools: text, JSON and Graphviz.
#pragma once

#include <string>

#include "lib/base/json.hpp"
#include "lib/schedule/schedule.hpp"

namespace ein::schedule {

/// A block as in messages: "AB[0:10, 0:5]".
std::string block_text(Header const& header, Section const& section, BlockId block);
/// A task as in messages: "apply of node 'AB' to AB[0:10, 0:5]".
std::string task_text(Header const& header, Section const& section, TaskId task);

std::string to_text(Schedule const& schedule);
Json to_json(Schedule const& schedule);
/// One node a task, one edge a block; a cluster a rank.
std::string to_dot(Schedule const& schedule);

}  // namespace ein::schedule
