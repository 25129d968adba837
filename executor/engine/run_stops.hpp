// Stops of a run, and going on with one: what the engine does for checkpoints. Beside the tasks, it comes to a point
// with the other ranks (checkpoint_watch.hpp); there it says what is live and has it saved; at the beginning it skips
// what is done and reads what was live. Notes and ticks on the progress thread, the rest on the engine's.
// Example: stops.begin(); while (stops.arrive(now)) { the phase goes on } and stops.ended() says whether to leave.
#pragma once

#include <optional>

#include "executor/checkpoint/checkpoint_watch.hpp"
#include "executor/checkpoint/checkpoints.hpp"
#include "executor/engine/run_state.hpp"
#include "executor/engine/task_runner.hpp"
#include "executor/spill/spill_store.hpp"

namespace ein::executor {

class RunStops {
public:
    struct Parts {
        schedule::Header const& header;
        schedule::Section const& section;
        Transport& transport;
        RunState& run_state;
        Readers const& readers;
        SpillStore* spills;
        Checkpoints& checkpoints;
    };
    explicit RunStops(Parts parts);

    // The progress thread.

    bool hear(CheckpointWatch::Note const& note);
    void tick(double now, std::vector<CheckpointWatch::Note>& out);
    bool under_way() const;

    // The engine's thread, while no task runs.

    /// In place of the load phase, where the run goes on from a checkpoint. @return whether it does
    bool resume();
    /// Collective, before the execute phase of a run that begins at the beginning: it stops at its first point where a
    /// rank wants a checkpoint already.
    void begin(double now);
    /// Collective, when all ranks have ended the execute phase or stand at a stop. @return whether the phase goes on
    bool arrive(double now);
    bool ended() const { return ended_before_.has_value(); }
    /// What of the section's work and messages this process has done: not what runs before have, and not what comes
    /// behind the point at which it ended. @param begun  iterations of the section's loops
    struct DoneHere {
        double flops = 0;
        schedule::Exchanged exchanged;
    };
    DoneHere done_here(schedule::IterationCounts const& begun) const;
    std::int64_t saves() const { return saves_; }
    /// Tasks that count as finished, but were not run: resume() skipped them.
    std::int64_t skipped() const { return skipped_; }

private:
    std::optional<schedule::Point> hold();
    void stop(schedule::Point const& point) EIN_REQUIRES(mutex_);
    std::optional<schedule::Point> next_point() const;
    void go_to(schedule::Point const& point) EIN_REQUIRES(mutex_);
    void leave_stop(int settled);
    std::optional<schedule::Point> latest_of_all();
    void save(schedule::Point const& point, double now);
    std::span<std::byte const> read(LiveBox const& live, std::vector<std::byte>& buffer) const;
    void restore(LiveBox const& live);
    std::vector<LiveBox> live(TaskId before) const;
    schedule::IterationCounts begun_of_ranks_loops() const;
    Table<schedule::LoopSpecId, std::int64_t> begun_of_all(schedule::IterationCounts const& mine) const;

    Parts parts_;
    mutable Mutex mutex_;
    bool resuming_ EIN_GUARDED_BY(mutex_);  // blocks are still being read: questions of other ranks wait
    CheckpointWatch watch_ EIN_GUARDED_BY(mutex_);
    std::optional<schedule::Point> target_ EIN_GUARDED_BY(mutex_);  // where all ranks stop
    Table<TaskId, std::int64_t> done_before_;  // how often each task has run in runs before; empty: there were none
    std::atomic<std::int64_t> saves_{0}, skipped_{0};
    OptionalId<TaskId> ended_before_;  // the task before which the run ended; none: it did not
};

}  // namespace ein::executor
