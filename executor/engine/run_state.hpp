// What the threads of one rank share: the dispatcher under one lock, the conditions they wait on, and the first failure.
// One lock is enough: a task takes it once, to report its end and get the next.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>

#include "executor/engine/dispatcher.hpp"
#include "executor/report/time_accounting.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

struct SharedKernel;

struct RunState {
    /// Tells the user and ends all ranks. It may throw: this rank ends anyway.
    using OnFailure = std::function<void(ExitCode code, std::string const& message)>;

    RunState(schedule::Section const& section, std::vector<schedule::LoopSpec> const& loops,
         schedule::Profile const& profile, TransferLimits limits, int workers, OnFailure on_failure_)
        : dispatcher(section, loops, profile, limits), times(workers), on_failure(std::move(on_failure_)) {}

    std::mutex mutex;                   // of everything below but `events`
    std::condition_variable work;       // there may be something to do for an idle worker
    std::condition_variable attention;  // for the attendant
    Dispatcher dispatcher;
    TimeAccounting times;                 // of the execute phases
    std::vector<SharedKernel*> jobs;     // kernels that idle workers may help with
    int idle = 0;                   // workers that wait on `work`
    bool polling = false;           // an idle worker looks after the transfers
    bool attendant_asleep = false;  // until its next tick, unless called
    bool closed = false;            // no task starts any more
    std::exception_ptr failure;
    OnFailure on_failure;

    std::atomic<unsigned> events{0};  // grows with whatever may give a waiting thread something to do

    /// Ends one task. Called under the lock.
    void finish(TaskId task) {
        dispatcher.finish(task);
        events.fetch_add(1, std::memory_order_release);
        if (dispatcher.phase_done()) work.notify_all();
    }

    /// A task of a fused group, whose work its last task does (see FusedGroupRunner). Under the lock, as the end of the last one.
    void leave(TaskId task) {
        dispatcher.leave(task);
        events.fetch_add(1, std::memory_order_release);
    }
    void finish(TaskId last, std::span<TaskId const> left_to_it) {
        for (TaskId task : left_to_it) dispatcher.give_up_inputs(task);
        finish(last);
    }

    /// Called without the lock, in a catch block. Only the first failure is told; `place` ("task 17 (...)") may be empty.
    void fail(std::exception_ptr error, std::string const& place);
    void close();
};

}  // namespace ein::executor
