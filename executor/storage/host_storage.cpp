#include "executor/storage/host_storage.hpp"

namespace ein::executor {

HostStorage::HostStorage(schedule::Section const& section, std::int64_t limit)
    : section_(section), memory_(limit), data_(section.blocks.size(), nullptr), lent_(section.blocks.size(), 0) {
    bytes_.reserve(section.blocks.size());
    for (schedule::Block const& block : section.blocks) bytes_.add(section.bytes_of(block));
}

HostStorage::~HostStorage() {
    for (BlockId b : data_.ids())
        if (data_[b] != nullptr && lent_[b] == 0) memory_.give(data_[b], bytes_[b]);
}

void HostStorage::lend(BlockId from, BlockId to) {
    data_[to] = data_[from];
    lent_[from] = 1;
}

void HostStorage::remove(BlockId block) {
    if (lent_[block] == 0) memory_.give(data_[block], bytes_[block]);
    lent_[block] = 0;
    data_[block] = nullptr;
}

void HostStorage::run(TaskId id, Operands& operands, std::function<void()> const& launch) {
    std::span<BlockId const> const reads = section_.reads(id);
    operands.inputs.resize(reads.size());
    for (std::size_t k = 0; k < reads.size(); ++k) operands.inputs[k] = data_[reads[k]];
    OptionalId<BlockId> const result = section_.tasks[id].result();
    operands.output = result ? data_[*result] : nullptr;
    launch();
}

std::optional<std::span<std::byte>> HostStorage::message(TaskId id) {
    schedule::Message const message = section_.message(section_.tasks[id]);
    schedule::ByteRange const part = section_.range_of(message);
    return in_host(message.block, HostUse::read)
        .subspan(static_cast<std::size_t>(part.offset), static_cast<std::size_t>(part.bytes));
}

}  // namespace ein::executor
