// Whether a task's record holds the fields of its kind and no others, each in its range, before anybody reads them.
// Example: a send with a result, or with the message tag -1, is refused.
#pragma once

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Whether numbers of the record that are places in pools and lists are in range, whatever its kind. @param task  its
/// own id
bool is_in_range(Section const& section, Task const& task, TaskId id);
/// Whether the fields of its kind are there. @param rank  whose section it is  @param task  in range
bool has_its_fields(Header const& header, Rank rank, Task const& task);

}  // namespace ein::schedule
