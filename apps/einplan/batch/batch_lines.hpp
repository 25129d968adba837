// What to write into a batch script for a schedule: Slurm's options from the cluster, the nodes that there are, and the
// predicted peak.
// Example: 8 ranks, 4 a node, 8 threads, a peak of 1 GiB: "#SBATCH --nodes=2 --ntasks=8 --ntasks-per-node=4
// --cpus-per-task=8 --mem=5531M"; where nodes have 16 cores, --cpus-per-task=4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::apps {

/// What one node has. A job that asks for more waits for ever.
struct NodeSize {
    int cores = 0;
    std::int64_t mebibytes = 0;
    std::optional<int> gpus = {};  // nothing: nobody says
    friend bool operator==(NodeSize const&, NodeSize const&) = default;
};

NodeSize this_machine();

/// What a job of a schedule asks for.
struct BatchResources {
    int nodes = 1, ranks = 1, ranks_a_node = 1, threads = 1;
    std::int64_t mebibytes = 0;            // of a node
    int gpus_a_node = 0;                   // 0: none
    std::optional<std::int64_t> too_much;  // what the nodes have, where that is less
    std::string warning;                   // where Slurm may never start such a job
    std::string machine;                   // whose nodes, cores and memory these are
    friend bool operator==(BatchResources const&, BatchResources const&) = default;
};

/// Memory of a node: for each of its ranks the largest peak, a tenth of it for blocks that are rounded up, and 256 MiB
/// for the program, MPI and its buffers.
/// @param node  what a job may ask of one; nothing: as much as the cluster says
/// @param on_gpus  whether ranks compute on GPUs: one each, or as many as a node has, which they share
BatchResources batch_resources(schedule::Header const& header, scheduler::Cluster const& cluster,
                               std::optional<NodeSize> const& node, bool on_gpus = false);

/// "--nodes=2 --ntasks=8 ...", for one line behind #SBATCH.
std::string batch_options(BatchResources const& resources);
/// The line for einplan's screen.
std::string batch_line(BatchResources const& resources);

}  // namespace ein::apps
