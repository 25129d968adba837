// A device with memory of its own that is none: kernels of the CPU on memory set apart, and three threads in place of a GPU's streams. It stands in
// for CUDA where there is none, so that what surrounds a GPU (residency, order, errors) is exercised on every machine. Copies and kernels can be
// delayed and made to fail. What is asked of it wrongly, such as a kernel on host memory, is an InternalError.
// Example: --device emulated:delay=50,seed=7,copy=12 takes up to 50 microseconds more for everything, and the 12th copy fails.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "executor/device/accelerator.hpp"
#include "executor/device/cpu/cpu_device.hpp"

namespace ein::executor {

/// What goes wrong, counted from 1; 0: never.
struct EmulatedFaults {
    std::int64_t allocate = 0, copy = 0, kernel = 0;  // the n-th of its kind fails
    std::int64_t lost = 0;                            // the device is gone at the n-th copy or kernel
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
    void copy_in(std::byte* device, std::byte const* host, std::int64_t bytes) override;
    void copy_out(std::byte* host, std::byte const* device, std::int64_t bytes) override;
    Mark mark(Stream stream) override;
    void wait(Stream waits, Stream of, Mark mark) override;
    bool passed(Stream of, Mark mark) override;
    void sync(Stream of, Mark mark) override;
    void drain() noexcept override;

    /// Done on the compute stream. @param kernel  what it works on lies in the device's memory
    void launch(std::function<void()> kernel);
    void check_is_device(void const* pointer) const;

private:
    using Lock = std::unique_lock<std::mutex>;
    struct Job {
        std::function<void()> work;
        Stream after = Stream::compute;  // a wait, if there is no work
        Mark mark = 0;
    };
    struct Lane {
        std::deque<Job> jobs;
        Mark asked = 0, done = 0;
        std::condition_variable asked_for;  // a job is there
        std::mt19937 random;
        std::thread thread;
    };
    Lane& lane(Stream stream) { return lanes_[static_cast<std::size_t>(stream)]; }
    void ask(Stream stream, Job job);
    void serve(Lane& lane);
    template <class Condition>
    void wait_until(Lock& lock, Condition const& condition);
    void fail_if(std::int64_t at, std::int64_t count, char const* what);
    void check_is_host(std::byte const* pointer, std::int64_t bytes);
    void begin_next(std::int64_t& count, std::int64_t fails_at, char const* what);
    void count_allocation();
    void throw_failure();

    EmulatedFaults const faults_;
    CpuDevice cpu_;
    std::byte* memory_ = nullptr;
    std::int64_t bytes_ = 0;
    std::mutex mutex_;                  // of all below
    std::condition_variable progress_;  // a job is done
    int waiting_ = 0;                   // on that
    Lane lanes_[streams];
    std::map<std::byte const*, std::int64_t> host_memory_;
    std::int64_t prepared_ = 0;
    std::int64_t allocations_ = 0, copies_ = 0, kernels_ = 0;
    std::exception_ptr failure_;  // of something that was asked; everything after it is left undone
    bool closing_ = false;
};

}  // namespace ein::executor
