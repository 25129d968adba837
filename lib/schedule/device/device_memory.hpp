// Which blocks of one rank are in a device's memory, and where. It is a cache of the schedule's blocks, and the
// schedule says when each is used next, so what leaves is what is needed last (Belady's rule): a block whose bytes the
// host has too is dropped, any other is copied out. Decides only. Who runs the tasks moves the bytes
// (executor/storage/device_cache.hpp); device_traffic.hpp counts them. Example: 3 blocks of 1 KiB in 2 KiB: bring(Z = X
// + Y) with X used again before Y evicts Y for Z. Source: Belady, 1966; [E] section 9 (Turnip).
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lib/base/ids.hpp"
#include "lib/schedule/memory/address_gaps.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "lib/schedule/tuning.hpp"

namespace ein::schedule {

/// Bytes.
struct DeviceTraffic {
    std::int64_t copied_in = 0;  // to the device
    std::int64_t evicted = 0;    // copied out to make room
    std::int64_t sent_home = 0;  // copied out for messages, files and conditions of loops
    std::int64_t peak = 0;       // in the device's memory at once
    friend bool operator==(DeviceTraffic const&, DeviceTraffic const&) = default;
};

/// Bytes that the task which needs most has on the device at once, and that task.
struct WorkingSet {
    std::int64_t bytes = 0;
    TaskId task;
};
WorkingSet largest_working_set(Section const& section);
/// @param fix  what the user can do  @throws MemoryError when that is more than `capacity` bytes, naming the node
void check_device_memory(Header const& header, Section const& section, std::int64_t capacity, std::string const& fix);

class DeviceMemory {
public:
    static constexpr std::int64_t alignment = tuning::device_alignment;
    static std::int64_t rounded(std::int64_t bytes) {
        return std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
    }

    /// What must be done, in order, before a task's kernel may run.
    struct Step {
        enum class Kind { copy_out, drop, copy_in, room };  // room: a place whose bytes will be written
        Kind kind = Kind::room;
        BlockId block;
        std::int64_t place = 0;  // bytes from the beginning of the device's memory
    };

    /// @param capacity  bytes, at least the largest working set's
    DeviceMemory(Section const& section, std::int64_t capacity);
    /// Messages leave from the device and arrive there, where its kernels use them. Only where memory is not tight,
    /// before the first block.
    void exchange_directly();

    void remove(BlockId block);
    void move(BlockId from, BlockId to);

    /// Everything that the task's kernel reads and writes comes to the device; afterwards its output's newest bytes are
    /// there.
    void bring(TaskId task, std::vector<Step>& steps);
    /// Whether outputs will be stored: only then are they wanted by the host.
    void expect_stores(bool stores) { stores_ = stores; }
    /// The host has written a block: its bytes on the device, if any, are old and gone.
    void written_by_host(BlockId block);
    /// The host has the newest bytes as well, because a task of the host wants them.
    void copied_out(BlockId block);

    bool is_here(BlockId block) const { return of(block).place >= 0; }
    bool host_has(BlockId block) const { return of(block).host; }
    /// Bytes from the beginning of the device's memory.
    std::int64_t place(BlockId block) const { return of(block).place; }
    std::int64_t bytes(BlockId block) const { return of(block).bytes; }
    /// Some task of a device writes it: elements that come from elsewhere are put into it on the device.
    bool is_made_here(BlockId block) const { return of(block).made_here; }
    /// A task of the host reads it: a message, a file, or a loop's condition.
    bool is_wanted_by_host(BlockId block) const { return of(block).wanted || (stores_ && of(block).stored); }
    /// Not all blocks fit together, so that some may have to leave.
    bool is_tight() const { return tight_; }
    DeviceTraffic const& traffic() const { return traffic_; }
    /// Bytes of the buffers that blocks have had in the host at once, each from when the host first had its bytes until
    /// it is removed.
    std::int64_t host_peak() const { return host_peak_; }
    std::int64_t largest_in_host() const { return largest_in_host_; }

private:
    struct State {
        std::int64_t bytes = 0, room = 0;   // room: rounded
        std::int64_t place = -1;            // -1: not here
        std::int64_t next = 0;              // its next use, as a number that grows with its distance; where it is here
        std::int64_t brought = -2;          // number of the last bring() that used it
        bool host = false, device = false;  // who has its newest bytes; neither: it has none yet
        bool made_here = false, used_here = false, pinned = false;
        bool wanted = false, stored = false;  // by the host: by tasks of this round; by stores
        bool buffered = false;                // in the host
    };
    State& of(BlockId block) { return states_[block]; }
    State const& of(BlockId block) const { return states_[block]; }

    void note_uses();
    void note_wanted(bool by_messages);
    void note_carries();
    std::int64_t next_use(BlockId block, TaskId after) const;
    void find_room(BlockId block, std::vector<Step>& steps);
    bool evict_one(std::vector<Step>& steps);
    OptionalId<BlockId> to_evict() const;
    void evict(BlockId block, std::vector<Step>& steps);
    void begin_anew(std::vector<Step>& steps);
    void leave(BlockId block);
    void now_in_host(State& state);

    Section const& section_;
    AddressGaps places_;
    std::int64_t capacity_;
    bool tight_ = false;
    bool stores_ = true;
    Table<BlockId, State> states_;
    Table<BlockId, std::size_t> first_use_;            // in uses_
    std::vector<TaskId> uses_;                         // tasks of the device, in order
    Table<BlockId, OptionalId<BlockId>> becomes_;      // what a loop carries it into
    std::set<std::pair<std::int64_t, BlockId>> here_;  // next use, block; where memory is tight
    std::vector<BlockId> operands_;                    // of the task that is brought
    std::int64_t bring_ = 0;                           // calls of bring()
    TaskId now_{0};
    std::int64_t in_use_ = 0;  // bytes
    std::int64_t host_in_use_ = 0, host_peak_ = 0, largest_in_host_ = 0;
    DeviceTraffic traffic_;
};

}  // namespace ein::schedule
