// Runs programs of kernels (program.hpp) on the compute stream: their code, the scratch that they share, and the record
// of faults that they find. Launches of one device are made by one thread at a time.
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
    std::size_t faults = 0;   // which record its kernels write what they find to
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

    /// Fills in the launches' scratch (where `call` has none) and fault record.
    void run(PreparedProgram const& prepared, Call call);

    /// A record for kernels of a node that may find bad input. Before anything is launched.
    std::size_t expect_faults(std::string const& node);
    /// Of kernels that have ended. @throws InputError
    void check_faults();

private:
    void read_faults() EIN_REQUIRES(reading_);
    Fault fault(std::size_t record) const EIN_REQUIRES(reading_);

    Context const& context_;
    std::atomic<std::int64_t> launches_ = 0;
    MarkedStream& stream_;
    Modules modules_;
    Scratch scratch_;
    DeviceBytes faults_;
    Mutex reading_;
    PinnedBytes host_faults_ EIN_GUARDED_BY(reading_);
    std::vector<std::string> nodes_ EIN_GUARDED_BY(reading_);  // that the records in use are for
    MarkedStream reader_ EIN_GUARDED_BY(reading_);             // of the records
};

}  // namespace ein::executor::cuda
