// The worker threads of one rank. Each takes the lowest ready task; one that finds none lends itself to a kernel that
// is running, or looks after the transfers, or waits on a condition. The thread that calls work() is one of them.
// Example: WorkerPool pool(4, ...); pool.work() returns when the phase is done (or failed), with three threads of its
// own left waiting.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "executor/engine/communicator.hpp"
#include "executor/engine/run_state.hpp"
#include "executor/engine/task_runner.hpp"
#include "executor/engine/worker_team.hpp"
#include "executor/report/task_times.hpp"
#include "executor/trace/record.hpp"

namespace ein::executor {

class WorkerPool {
public:
    struct Parts {
        schedule::Header const& header;
        schedule::Section const& section;
        TaskRunner const& runner;
        Communicator* communicator;                 // nullptr with one rank
        Table<TaskId, std::int16_t> const& widths;  // see kernel_widths()
        Record& record;
        bool computes_here = true;  // kernels run on workers, not on a device that they wait for
    };
    WorkerPool(int threads, RunState& run_state, Parts parts);
    ~WorkerPool();
    /// Ends the worker pool's own threads; the run state must be closed. Afterwards times() stand still.
    void join();

    /// Works until the phase is done or the run state closed.
    void work();

    std::vector<TaskTimes const*> times() const;
    /// What each worker runs now, for messages.
    std::vector<OptionalId<TaskId>> running() const;

private:
    struct Worker {
        explicit Worker(EventLog& of) : log(of) {}
        EventLog& log;
        TaskTimes times;
        TaskRunner::Scratch scratch;
        double waited = 0;  // in the kernel that it runs, for others that have pieces of it
    };
    class SharedKernelTeam;
    void serve(Worker& self, bool leads);
    void serve_until_done(Worker& self, bool leads);
    /// @return what comes next
    Work carry_out(Worker& self, Work const& work, Caller const& caller);
    Work run_task(Worker& self, TaskId task, Caller const& caller);
    bool asks_for_cores(Worker const& self, schedule::TaskKind kind) const;
    void help(Worker& self, SharedKernel& kernel);
    void look_after_transfers(Work const& work);
    /// Pieces of the kernel that `self` runs, on its thread and idle ones (see WorkerTeam::run).
    void lend(Worker& self, std::int64_t pieces, std::function<void(std::int64_t)> const& piece);
    /// @return the first failure of a piece, after which the rest is not started
    std::exception_ptr take_pieces(Worker& self, SharedKernel& kernel);
    void move_messages();

    RunState& run_state_;
    Parts parts_;
    std::atomic<double> next_look_{0};  // at messages, from inside a kernel; as seconds_now()
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::thread> threads_;  // of workers 1, 2, ...
};

}  // namespace ein::executor
