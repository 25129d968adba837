// Runs one rank's section of a schedule: loads inputs, executes the tasks as they become ready, stores outputs. Every
// rank calls run() at the same time. Knows neither graphs nor files nor MPI: devices compute, readers and the sink hold
// data, the transport moves it. Example: Engine(parts, options).run().execute_seconds is the time from all inputs in
// place to this rank's last block. Source: [P] sections VI and VII.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "executor/call_check/call_tallies.hpp"
#include "executor/device/device.hpp"
#include "executor/engine/dispatcher.hpp"
#include "executor/engine/run_state.hpp"
#include "executor/engine/run_stops.hpp"
#include "executor/engine/task_runner.hpp"
#include "executor/report/progress.hpp"
#include "executor/report/task_times.hpp"
#include "executor/storage/block_counts.hpp"
#include "executor/storage/device_cache.hpp"
#include "executor/storage/device_messages.hpp"
#include "executor/trace/record.hpp"
#include "executor/transport/transport.hpp"

namespace ein::executor {

struct EngineParts {
    schedule::Header const& header;
    schedule::Section const& section;  // verified
    scalar::Params const& params;
    Transport& transport;
    Device& device;
    Readers const& readers;
    OutputSink& sink;
    SpillStore* spills = nullptr;  // for a section that spills
};

struct EngineOptions {
    int threads = 1;
    int repeat = 1;  // rounds on the loaded inputs; only the last one's outputs are stored
    DeviceMessages device_messages = DeviceMessages::automatic;
    std::optional<std::int64_t> device_memory;  // bytes of blocks on a device with memory of its own
    double opened_seconds = 0;                  // that inputs took to be opened before: a part of loading
    bool load_each_round = false;               // of all ranks alike: inputs do not stay, as where a rank spills
    bool check_finite = false;                  // looks at what every task makes: nothing may be fused
    CallChecks check_calls;                     // computes elements of what tasks make again, in the last round
    double stall = 300;                         // seconds
    Keep keep = Keep::latest;                   // of what happens: all for a trace
    Progress* progress = nullptr;               // at rank 0, if wanted
    Checkpoints* checkpoints = nullptr;         // if the run may be stopped and gone on with; then of one round
    TransferLimits limits;
    RunState::OnFailure on_failure;  // before the transport ends all ranks: report it, remove what is unfinished
    std::function<void(std::string const&)> explain;  // a line on what this rank waits for, when the run stalls
};

/// The memory of a device that has its own.
struct DeviceUse {
    std::int64_t capacity = 0;          // bytes that blocks might take
    bool direct_messages = false;       // from its memory, and into it
    schedule::DeviceTraffic predicted;  // of one round
    schedule::DeviceTraffic moved;      // of all rounds
};

/// What one rank did.
struct RunResult {
    double load_seconds = 0, execute_seconds = 0, store_seconds = 0, total_seconds = 0;  // execute: a round's, the mean
    TimeShares times;                     // of a round, the mean; waiting for other ranks at its end included
    std::vector<double> rounds;           // execute seconds of each
    double flops = 0;                     // of one round
    TransferCounts transfers;             // of one round
    BlockCounts blocks;                   // after the end
    std::int64_t live_after_execute = 0;  // blocks that wait to be stored
    std::int64_t peak_predicted = 0;
    schedule::DiskUse spilled;  // in one round
    std::optional<DeviceUse> device;
    std::optional<SeenNonFinite> non_finite;  // where it was looked for
    std::optional<RankCalls> calls;           // where they were checked
    bool stopped = false;                     // early, with a checkpoint: nothing is stored
    Table<schedule::LoopSpecId, std::int64_t>
        iterations;  // of each loop in one round, an inner one's over all iterations of the outer
    Table<schedule::LoopSpecId, std::uint8_t> ran_out;  // not 0: its condition asked for more iterations than there are
    schedule::Exchanged predicted;                      // of one round, for that many iterations
    double opened_seconds = 0;                          // of load_seconds, before the first task
    std::vector<TaskTimes> workers;                     // by worker; the last one has the transfers
};

class Engine {
public:
    /// Prepares kernels and counts. @throws InputError for a param without a value, MemoryError where a task's blocks
    /// do not fit on the device
    Engine(EngineParts parts, EngineOptions options);
    ~Engine();

    /// What happened so far. Its latest part may be read at any time, also while run() lasts or after it threw.
    Record const& record() const { return record_; }

    /// @throws Error, the first failure of this rank (after all ranks were told to end) or RunAborted
    RunResult run();

private:
    class Running;
    std::int64_t device_capacity() const;
    EngineParts parts_;
    EngineOptions options_;
    std::int64_t device_capacity_;  // bytes; 0: kernels run in this process's memory
    KernelTable kernels_;
    schedule::Profile profile_;
    FusedGroupRunner fused_groups_;
    Table<TaskId, std::int16_t> widths_;
    Record record_;
};

}  // namespace ein::executor
