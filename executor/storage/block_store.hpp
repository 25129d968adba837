// The blocks of one rank while it runs: made by their first writer, ready when all writers have ended, deleted when all
// readers have. The counts come from the schedule and are never guessed. Used under the engine's lock. Where their
// bytes are is the storage's to know. Example: a block with two writers and one reader: allocate, wrote (false), wrote
// (true: ready), read (gone).
#pragma once

#include <memory>
#include <vector>

#include "executor/storage/block_counts.hpp"
#include "executor/storage/host_storage.hpp"
#include "lib/base/ids.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

class BlockStore {
public:
    /// @param limit  bytes that will be live at most (see BlockMemory)
    BlockStore(schedule::Section const& section, std::int64_t limit);
    /// Where the blocks live; this process's memory unless another is given. Before the first is made.
    void live_in(std::unique_ptr<BlockStorage> storage) { storage_ = std::move(storage); }
    BlockStorage& storage() const { return *storage_; }

    /// Sets all counts as the schedule has them, for another run of the same tasks. Blocks that are held (inputs that
    /// stay loaded) count as written; those that nobody reads are deleted.
    void reset_counts();
    /// One reader more than scheduled: keeps an input for the next run.
    void add_reader(BlockId block) { ++readers_[block]; }

    bool held(BlockId block) const { return held_[block] != 0; }
    std::int64_t bytes(BlockId block) const { return bytes_[block]; }

    /// Memory for all blocks ahead of the first run, as if tasks ran in order, so that the run itself touches no fresh
    /// page.
    void prepare_memory();
    /// @throws MemoryError
    void allocate(BlockId block);
    /// A task begins to write `to`, which has the memory of `from` from now on. `from` is there until it has ended.
    /// @param reads  times that the task names `from`; nobody else reads it any more
    void take_over(BlockId from, BlockId to, std::int32_t reads);
    /// A writer has ended. True when it was the last: the block is ready (and gone at once if nobody reads it).
    bool wrote(BlockId block);
    /// A reader has ended. True when it was the last: the block is gone.
    /// @throws InternalError if the block is read more often than scheduled
    bool read(BlockId block);

    // For another iteration of a loop.
    /// Whether a block's only element is not 0.
    bool is_true(BlockId block) const;
    /// Deletes a block, whoever would still read it.
    void drop(BlockId block) {
        if (held(block)) remove(block);
    }
    /// A block's memory becomes another one's, which counts as written.
    void move(BlockId from, BlockId to);
    /// The block's counts, for another iteration.
    void begin_again(BlockId block);
    void add_readers(BlockId block, std::int32_t readers) { readers_[block] += readers; }

    BlockCounts const& counts() const { return counts_; }

private:
    static constexpr std::uint8_t none = 0, owned = 1, lent = 2;  // lent: its memory is another block's by now

    void remove(BlockId block);

    schedule::Section const& section_;
    std::unique_ptr<BlockStorage> storage_;
    BlockCounts counts_;
    Table<BlockId, std::uint8_t> held_;
    Table<BlockId, std::int64_t> bytes_;
    Table<BlockId, std::int32_t> readers_, writers_;  // still to come
};

}  // namespace ein::executor
