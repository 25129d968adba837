// Blocks in this process's memory, where kernels run too: nothing is ever copied.
#pragma once

#include "executor/storage/block_storage.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

class HostStorage final : public BlockStorage {
public:
    /// @param limit  bytes that will be live at most (see BlockMemory)
    HostStorage(schedule::Section const& section, std::int64_t limit);
    ~HostStorage() override;  // a run that failed leaves blocks behind
    HostStorage(HostStorage const&) = delete;
    HostStorage& operator=(HostStorage const&) = delete;

    void prepare(std::span<BlockMemory::Use const> uses) override { memory_.prepare(uses); }
    void make(BlockId block) override { data_[block] = memory_.take(bytes_[block]); }
    void remove(BlockId block) override;
    void move(BlockId from, BlockId to) override { std::swap(data_[from], data_[to]); }

    void lend(BlockId from, BlockId to) override;

    void run(TaskId task, Operands& operands, std::function<void()> const& launch) override;
    std::span<std::byte> in_host(BlockId block, HostUse) override {
        return {data_[block], static_cast<std::size_t>(bytes_[block])};
    }
    std::optional<std::span<std::byte>> message(TaskId task) override;
    void received(TaskId) override {}
    void settle() override {}

private:
    schedule::Section const& section_;
    BlockMemory memory_;
    Table<BlockId, std::byte*> data_;
    Table<BlockId, std::uint8_t> lent_;
    Table<BlockId, std::int64_t> bytes_;
};

}  // namespace ein::executor
