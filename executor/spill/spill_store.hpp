// The blocks of one rank that are on disk while it runs: written by spills, read by fetches, gone after the last fetch
// that comes after their spill. The counts come from the schedule. Safe to call from any thread.
// Example: spill(TaskId{3}, bytes); fetch(TaskId{3}, bytes), where task 3 is the spill, and nothing is left if no other
// fetch is after it.
#pragma once

#include <unordered_map>

#include "executor/spill/disk_ranges.hpp"
#include "executor/spill/spill_file.hpp"
#include "lib/base/ids.hpp"
#include "lib/base/threads/mutex.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// What a store wants of the disk before the run: room for all that it will hold, so that a full disk is found early.
enum class Reserve { peak, nothing };

class SpillStore {
public:
    /// @throws RunError (see SpillFile)
    SpillStore(std::filesystem::path const& folder, schedule::Section const& section, Reserve reserve = Reserve::peak);

    /// @throws RunError
    void spill(TaskId spill, std::span<std::byte const> bytes);
    /// @param spill  the one that the fetch comes after
    void fetch(TaskId spill, std::span<std::byte> bytes);
    /// The same, and the block stays.
    void read(TaskId spill, std::span<std::byte> bytes) const;
    /// As spill, with so many fetches still to come.
    void restore(TaskId spill, std::span<std::byte const> bytes, std::int32_t fetches);
    /// Blocks that are left are dropped: of a round whose outputs nobody wants.
    void forget_blocks();

    /// Of all rounds so far.
    schedule::DiskUse use() const;
    std::int64_t blocks_left() const;
    bool in_memory() const { return file_.in_memory(); }

private:
    struct Kept {
        std::int64_t offset = 0, bytes = 0;
        std::int32_t fetches = 0;  // still to come
    };

    SpillFile file_;                                    // any thread
    std::unordered_map<TaskId, std::int32_t> fetches_;  // by spill; not changed after the constructor
    mutable Mutex mutex_;
    std::unordered_map<TaskId, Kept> kept_ EIN_GUARDED_BY(mutex_);  // by spill
    DiskRanges ranges_ EIN_GUARDED_BY(mutex_);
    schedule::DiskUse use_ EIN_GUARDED_BY(mutex_);
};

}  // namespace ein::executor
