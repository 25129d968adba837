// The record of a run on one rank: a log for each worker, one for its transfers, and the phases. It is kept for every
// run; a failed one is explained from what it has last (flight_record.hpp), a traced one from all of it (trace.hpp).
// Example: record.worker(0).begin(task, now), ...; record.transfers().start(TaskId{5}, now) is open until
// finish(TaskId{5}, later).
#pragma once

#include <deque>

#include "executor/trace/event_log.hpp"
#include "lib/schedule/dispatch/dispatcher.hpp"

namespace ein::executor {

/// Sends and receives: many are open at a time. One thread writes at a time.
class TransferLog {
public:
    TransferLog(std::size_t tasks, Keep keep) : log_(keep), since_(tasks) {}

    void start(TaskId task, double now) { since_[index(task)].store(now, std::memory_order_relaxed); }
    /// @return seconds since its start
    double finish(TaskId task, double now) {
        double const begin = since_[index(task)].load(std::memory_order_relaxed);
        since_[index(task)].store(not_open, std::memory_order_relaxed);
        log_.add({task, -1, begin, now});
        return now - begin;
    }

    /// As EventLog's; all that are open come last.
    std::vector<Event> latest() const;
    std::vector<Event> all() const { return log_.all(); }

private:
    static constexpr double not_open = 0;
    static std::size_t index(TaskId task) { return static_cast<std::size_t>(task.value()); }

    EventLog log_;
    std::vector<std::atomic<double>> since_;  // by task
};

/// A phase of a round, and how long this rank waited for others at its end.
struct PhaseSpan {
    schedule::Phase phase = schedule::Phase::load;
    int round = 0;
    double begin = 0, worked = 0, end = 0;  // its own tasks had ended at `worked`
};

/// What a run did with a checkpoint.
struct CheckpointSpan {
    enum class Kind { resumed, saved } kind = Kind::saved;
    double begin = 0, end = 0;
};

class Record {
public:
    /// How often each loop was entered for how many iterations.
    using Taken = Table<schedule::LoopId, std::vector<schedule::Iterations::Taken>>;

    /// @param tasks  of this rank's section
    Record(int workers, std::size_t tasks, Keep keep) : keep_(keep), transfers_(tasks, keep) {
        for (int i = 0; i < workers; ++i) workers_.emplace_back(keep);
    }

    EventLog& worker(int i) { return workers_[static_cast<std::size_t>(i)]; }
    std::deque<EventLog> const& workers() const { return workers_; }
    TransferLog& transfers() { return transfers_; }
    TransferLog const& transfers() const { return transfers_; }

    /// Kept for a trace alone; from one thread.
    void add(PhaseSpan const& phase) {
        if (keep_ == Keep::all) phases_.push_back(phase);
    }
    std::vector<PhaseSpan> const& phases() const { return phases_; }
    void add(CheckpointSpan const& checkpoint) {
        if (keep_ == Keep::all) checkpoints_.push_back(checkpoint);
    }
    std::vector<CheckpointSpan> const& checkpoints() const { return checkpoints_; }
    /// The run began in the middle of its tasks.
    bool resumed() const { return !checkpoints_.empty() && checkpoints_.front().kind == CheckpointSpan::Kind::resumed; }
    /// Of the run's loops, when it has ended; kept for a trace alone.
    void set_iterations(Taken const& iterations) {
        if (keep_ == Keep::all) iterations_ = iterations;
    }
    Taken const& iterations() const { return iterations_; }

private:
    Keep keep_;
    std::deque<EventLog> workers_;  // a deque: a log stays where it is
    TransferLog transfers_;
    std::vector<PhaseSpan> phases_;
    std::vector<CheckpointSpan> checkpoints_;
    Taken iterations_;
};

}  // namespace ein::executor
