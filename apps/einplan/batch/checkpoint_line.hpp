// What einplan's summary says of checkpoints.
#pragma once

#include <string>

#include "lib/base/json_fwd.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

/// "at most 1.2 GB, 1.2 s to write (0.20 % at --every 10min), 3.4 s apart at most", or why there are
/// none.
/// @param simulated  of the schedule on the cluster; not asked for where it would take long
std::string checkpoint_line(schedule::Schedule const& schedule, scheduler::Cluster const& cluster,
                            scheduler::SimulationOf const& simulated);
/// The same for programs: {"moments": 12, "bytes": ..., "seconds_between": ... or null}.
Json checkpoint_json(schedule::Schedule const& schedule, scheduler::SimulationOf const& simulated);

}  // namespace ein::apps
