// What Open MPI leaves on this host when mpirun is killed before it can tidy up: shared memory of its ranks, and the
// folder that its daemons talk through. Other launchers leave nothing that this finds.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace ein::apps::tool {

/// Files in /dev/shm by which a rank, that still runs, exchanges messages.
std::vector<std::filesystem::path> shared_segments(pid_t rank);

/// The folder of an mpirun that has ended: /tmp/ompi.HOST.USER/pid.N
void remove_session_folder(pid_t mpirun);

}  // namespace ein::apps::tool
