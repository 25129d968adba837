#include "scheduler/simulate/block_reuse.hpp"

#include <algorithm>

#include "scheduler/tuning.hpp"

namespace ein::scheduler {

BlockReuse::BlockReuse(schedule::Section const& section, std::int64_t peak, Cluster const& cluster)
    : section_(section),
      peak_(static_cast<double>(peak)),
      in_cores_(tuning::bytes_of_a_cache * cluster.threads),
      shared_(cluster.shared_cache),
      used_then_(section.blocks.size(), -1) {}

namespace {

/// Of what was used so many bytes ago, how much a cache does not hold any more: it goes bit by bit.
double gone(double bytes, double cache) { return std::clamp((bytes / cache - 0.75) / 0.75, 0.0, 1.0); }

}  // namespace

Nearness BlockReuse::of(BlockId block) const {
    if (shared_ <= 0) return {0, 1};
    double const then = used_then_[block], ago = then < 0 ? peak_ : std::min(peak_, used_ - then);
    return {1 - gone(ago, in_cores_), gone(ago, shared_)};
}

void BlockReuse::use(schedule::Task const& task) {
    for (BlockId block : section_.reads(task)) use(block);
    if (task.result()) use(*task.result());
}

void BlockReuse::use(BlockId block) {
    used_then_[block] = used_;
    used_ += static_cast<double>(section_.bytes_of(block));
}

}  // namespace ein::scheduler
