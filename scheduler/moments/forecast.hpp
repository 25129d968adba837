// What checkpoints of a schedule will cost, for einplan's summary: the largest one, and how long a run may have to go
// on before it comes to a moment at which it can be saved. Example: two matmuls of 10 s each with a moment between
// them: 10 s, and the bytes of what the second one reads.
#pragma once

#include "scheduler/simulate/simulate.hpp"

namespace ein::scheduler {

struct CheckpointForecast {
    std::int64_t largest = 0;    // bytes; elements that several ranks hold count once
    double longest_between = 0;  // seconds between two moments, the beginning or the end
};

CheckpointForecast checkpoint_forecast(schedule::Schedule const& schedule, Simulation const& simulation);

}  // namespace ein::scheduler
