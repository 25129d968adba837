// Measures the machines that ranks run on, as a cluster file describes them: kernels on all ranks at once, then links
// pair by pair. What it cannot measure stays as in the default cluster: links of a kind that no two ranks have, seconds
// per task, the backbone. Takes a few seconds; every rank calls it at the same time.
#pragma once

#include "executor/device/device.hpp"
#include "executor/startup/threads.hpp"
#include "executor/transport/transport.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::apps::tool {

/// The upper one of the two in the middle where their number is even. @param values  at least one
double median(std::vector<double> values);

/// What one rank computes with all of its threads while it has its cores to itself.
struct KernelRates {
    double flops_f64 = 0, flops_f32 = 0, operations = 0, bytes = 0, cached = 0, listed = 0, copied = 0;
};
KernelRates measure_kernels(executor::Device& device, int threads);

/// Fills in links and uplink. @param seats  of all ranks
void measure_links(executor::Transport& transport, std::vector<executor::Seat> const& seats,
                   scheduler::Cluster& cluster);

/// The whole cluster; the same on every rank.
scheduler::Cluster measure_cluster(executor::Transport& transport, executor::Device& device,
                                   std::vector<executor::Seat> const& seats, int threads);

}  // namespace ein::apps::tool
