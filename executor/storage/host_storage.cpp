#include "executor/storage/host_storage.hpp"

namespace ein::executor {

HostStorage::HostStorage(schedule::Section const& section, std::int64_t limit)
    : section_(section), memory_(limit), data_(section.blocks.size(), nullptr) {
    bytes_.reserve(section.blocks.size());
    for (schedule::Block const& block : section.blocks) bytes_.push_back(section.bytes_of(block));
}

HostStorage::~HostStorage() {
    for (std::size_t i = 0; i < data_.size(); ++i)
        if (data_[i] != nullptr) memory_.give(data_[i], bytes_[i]);
}

void HostStorage::remove(BlockId block) {
    memory_.give(data_[index(block)], bytes_[index(block)]);
    data_[index(block)] = nullptr;
}

void HostStorage::run(TaskId id, Operands& operands, std::function<void()> const& launch) {
    schedule::Task const& task = section_.tasks[static_cast<std::size_t>(id.value())];
    std::span<std::int32_t const> const inputs = section_.inputs_of(task);
    operands.inputs.resize(inputs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) operands.inputs[k] = data_[static_cast<std::size_t>(inputs[k])];
    operands.output = task.output < 0 ? nullptr : data_[static_cast<std::size_t>(task.output)];
    launch();
}

std::optional<std::span<std::byte>> HostStorage::message(TaskId id) {
    schedule::Task const& task = section_.tasks[static_cast<std::size_t>(id.value())];
    schedule::ByteRange const part = section_.message_of(task);
    BlockId const block{section_.block_of_message(task)};
    return in_host(block, HostUse::read)
        .subspan(static_cast<std::size_t>(part.offset), static_cast<std::size_t>(part.bytes));
}

}  // namespace ein::executor
