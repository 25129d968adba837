#include "executor/storage/host_storage.hpp"

namespace ein::executor {

HostStorage::HostStorage(schedule::Section const& section, std::int64_t limit)
    : section_(section), memory_(limit), data_(section.blocks.size(), nullptr) {
    bytes_.reserve(section.blocks.size());
    for (schedule::Block const& block : section.blocks) bytes_.add(section.bytes_of(block));
}

HostStorage::~HostStorage() {
    for (BlockId b : data_.ids())
        if (data_[b] != nullptr) memory_.give(data_[b], bytes_[b]);
}

void HostStorage::remove(BlockId block) {
    memory_.give(data_[block], bytes_[block]);
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
