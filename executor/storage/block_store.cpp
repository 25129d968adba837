#include "executor/storage/block_store.hpp"

#include "executor/device/reference/element.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

BlockStore::BlockStore(schedule::Section const& section, std::int64_t limit)
    : section_(section), storage_(std::make_unique<HostStorage>(section, limit)), held_(section.blocks.size(), 0) {
    bytes_.reserve(section.blocks.size());
    for (schedule::Block const& block : section.blocks) bytes_.push_back(section.bytes_of(block));
    reset_counts();
}

void BlockStore::reset_counts() {
    readers_.resize(section_.blocks.size());
    writers_.resize(section_.blocks.size());
    for (std::size_t i = 0; i < section_.blocks.size(); ++i) {
        readers_[i] = section_.blocks[i].readers;
        writers_[i] = held_[i] == 0 ? section_.blocks[i].writers : 0;
        if (held_[i] != 0 && readers_[i] == 0) remove(BlockId{static_cast<std::int32_t>(i)});
    }
}

void BlockStore::prepare_memory() {
    std::vector<std::int32_t> readers = readers_, writers = writers_;
    std::vector<BlockMemory::Use> uses;
    for (schedule::Task const& task : section_.tasks) {
        if (task.output >= 0) {
            auto const output = static_cast<std::size_t>(task.output);
            if (writers[output] == section_.blocks[output].writers) uses.push_back({bytes_[output], false});
            if (--writers[output] == 0 && readers[output] == 0) uses.push_back({bytes_[output], true});
        }
        for (std::int32_t input : section_.inputs_of(task))
            if (--readers[static_cast<std::size_t>(input)] == 0)
                uses.push_back({bytes_[static_cast<std::size_t>(input)], true});
    }
    storage_->prepare(uses);
}

void BlockStore::allocate(BlockId block) {
    storage_->make(block);
    held_[index(block)] = 1;
    ledger_.create(bytes_[index(block)]);
}

bool BlockStore::wrote(BlockId block) {
    promise(held(block) && writers_[index(block)] > 0, "a block is written more often than scheduled");
    if (--writers_[index(block)] > 0) return false;
    if (readers_[index(block)] == 0) remove(block);
    return true;
}

void BlockStore::read(BlockId block) {
    promise(held(block) && readers_[index(block)] > 0, "a block is read more often than scheduled");
    if (--readers_[index(block)] == 0) remove(block);
}

bool BlockStore::is_true(BlockId block) const {
    scalar::Scalar const value =
        load_element(storage_->in_host(block, HostUse::read).data(), section_.blocks[index(block)].dtype);
    return value.is_integer ? value.integer != 0 : value.number != 0.0;
}

void BlockStore::move(BlockId from, BlockId to) {
    promise(held(from) && !held(to), "a loop's next block takes the place of one that is still there");
    storage_->move(from, to);
    std::swap(held_[index(from)], held_[index(to)]);
    readers_[index(to)] = section_.blocks[index(to)].readers;
    writers_[index(to)] = 0;
    ledger_.remove(bytes_[index(from)]);
    ledger_.create(bytes_[index(to)]);
    if (readers_[index(to)] == 0) remove(to);
}

void BlockStore::begin_again(BlockId block) {
    promise(!held(block), "a block of a turn is left at its end");
    readers_[index(block)] = section_.blocks[index(block)].readers;
    writers_[index(block)] = section_.blocks[index(block)].writers;
}

void BlockStore::remove(BlockId block) {
    storage_->remove(block);
    held_[index(block)] = 0;
    ledger_.remove(bytes_[index(block)]);
}

}  // namespace ein::executor
