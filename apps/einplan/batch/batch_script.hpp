// What einplan --batch prints: a script for Slurm that runs a schedule to its end over as many time limits as that
// takes, or the plain command of mpirun.
// The script asks for what batch_lines.hpp says, lets einrun save a checkpoint before the time is over, and puts the
// job back into the queue when it did: not for ever, and not where its checkpoints stay the same.
// Example: "sbatch job.sh" is all that is left to do.
#pragma once

#include <filesystem>
#include <string>

#include "apps/einplan/batch/batch_lines.hpp"

namespace ein::apps {

struct BatchJob {
    std::string name;                // of the graph; any text
    std::filesystem::path schedule;  // as einplan writes it
    BatchResources resources;
    std::string device_memory;  // of einrun; "" for none
    bool spills = false;        // blocks go to disk
    friend bool operator==(BatchJob const&, BatchJob const&) = default;
};

std::string slurm_script(BatchJob const& job);
std::string mpirun_command(BatchJob const& job);

}  // namespace ein::apps
