// The blocks of one simulated rank: made, written, deleted as in executor/storage/block_store.hpp, but without memory.
#pragma once

#include "lib/base/ids.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::scheduler {

class BlockCounts {
public:
    BlockCounts(schedule::Section const& section, std::int64_t /*limit*/) {
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
    bool wrote(BlockId block) { return --writers_[block] == 0; }
    bool read(BlockId block) { return --readers_[block] == 0; }
    bool is_true(BlockId) const { return true; }
    // Loops are simulated for one iteration.
    void drop(BlockId) {}
    void move(BlockId, BlockId) {}
    void begin_again(BlockId) {}
    void add_readers(BlockId, std::int32_t) {}

private:
    Table<BlockId, std::int64_t> bytes_;
    Table<BlockId, std::int32_t> writers_, readers_;
    Table<BlockId, std::uint8_t> held_;
};

}  // namespace ein::scheduler
