// Seconds of a task's own work on a rank of the cluster, all of its threads on it. Products of matrices: flops at their
// rate, in whole tiles and, where a side is short, with what is packed, read and written for it; the same with other
// operations than times and plus, at a part of the rate. Every other kernel: scalar operations at theirs (a function
// counts as many as take as long, converting an integer six). Or their bytes, whichever takes longer, at the rate of
// where their blocks are (block_reuse.hpp); in memory, lines of a result are read before they are written. Fused tasks:
// each member like a kernel whose blocks are in the cache, but for what it is the first to read and what the last one
// writes. Of sparse blocks see sparse_cost.hpp; tasks that only move elements: bytes copied. Loads and stores are
// outside of what is simulated, sends and receives are the network's, spills and fetches the disk's: all of these cost
// nothing here. Example: 2.4e11 flop/s: an apply of "ij,jk->ik" over 1000 x 1000 x 1000 in f64 takes 2e9 / 2.4e11 s,
// 8.3 ms.
#pragma once

#include <vector>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/block_reuse.hpp"
#include "scheduler/simulate/cluster.hpp"
#include "scheduler/simulate/kernel_cost.hpp"

namespace ein::scheduler {

class TaskCosts {
public:
    TaskCosts(schedule::Header const& header, Cluster const& cluster);
    /// @param reuse  where its blocks are; none: in the cache that cores share
    double seconds(schedule::Section const& section, schedule::Task const& task,
                   BlockReuse const* reuse = nullptr) const;
    /// Seconds for which a spill or a fetch has the disk; 0 for other tasks.
    double disk_seconds(schedule::Section const& section, schedule::Task const& task) const;

private:
    struct Kernel : KernelCost {
        graph::EinSum const* einsum;
        double element;  // bytes of one that it computes with
    };
    struct Moving;
    struct OfKind;
    double of_rows(Kernel const& kernel, std::span<Extent const> lengths) const;
    double of_kernel(Moving const& moving, schedule::Apply const& call) const;
    double of_fused(Moving const& moving, schedule::Fused const& task) const;
    double of_piece(schedule::Section const& section, schedule::Fused const& task,
                    schedule::FusionSpec::Member const& member, std::span<Extent const> lengths) const;

    schedule::Header const& header_;
    Cluster const& cluster_;
    Table<schedule::KernelId, Kernel> kernels_;
};

}  // namespace ein::scheduler
