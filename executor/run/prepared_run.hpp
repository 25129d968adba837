// One rank's part of a run, made ready: its device, its inputs opened, its outputs named, room on disk for what it
// spills, and the engine. An object that exists can run; until then nothing was computed and no output made.
// Example: PreparedRun run(parts); run.create_outputs(); Ran ran = run.run(); run.complete_outputs();
// run.publish_outputs(); on one rank.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "executor/finite/non_finite_report.hpp"
#include "executor/io/output_files.hpp"
#include "executor/report/progress.hpp"
#include "executor/report/report.hpp"
#include "executor/run/host_share.hpp"
#include "executor/run/rank_device.hpp"
#include "executor/run/run_settings.hpp"
#include "executor/run/watched_run.hpp"
#include "executor/spill/spill_store.hpp"
#include "executor/startup/memory_fit.hpp"
#include "executor/trace/clock_line.hpp"

namespace ein::executor {

/// What all of it is made from. Whatever is referred to must outlive the run.
struct RunParts {
    Transport& transport;
    RunSettings const& settings;
    RankSchedule& schedule;  // as the run's params, inputs and memory want it; fitted to the device
    MemoryFit const& fit;
    HostShare const& share;
    std::string name;  // unlike that of any other run; the same on all ranks
    Messages const& messages;
    Checkpoints* checkpoints = nullptr;  // where they are asked for
};

/// What a run has done, as one rank counts it.
struct Ran {
    RunResult result;
    ClockLine clock;  // with a trace; else nothing
};

class PreparedRun {
public:
    /// Not collective: ranks agree on how it went (agreement.hpp).
    /// @throws UsageError, RunError, InputError, MemoryError as device, inputs, outputs, disk and engine do
    explicit PreparedRun(RunParts const& parts);
    PreparedRun(PreparedRun const&) = delete;
    PreparedRun& operator=(PreparedRun const&) = delete;

    RankDevice const& device() const { return device_; }
    bool spills_in_memory() const { return spills_ && spills_->in_memory(); }
    RunFacts facts() const;

    /// One rank, before any runs: outputs under temporary names, and no flight records of the run before.
    /// @throws RunError
    void create_outputs();
    /// Collective. @throws as Engine::run
    Ran run();
    /// Collective, when all have run. @param result  what run() gave
    NonFiniteReport non_finite(RunResult const& result);
    /// Collective, after that: sparse outputs are written. @throws Disagreement
    void complete_outputs();
    /// One rank, in the end. @throws RunError
    void publish_outputs();
    void discard_outputs() { outputs_.discard(); }

    Record const& record() const { return watched_.record(); }
    std::vector<std::filesystem::path> output_files() const;

private:
    ClockReading read_clock();

    RunParts parts_;
    RankDevice device_;
    double began_;  // to open the inputs; seconds_now()
    Readers readers_;
    double opened_seconds_;
    OutputFiles outputs_;
    CountedOutputs counted_;
    std::optional<SpillStore> spills_;
    Progress progress_;
    WatchedRun watched_;
};

}  // namespace ein::executor
