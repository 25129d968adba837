// Runs programs of kernels (program.hpp) on the compute stream: their code, the scratch that they share, and the record
// of a fault that they find. Launches of one device are made by one thread at a time.
// Example: prepared = launcher.prepare(program); launcher.run(prepared, {operands, output}).
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "executor/device/cuda/driver/marked_stream.hpp"
#include "executor/device/cuda/driver/memory.hpp"
#include "executor/device/cuda/driver/modules.hpp"
#include "executor/device/cuda/source/program.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor::cuda {

struct PreparedProgram {
    Program program;
    std::vector<Code> codes;  // of its launches
};

class Launcher {
public:
    Launcher(Context const& context, Events& events, MarkedStream& stream);
    ~Launcher();
    Launcher(Launcher const&) = delete;
    Launcher& operator=(Launcher const&) = delete;

    Context const& context() const { return context_; }
    MarkedStream& stream() { return stream_; }
    Gpu const& shape() const { return context_.gpu().shape; }

    PreparedProgram prepare(Program program);
    /// Of scratch, by one kernel. At multiples of 256.
    void expect_scratch(std::int64_t bytes) { scratch_.expect(bytes); }
    std::byte* scratch(std::int64_t bytes) { return scratch_.at_least(bytes, stream_.get()); }
    /// The most scratch that a kernel should ask for, if there is another way.
    std::int64_t most_scratch() const { return context_.gpu().memory / 16 / context_.gpu().sharers; }
    /// Everything that was prepared is ready to launch.
    void finish();

    /// Kernels that were launched so far, by whoever launches on its stream and says so.
    std::int64_t launches() const { return launches_.load(std::memory_order_relaxed); }
    void count_launches(std::int64_t more) { launches_.fetch_add(more, std::memory_order_relaxed); }

    /// Fills in the launches' scratch (where `call` has none) and the fault record.
    void run(PreparedProgram const& prepared, Call call);

    /// Some kernels may find bad input. Before anything is launched.
    void expect_faults() { expects_faults_ = true; }
    /// Of kernels that have ended. @throws IndexError
    void check_fault();

private:
    Fault read_fault() EIN_REQUIRES(reading_);

    Context const& context_;
    std::atomic<std::int64_t> launches_ = 0;
    MarkedStream& stream_;
    Modules modules_;
    Scratch scratch_;
    DeviceBytes fault_;  // the record of all kernels: it says of which task it is
    std::atomic<bool> expects_faults_ = false;
    Mutex reading_;
    PinnedBytes host_fault_ EIN_GUARDED_BY(reading_);
    MarkedStream reader_ EIN_GUARDED_BY(reading_);  // of the record
};

}  // namespace ein::executor::cuda
