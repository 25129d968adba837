// What to write into a batch script for a schedule: Slurm's options from the cluster and the predicted peak.
// Example: 8 ranks, 4 a node, 8 threads, a peak of 1 GiB: "#SBATCH --nodes=2 --ntasks=8 --ntasks-per-node=4
// --cpus-per-task=8 --mem=5531M".
#pragma once

#include <string>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::apps {

/// Memory of a node: for each of its ranks the largest peak, a tenth of it for blocks that are rounded up, and 256 MiB
/// for the program, MPI and its buffers.
std::string batch_line(schedule::Header const& header, scheduler::Cluster const& cluster);

}  // namespace ein::apps
