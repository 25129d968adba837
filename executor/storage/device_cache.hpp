// Blocks of a rank whose kernels run on a device with memory of its own. The device's memory is a cache: before a
// kernel runs, what it reads and writes is brought there, and what is needed last leaves for buffers of the host.
// Nothing waits on the host: a task counts as ended when its kernel was launched, since whatever comes after it on the
// device comes after it; only who wants bytes in the host waits for them.
// Leaves choosing what leaves to schedule::DeviceMemory, and moving bytes to the accelerator.
// Example: run(Z = X + Y): X is copied in on one stream while the kernel before runs on another, which then waits for
// it.
// Considered: (1) waiting for each kernel before its task ends: simple, but the device stands still between tasks; (2)
// tasks that end when an event of theirs has passed: no reader could be launched behind its writer, and every task pays
// for an event; (3) this.
#pragma once

#include <atomic>
#include <exception>
#include <unordered_map>

#include "executor/storage/block_storage.hpp"
#include "executor/storage/host_buffers.hpp"
#include "executor/storage/stream_uses.hpp"
#include "lib/base/threads/mutex.hpp"
#include "lib/schedule/device/device_memory.hpp"

namespace ein::executor {

class DeviceCache final : public BlockStorage {
public:
    /// @param capacity  bytes of the device's memory that blocks may take, at least the largest working set's
    /// @param host_bytes  of buffers in the host, taken at once; more are taken when they are needed
    /// @throws MemoryError
    DeviceCache(schedule::Section const& section, Accelerator& device, std::int64_t capacity, std::int64_t host_bytes);
    ~DeviceCache() override;  // waits for what runs
    DeviceCache(DeviceCache const&) = delete;
    DeviceCache& operator=(DeviceCache const&) = delete;

    void prepare(std::span<BlockMemory::Use const>) override {}
    void make(BlockId block) override;
    void remove(BlockId block) override;
    void move(BlockId from, BlockId to) override;
    void lend(BlockId from, BlockId to) override;
    void expect_stores(bool stores) override;

    void run(TaskId task, Operands& operands, std::function<void()> const& launch) override;
    std::span<std::byte> in_host(BlockId block, HostUse use) override;
    std::optional<std::span<std::byte>> message(TaskId task) override;
    void received(TaskId task) override;
    void enter_for_messages() override { device_.enter(); }
    void settle() override;
    UnderWay under_way() override;

    /// Where messages may leave from the device's memory and arrive there (device_messages.hpp): if all blocks fit, so
    /// that none must move while it is sent. Before the first block is made. @return whether they will
    bool exchange_directly();
    std::byte* memory() const { return base_; }  // of the device

    schedule::DeviceTraffic traffic() const;

private:
    using Mark = Accelerator::Mark;
    struct Place {
        std::byte* host = nullptr;                     // its buffer, if it has one
        StreamUses uses;                               // of its place on the device
        Mark read_from_host = 0, written_to_host = 0;  // streams in and out, on its buffer
        std::vector<Mark> pieces_to_host;              // of a large block: after each piece but the last
        std::int32_t writers = 0;                      // to come
    };
    struct Launched {
        std::int64_t kernel;
        std::int64_t launches;  // of the device so far
        Mark mark;
    };
    Place& of(BlockId block) EIN_REQUIRES(mutex_) { return places_[block]; }
    schedule::Task const& task(TaskId id) const { return section_.tasks[id]; }

    std::optional<std::span<std::byte>> message_on_device(TaskId task, BlockId block, schedule::ByteRange const& part)
        EIN_REQUIRES(mutex_);
    std::optional<std::span<std::byte>> message_here(TaskId task) EIN_REQUIRES(mutex_);
    void take_received(TaskId task) EIN_REQUIRES(mutex_);
    void bring(TaskId task, Operands& operands) EIN_REQUIRES(mutex_);
    void give_operands(TaskId task, Operands& operands) EIN_REQUIRES(mutex_);
    std::byte* operand(BlockId block) EIN_REQUIRES(mutex_);
    void count_launch(TaskId task) noexcept EIN_REQUIRES(mutex_);
    void bring_blocks(TaskId task) EIN_REQUIRES(mutex_);
    void take(schedule::DeviceMemory::Step const& step) EIN_REQUIRES(mutex_);
    void leave(BlockId block, std::int64_t place) EIN_REQUIRES(mutex_);
    void copy_out(BlockId block, std::int64_t from) EIN_REQUIRES(mutex_);
    void write_back(BlockId block) EIN_REQUIRES(mutex_);
    Mark use_in_host(BlockId block, HostUse use) EIN_REQUIRES(mutex_);
    void count_writer(BlockId block) EIN_REQUIRES(mutex_);
    std::byte* host_buffer(BlockId block) EIN_REQUIRES(mutex_);
    Mark mark_at_host(BlockId block, std::int64_t bytes) EIN_REQUIRES(mutex_);
    void wait_for_kernel(Stream waits, std::int64_t kernel) EIN_REQUIRES(mutex_);
    void wait_for(Stream waits, Stream of, Mark mark) EIN_REQUIRES(mutex_);
    Mark mark_of_kernel(std::int64_t kernel) EIN_REQUIRES(mutex_);
    void let_device_catch_up();
    void let_kernels_catch_up();
    bool is_far_ahead(Stream stream);
    void forget_passed() EIN_REQUIRES(mutex_);
    void tell_ahead() EIN_REQUIRES(mutex_);
    void rethrow() EIN_REQUIRES(mutex_);
    [[noreturn]] void rethrow_late() const;

    schedule::Section const& section_;
    Accelerator& device_;
    mutable Mutex mutex_;  // also while a kernel is launched: its operands stay where they are
    schedule::DeviceMemory memory_ EIN_GUARDED_BY(mutex_);
    HostBuffers buffers_ EIN_GUARDED_BY(mutex_);
    std::byte* const base_;
    Table<BlockId, Place> places_ EIN_GUARDED_BY(mutex_);
    LeftGaps left_ EIN_GUARDED_BY(mutex_);
    /// By receive: buffers of parts of blocks that are on the device.
    std::unordered_map<TaskId, std::byte*> arriving_ EIN_GUARDED_BY(mutex_);
    bool direct_ EIN_GUARDED_BY(mutex_) = false;  // messages go from device to device
    std::int64_t launched_ EIN_GUARDED_BY(mutex_) = 0;
    std::int64_t done_ EIN_GUARDED_BY(mutex_) = 0;       // kernels that are known to be
    std::deque<Launched> marks_ EIN_GUARDED_BY(mutex_);  // in order
    std::deque<TaskId> ahead_
        EIN_GUARDED_BY(mutex_);  // of kernels that are launched and not known to be done, in order
    Mark waited_[streams][streams] EIN_GUARDED_BY(mutex_) = {};  // what one stream is known to come after of another
    std::exception_ptr failure_ EIN_GUARDED_BY(mutex_);          // of a launch that was counted
    std::vector<schedule::DeviceMemory::Step> steps_ EIN_GUARDED_BY(mutex_);
    // For those who do not wait for the mutex.
    std::atomic<std::int64_t> tasks_ahead_ = 0;
    std::atomic<OptionalId<TaskId>> oldest_ahead_ = {};
    std::atomic<std::int64_t> launches_done_ = 0;  // that are known to be
    std::atomic<Mark> last_copy_[streams] = {};
};

}  // namespace ein::executor
