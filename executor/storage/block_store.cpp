#include "executor/storage/block_store.hpp"

#include "executor/device/reference/element.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

BlockStore::BlockStore(schedule::Section const& section, std::int64_t limit)
    : section_(section), storage_(std::make_unique<HostStorage>(section, limit)), held_(section.blocks.size(), 0) {
    bytes_.reserve(section.blocks.size());
    for (schedule::Block const& block : section.blocks) bytes_.add(section.bytes_of(block));
    reset_counts();
}

void BlockStore::reset_counts() {
    readers_.resize(section_.blocks.size());
    writers_.resize(section_.blocks.size());
    for (BlockId b : section_.blocks.ids()) {
        readers_[b] = section_.blocks[b].readers;
        writers_[b] = held(b) ? 0 : section_.blocks[b].writers;
        if (held(b) && readers_[b] == 0) remove(b);
    }
}

void BlockStore::prepare_memory() {
    auto readers = readers_, writers = writers_;
    std::vector<BlockMemory::Use> uses;
    for (schedule::Task const& task : section_.tasks) {
        OptionalId<BlockId> const taken = section_.taken_over(task);
        if (auto const result = task.result()) {
            if (!taken && writers[*result] == section_.blocks[*result].writers)
                uses.push_back({bytes_[*result], false});
            if (--writers[*result] == 0 && readers[*result] == 0) uses.push_back({bytes_[*result], true});
        }
        for (BlockId block : section_.reads(task))
            if (--readers[block] == 0 && taken != OptionalId(block)) uses.push_back({bytes_[block], true});
    }
    storage_->prepare(uses);
}

void BlockStore::allocate(BlockId block) {
    storage_->make(block);
    held_[block] = owned;
    counts_.create(bytes_[block]);
}

void BlockStore::take_over(BlockId from, BlockId to, std::int32_t reads) {
    promise(held_[from] == owned && !held(to) && readers_[from] == reads,
            "a block is taken over that is not there or is read by others, or by one that is there");
    storage_->lend(from, to);
    held_[from] = lent;
    held_[to] = owned;
    counts_.create(0);
}

bool BlockStore::wrote(BlockId block) {
    promise(held(block) && writers_[block] > 0, "a block is written more often than scheduled");
    if (--writers_[block] > 0) return false;
    if (readers_[block] == 0) remove(block);
    return true;
}

bool BlockStore::read(BlockId block) {
    promise(held(block) && readers_[block] > 0, "a block is read more often than scheduled");
    if (--readers_[block] > 0) return false;
    remove(block);
    return true;
}

bool BlockStore::is_true(BlockId block) const {
    scalar::Scalar const value =
        load_element(storage_->in_host(block, HostUse::read).data(), section_.blocks[block].dtype);
    return value.is_integer ? value.integer != 0 : value.number != 0.0;
}

void BlockStore::move(BlockId from, BlockId to) {
    promise(held(from) && !held(to), "a loop's next block takes the place of one that is still there");
    storage_->move(from, to);
    std::swap(held_[from], held_[to]);
    readers_[to] = section_.blocks[to].readers;
    writers_[to] = 0;
    counts_.remove(bytes_[from]);
    counts_.create(bytes_[to]);
    if (readers_[to] == 0) remove(to);
}

void BlockStore::begin_again(BlockId block) {
    promise(!held(block), "a block of an iteration is left at its end");
    readers_[block] = section_.blocks[block].readers;
    writers_[block] = section_.blocks[block].writers;
}

void BlockStore::remove(BlockId block) {
    counts_.remove(held_[block] == lent ? 0 : bytes_[block]);
    storage_->remove(block);
    held_[block] = none;
}

}  // namespace ein::executor
