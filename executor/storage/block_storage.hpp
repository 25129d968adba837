// Where the bytes of one rank's blocks are, and what must happen before a task may touch them: in this process's
// memory, where nothing must (host_storage.hpp), or in a device's as well, where they are copied to and fro as tasks
// ask (device_cache.hpp).
// Leaves counting readers and writers to block_store.hpp, and kernels to devices.
// Example: of an apply on a GPU, run() gives pointers into its memory; of the send that follows, message() gives a copy
// in this process's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "executor/storage/block_memory.hpp"
#include "lib/base/ids.hpp"

namespace ein::executor {

/// What a task of this process does with a block: reads it, writes all of it, or changes a part of it.
enum class HostUse { read, write, update };

class BlockStorage {
public:
    virtual ~BlockStorage() = default;

    // Lives of blocks: under the engine's lock.

    /// Memory ahead of the first run, as if tasks ran in order.
    virtual void prepare(std::span<BlockMemory::Use const> uses) = 0;
    /// Room for a block, not cleared. @throws MemoryError
    virtual void make(BlockId block) = 0;
    virtual void remove(BlockId block) = 0;
    /// What one block held is another's, which was not there.
    virtual void move(BlockId from, BlockId to) = 0;

    /// What one block holds is another's memory too, which was not there; it is removed before that.
    virtual void lend(BlockId from, BlockId to) = 0;

    /// Whether the outputs of the tasks to come will be stored. Those that are not need not come to the host.
    virtual void expect_stores(bool) {}

    // What tasks do with them: any thread, on blocks that are there.

    struct Operands {
        std::vector<std::byte*> inputs;  // in the task's order
        std::byte* output = nullptr;     // nullptr of a task without one
    };
    /// Brings what the task reads and writes to where kernels run, fills in `operands`, and calls launch() while they
    /// are there. It may launch the task's kernel, and nothing else. @throws what launch() throws; the task counts as
    /// launched
    virtual void run(TaskId task, Operands& operands, std::function<void()> const& launch) = 0;
    /// In this process's memory; waits until the bytes are there.
    virtual std::span<std::byte> in_host(BlockId block, HostUse use) = 0;
    /// The bytes that a send or receive moves; nothing while they are on their way here.
    virtual std::optional<std::span<std::byte>> message(TaskId task) = 0;
    virtual void received(TaskId task) = 0;
    /// Before a thread starts, moves along or ends transfers of what message() gave.
    virtual void enter_for_messages() {}
    /// Waits until all that was launched is done. @throws what failed of it
    virtual void settle() = 0;
    /// Tasks that ended here, of which it is not known that the device has done them. At any time; waits for nothing.
    struct UnderWay {
        std::int64_t tasks = 0;
        OptionalId<TaskId> oldest;
    };
    virtual UnderWay under_way() { return {}; }
};

}  // namespace ein::executor
