// The partitions of Slurm as sinfo lists them, and which of their nodes a job of a schedule fits on: more nodes than a
// partition has are no fault to sbatch, the job waits for ever.
// Example: of "main* 4 1-infinite 16 64000 (null)", a job for 6 nodes gets the warning that main has 4 such nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/einplan/batch/batch_lines.hpp"

namespace ein::apps {

struct Nodes {
    NodeSize size;
    int count = 0;
    friend bool operator==(Nodes const&, Nodes const&) = default;
};

struct Partition {
    std::string name;
    bool is_default = false;
    std::optional<int> most_nodes = {};  // of one job
    std::vector<Nodes> nodes = {};       // those with most cores first
    friend bool operator==(Partition const&, Partition const&) = default;
};

/// Of "PARTITION COUNT JOB_SIZE CORES MEBIBYTES GPUS" a line, as sinfo --exact --format='%P %D %s %c %m %G' prints them
/// ("main*": the default one; JOB_SIZE as "1-infinite", "1-8" or "8"; "128+" means at least that; GPUS as
/// "gpu:a100:4(S:0-1)", or "(null)"). The default one is first.
std::vector<Partition> partitions_in(std::string const& listing);

/// Those of Slurm, where its commands are installed and answer within two seconds; else none.
std::vector<Partition> partitions_at_hand();

/// How many nodes of a partition one job of these resources may have.
int room_for(BatchResources const& resources, Partition const& partition);

/// What a job asks for on the largest nodes of which there are enough, of the default partition if that has them.
/// Where none has, on the largest ones, with a warning. @param partitions  none: `other`
BatchResources resources_on(std::vector<Partition> const& partitions, std::optional<NodeSize> const& other,
                            schedule::Header const& header, scheduler::Cluster const& cluster, bool on_gpus);

/// Of resources that were chosen otherwise. "" where the default partition has room; else what to do.
std::string room_warning(BatchResources const& resources, std::vector<Partition> const& partitions);

}  // namespace ein::apps
