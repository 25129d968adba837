// Where the blocks of a rank are when a task begins: in a core's cache, in the cache that cores share, or in memory, by
// what the rank has used since it used them last. Blocks that were never used, and places of new results, are as far as
// all that the rank holds at its peak: a schedule is run again and again, or has just been loaded. All is in memory
// where a cluster file does not say how large the shared cache is. Example: with 2 MiB in a core's cache, a block of 1
// MiB that the task before wrote is there; after tasks that used 8 MiB of other blocks it is not.
#pragma once

#include <cstdint>

#include "lib/schedule/model/schedule.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::scheduler {

/// Shares of a block; the rest is in the cache that cores share.
struct Nearness {
    double in_core = 0, in_memory = 0;
};

class BlockReuse {
public:
    /// @param peak  bytes that the rank holds at most
    BlockReuse(schedule::Section const& section, std::int64_t peak, Cluster const& cluster);
    /// Of a block that is used now.
    Nearness of(BlockId block) const;
    void use(schedule::Task const& task);

private:
    void use(BlockId block);

    schedule::Section const& section_;
    double peak_, in_cores_, shared_;   // bytes
    double used_ = 0;                   // bytes, so far
    Table<BlockId, double> used_then_;  // when the block was used last; less than 0: never
};

}  // namespace ein::scheduler
