// A device with memory of its own that is none: kernels of the CPU on memory set apart, and three threads in place of a
// GPU's streams. It stands in for CUDA where there is none, so that what surrounds a GPU (residency, order, errors) is
// exercised on every machine. Copies and kernels can be delayed and made to fail. What is asked of it wrongly, such as
// a kernel on host memory, is an InternalError.
// Example: --device emulated:delay=50,seed=7,copy=12 takes up to 50 microseconds more for everything, and the 12th copy
// fails.
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "executor/device/accelerator.hpp"
#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/emulated/emulated_context.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor {

/// What goes wrong, counted from 1; 0: never.
struct EmulatedFaults {
    std::int64_t allocate = 0, copy = 0, kernel = 0;  // the n-th of its kind fails
    std::int64_t lost = 0;                            // the device is gone at the n-th copy or kernel
    std::int64_t wrong = 0;                           // the first element that the n-th kernel writes is wrong
    std::int64_t late = 0;                            // 1: host memory that is asked for after a kernel fails
    std::int64_t host = 0;                            // every n-th kernel that is prepared is left to the host
    int delay = 0;                                    // microseconds at most, at random
    unsigned seed = 1;                                // of delays
};
/// "delay=50,copy=12". @throws UsageError
EmulatedFaults emulated_faults_from_text(std::string_view text);

class EmulatedDevice final : public Accelerator {
public:
    explicit EmulatedDevice(EmulatedFaults faults = {});
    ~EmulatedDevice() override;

    std::string_view name() const override { return "emulated"; }
    std::unique_ptr<PreparedKernel const> prepare(KernelShape const& shape, scalar::Params const& params) override;
    void copy(CopyCall const& call, WorkerTeam& team) override;
    void reshape(ReshapeCall const& call, WorkerTeam& team) override;
    void fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam& team) override;

    std::int64_t free_memory() const override;
    std::byte* reserve(std::int64_t bytes) override;
    std::byte* allocate_host(std::int64_t bytes) override;
    void free_host(std::byte* memory, std::int64_t bytes) noexcept override;
    void enter() override { context_.enter(); }
    void copy_in(std::byte* device, std::byte const* host, std::int64_t bytes) override;
    void copy_out(std::byte* host, std::byte const* device, std::int64_t bytes) override;
    std::int64_t launches() const override { return launches_; }
    Mark mark(Stream stream) override;
    void wait(Stream waits, Stream of, Mark mark) override;
    bool passed(Stream of, Mark mark) override;
    void sync(Stream of, Mark mark) override;
    void drain() noexcept override;

    /// Done on the compute stream. @param kernel  what it works on lies in the device's memory
    void launch(std::function<void()> kernel);
    /// Between a kernel and what is asked for after it: changes its first element, if its time has come.
    void spoil(void* element, std::size_t bytes);
    void check_is_device(void const* pointer) const;

private:
    struct Job {
        std::function<void()> work;
        Stream after = Stream::compute;  // a wait, if there is no work
        Mark mark = 0;
    };
    struct Lane {
        std::deque<Job> jobs;
        Mark asked = 0, done = 0;
    };
    /// Who does a lane's jobs.
    struct Server {
        Condition asked_for;  // a job is there
        std::mt19937 random;  // of its own thread
        std::thread thread;
    };
    template <class Call>
    void move(Call const& call, void (CpuDevice::*how)(Call const&, WorkerTeam&));
    void copy_on(Stream stream, std::byte* to, std::byte const* from, std::int64_t bytes);
    Lane& lane(Stream stream) EIN_REQUIRES(mutex_) { return lanes_[static_cast<std::size_t>(stream)]; }
    void ask(Stream stream, Job job);
    void serve(Stream stream);
    /// The next of a lane's jobs, when what it comes after is done; nothing when the device closes.
    std::optional<Job> next_job(Stream stream);
    std::exception_ptr do_job(Server& server, Job const& job);
    void finish_job(Stream stream, std::exception_ptr failure);
    void wait_for_progress(MutexLock const& lock) EIN_REQUIRES(mutex_);
    bool is_idle() const EIN_REQUIRES(mutex_);
    void fail_if(std::int64_t at, std::int64_t count, char const* what);
    void check_is_host(std::byte const* pointer, std::int64_t bytes);
    enum class Kind { copy, kernel };
    void begin_next(Kind kind);
    void count_allocation() EIN_REQUIRES(mutex_);
    void throw_failure() EIN_REQUIRES(mutex_);

    EmulatedFaults const faults_;
    EmulatedContext const context_;
    CpuDevice cpu_;
    std::byte* memory_ = nullptr;
    std::int64_t bytes_ = 0;
    std::int64_t prepared_ = 0;
    std::atomic<std::int64_t> launches_ = 0;
    Server servers_[streams];
    Mutex mutex_;
    Condition progress_;                      // a job is done
    int waiting_ EIN_GUARDED_BY(mutex_) = 0;  // on that
    Lane lanes_[streams] EIN_GUARDED_BY(mutex_);
    std::map<std::byte const*, std::int64_t> host_memory_ EIN_GUARDED_BY(mutex_);
    std::int64_t allocations_ EIN_GUARDED_BY(mutex_) = 0;
    std::int64_t copies_ EIN_GUARDED_BY(mutex_) = 0;
    std::int64_t kernels_ EIN_GUARDED_BY(mutex_) = 0;
    /// Of something that was asked; everything after it is left undone.
    std::exception_ptr failure_ EIN_GUARDED_BY(mutex_);
    bool closing_ EIN_GUARDED_BY(mutex_) = false;
};

}  // namespace ein::executor
