// What the simulator foresees for a schedule, for the predicted tracks of einrun --trace.
#pragma once

#include <filesystem>

#include "executor/trace/trace.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::apps {

/// The machines that a run is predicted on: those of a cluster file, or the built-in cluster with as many threads as
/// the run has.
/// @throws InputError with every fault of the file
scheduler::Cluster forecast_cluster(std::filesystem::path const& file, int threads);

/// Reads the whole schedule and simulates it. @param machines  names the cluster
executor::Forecast forecast(std::filesystem::path const& schedule, scheduler::Cluster const& cluster,
                            std::string const& machines);

}  // namespace ein::apps
