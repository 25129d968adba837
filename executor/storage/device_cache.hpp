// Blocks of a rank whose kernels run on a device with memory of its own. The device's memory is a cache: before a kernel runs, what it reads and
// writes is brought there, and what is needed last leaves for buffers of the host. Nothing waits on the host: a task counts as ended when its
// kernel was launched, since whatever comes after it on the device comes after it; only who wants bytes in the host waits for them.
// Leaves choosing what leaves to schedule::DeviceMemory, and moving bytes to the accelerator.
// Example: bring(Z = X + Y): X is copied in on one stream while the kernel before runs on another, which then waits for it.
// Considered: (1) waiting for each kernel before its task ends: simple, but the device stands still between tasks; (2) tasks that end when an event
// of theirs has passed: no reader could be launched behind its writer, and every task pays for an event; (3) this.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <unordered_map>

#include "executor/storage/block_storage.hpp"
#include "executor/storage/host_buffers.hpp"
#include "executor/storage/stream_uses.hpp"
#include "lib/schedule/device/device_memory.hpp"

namespace ein::executor {

class DeviceCache final : public BlockStorage {
public:
    /// @param capacity  bytes of the device's memory that blocks may take, at least the largest working set's
    /// @throws MemoryError
    DeviceCache(schedule::Section const& section, Accelerator& device, std::int64_t capacity);
    ~DeviceCache() override;  // waits for what runs
    DeviceCache(DeviceCache const&) = delete;
    DeviceCache& operator=(DeviceCache const&) = delete;

    void prepare(std::span<BlockMemory::Use const>) override {}
    void make(BlockId block) override;
    void remove(BlockId block) override;
    void move(BlockId from, BlockId to) override;
    void keep_empty(BlockId) override {}  // of fused groups, which a device with memory of its own does not run

    void bring(TaskId task, Operands& operands) override;
    void ran(TaskId task) noexcept override;
    std::span<std::byte> in_host(BlockId block, HostUse use) override;
    std::optional<std::span<std::byte>> message(TaskId task) override;
    void received(TaskId task) override;
    void settle() override;
    UnderWay under_way() override;

    /// Where messages may leave from the device's memory and arrive there (device_messages.hpp): if all blocks fit, so that none must move
    /// while it is sent. Before the first block is made. @return whether they will
    bool exchange_directly();
    std::byte* memory() const { return base_; }  // of the device

    schedule::DeviceTraffic traffic() const;

private:
    using Mark = Accelerator::Mark;
    using Lock = std::unique_lock<std::mutex>;
    struct Place {
        std::byte* host = nullptr;                     // its buffer, if it has one
        StreamUses uses;                               // of its place on the device
        Mark read_from_host = 0, written_to_host = 0;  // streams in and out, on its buffer
        std::vector<Mark> pieces_to_host;              // of a large block: after each piece but the last
        std::int32_t writers = 0;                      // to come
    };
    struct Launched {
        std::int64_t kernel;
        Mark mark;
    };
    Place& of(BlockId block) { return places_[static_cast<std::size_t>(block.value())]; }
    schedule::Task const& task(TaskId id) const { return section_.tasks[static_cast<std::size_t>(id.value())]; }

    std::optional<std::span<std::byte>> message_on_device(TaskId task, BlockId block, schedule::ByteRange const& part);
    std::optional<std::span<std::byte>> message_here(TaskId task);
    void take_received(TaskId task);
    void give_operands(TaskId task, Operands& operands);
    void bring_blocks(TaskId task);
    void take(schedule::DeviceMemory::Step const& step);
    void leave(BlockId block, std::int64_t place);
    void copy_home(BlockId block, std::int64_t from);
    void bring_home(BlockId block);
    void count_writer(BlockId block);
    std::byte* host_buffer(BlockId block);
    Mark mark_at_host(BlockId block, std::int64_t bytes);
    void wait_for_kernel(Stream waits, std::int64_t kernel);
    void wait_for(Stream waits, Stream of, Mark mark);
    Mark mark_of_kernel(std::int64_t kernel);
    void keep_within_reach();
    void forget_passed();
    void tell_ahead();
    void rethrow();
    template <class Work>
    auto late(Work const& work);

    schedule::Section const& section_;
    Accelerator& device_;
    mutable std::mutex mutex_;  // from bring() to ran(), and in everything else that looks at what is below
    schedule::DeviceMemory memory_;
    HostBuffers buffers_;
    std::byte* base_;
    std::vector<Place> places_;  // by block
    LeftGaps left_;
    std::unordered_map<std::int32_t, std::byte*>
        arriving_;                          // by receive: buffers of parts of blocks that are on the device
    bool direct_ = false;                   // messages go from device to device
    std::int64_t launched_ = 0, done_ = 0;  // kernels; done_: known to be
    std::deque<Launched> marks_;            // in order
    std::deque<TaskId> ahead_;              // of kernels that are launched and not known to be done, in order
    std::atomic<std::int64_t> tasks_ahead_ = 0;
    std::atomic<std::int32_t> oldest_ahead_ = -1;
    Mark waited_[streams][streams] = {};  // what one stream is known to come after of another
    std::exception_ptr failure_;          // of ran()
    std::vector<schedule::DeviceMemory::Step> steps_;
};

}  // namespace ein::executor
