// Whether what a launcher takes for several nodes is one host. Open MPI names its segments of shared memory by host,
// job and the rank's number on its node: on two such nodes these are the same files, and a run crashes or spins.
// Example: two Slurm daemons on host vm call themselves node1 and node2, and each starts a rank that is its node's
// first: one_host_warning() says to set OMPI_MCA_btl=self,tcp.
#pragma once

#include <string>
#include <vector>

#include "executor/transport/launcher.hpp"

namespace ein::executor {

/// How one rank's node is known to its launcher, and to the system.
struct NodeName {
    std::string memory;  // where ranks that share segments are alike: host, boot, file system of shared memory
    std::string node;    // the launcher's name for the node; "" where it gives none
    std::string number;  // of the rank on that node; "" where the launcher gives none
    friend bool operator==(NodeName const&, NodeName const&) = default;
};

NodeName this_node(Environment const& environment);

/// Of every rank. Collective.
std::vector<NodeName> all_nodes(Transport& transport, Environment const& environment);

/// What to do about nodes that are one host; "" where each is a host of its own, or where the user's setting of
/// OMPI_MCA_btl leaves shared memory out. @param transports  that setting, or nullptr
std::string one_host_warning(std::vector<NodeName> const& nodes, char const* transports);

/// What to start a job of several hosts with, so that Open MPI's mpirun ends it soon after a link is cut: mpirun reads
/// these settings itself, no rank can choose them.
std::string cut_link_settings();
/// What to do with an mpirun that has not these settings when a host is silent; "" under another launcher, on one node,
/// or where it has them.
std::string silent_host_hint(Environment const& environment);

/// Whether the launcher says that the job has several nodes.
bool has_several_nodes(Environment const& environment);

}  // namespace ein::executor
