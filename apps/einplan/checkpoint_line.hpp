// What einplan's summary says of checkpoints.
#pragma once

#include <string>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::apps {

/// "at most 1.2 GB, 1.2 s to write (0.20 % at --every 10min), 3.4 s apart at most", or why there are
/// none.
std::string checkpoint_line(schedule::Schedule const& schedule, scheduler::Cluster const& cluster);

}  // namespace ein::apps
