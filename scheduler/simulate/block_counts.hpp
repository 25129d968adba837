// The blocks of one simulated rank: made, written, deleted as in executor/storage/block_store.hpp, but without memory.
#pragma once

#include "lib/base/ids.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

class BlockCounts {
public:
    BlockCounts(schedule::Section const& section, std::int64_t /*limit*/) : section_(section) {
        bytes_.reserve(section.blocks.size());
        for (schedule::Block const& block : section.blocks) {
            bytes_.add(section.bytes_of(block));
            writers_.add(block.writers);
            readers_.add(block.readers);
        }
        held_.resize(section.blocks.size());
    }

    void reset_counts() {}  // a simulated run is one round
    void add_reader(BlockId) {}
    bool held(BlockId block) const { return held_[block] != 0; }
    std::int64_t bytes(BlockId block) const { return bytes_[block]; }
    void allocate(BlockId block) { held_[block] = 1; }
    void take_over(BlockId, BlockId to, std::int32_t) { held_[to] = 1; }
    bool wrote(BlockId block) {
        if (--writers_[block] > 0) return false;
        if (readers_[block] == 0) drop(block);
        return true;
    }
    bool read(BlockId block) {
        if (--readers_[block] > 0) return false;
        drop(block);
        return true;
    }

    // For another iteration of a loop, whose condition always wants one.
    bool is_true(BlockId) const { return true; }
    void drop(BlockId block) { held_[block] = 0; }
    void move(BlockId from, BlockId to) {
        drop(from);
        readers_[to] = section_.blocks[to].readers;
        writers_[to] = 0;
        held_[to] = readers_[to] > 0 ? 1 : 0;
    }
    void begin_again(BlockId block) {
        readers_[block] = section_.blocks[block].readers;
        writers_[block] = section_.blocks[block].writers;
    }
    void add_readers(BlockId block, std::int32_t readers) { readers_[block] += readers; }

private:
    schedule::Section const& section_;
    Table<BlockId, std::int64_t> bytes_;
    Table<BlockId, std::int32_t> writers_, readers_;  // still to come
    Table<BlockId, std::uint8_t> held_;
};

}  // namespace ein::scheduler
