// What the threads of one rank share: the dispatcher, what idle workers wait for, and the first failure. A monitor:
// fields are private, each function locks, and waiting happens inside. One lock is enough: a worker takes it once a
// task, to report its end and get the next. More functions than elsewhere, since four kinds of threads meet here (the
// engine's, workers, who moves transfers, the progress thread); each has its section below. Leaves running tasks to
// worker_pool.hpp, transfers to communicator.hpp, ticks to progress_thread.hpp.
// Example: work = state.enter(caller); while (work.kind == run) { ...; work = state.next_after(work.task, caller); }
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "executor/engine/dispatcher.hpp"
#include "executor/engine/shared_kernel.hpp"
#include "executor/report/time_accounting.hpp"
#include "executor/transport/transport.hpp"
#include "lib/base/error.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor {

/// What a worker is to do next.
struct Work {
    enum class Kind {
        leave,            // nothing: the run is closed, or the phase is done
        run,              // `task`
        help,             // take pieces of `kernel`, then RunState::end_help
        poll_transfers,   // until they end or `events` differs, then RunState::end_polling
        start_transfers,  // one step of the communicator
    };
    Kind kind = Kind::leave;
    TaskId task{};
    SharedKernel* kernel = nullptr;
    unsigned events = 0;
    double since = 0;  // seconds_now()
};

/// Who asks for work.
struct Caller {
    bool leads = false;  // leaves when the phase is done; the others wait for the next one
};

/// A transfer that may start.
struct TransferStart {
    TaskId task{};
    SendEnds ends = SendEnds::when_free;
};

class RunState {
public:
    /// Reports it and ends all ranks. It may throw: this rank ends anyway.
    using OnFailure = std::function<void(ExitCode code, std::string const& message)>;

    /// @param storage  where blocks live; nullptr: in this process's memory
    RunState(schedule::Header const& header, schedule::Section const& section, schedule::Profile const& profile,
             TransferLimits limits, int workers, std::unique_ptr<BlockStorage> storage, OnFailure on_failure);

    /// The blocks' memory; what it may be asked from any thread, it says itself.
    BlockStorage& storage() const { return storage_; }

    // The engine's thread: phases.

    void begin_phase(Phase phase, double now);
    void end_phase(Phase phase, double now);
    /// Calls use(dispatcher) unless the run is closed. Between phases, while no task is under way. @return whether it
    /// did
    template <class Use>
    bool change(Use const& use) {
        MutexLock const lock(mutex_);
        if (!closed_) use(dispatcher_);
        return !closed_;
    }
    /// Calls use(dispatcher) while tasks run, and wakes whoever waits: something else may start now, or nothing more.
    /// @return what it gives
    template <class Use>
    auto steer(Use const& use) {
        MutexLock const lock(mutex_);
        events_.fetch_add(1, std::memory_order_release);
        work_.notify_all();
        attention_.notify_all();
        return use(dispatcher_);
    }
    /// The phase that ended at a stop goes on.
    void resume_phase(double now);
    /// @return look(dispatcher), a value: no reference to what the mutex guards
    template <class Look>
    auto read(Look const& look) const {
        MutexLock const lock(mutex_);
        return look(std::as_const(dispatcher_));
    }
    TimeShares times() const;  // of the execute phases

    /// Before any worker begins: tasks that take a worker no time, and that one launches as fast as many. Nobody is
    /// woken for one while another is launched.
    void expect_launches(std::function<bool(TaskId)> is_launch) { is_launch_ = std::move(is_launch); }

    // Workers. Each function that gives Work waits until there is some.

    Work enter(Caller const& caller);
    Work next(Caller const& caller);
    /// Ends the task that the caller ran.
    Work next_after(TaskId task, Caller const& caller);
    void end_polling(double now);
    /// Idle workers may take pieces of the caller's kernel from now on.
    void lend(SharedKernel& kernel);
    /// Nobody has it any more; waits for those that help. @param error  of the caller's own pieces  @throws the first
    /// failure of a piece
    void take_back(SharedKernel& kernel, std::exception_ptr error);
    void end_help(SharedKernel& kernel, std::exception_ptr error);

    // Transfers: whoever is inside the communicator.

    /// Grows with whatever may give a waiting thread something to do.
    unsigned events() const { return events_.load(); }
    /// Takes all that may start, receives first: nobody waits for us in vain. @return transfers under way; nothing when
    /// the run is closed
    std::optional<std::int64_t> take_transfers(std::vector<TransferStart>& starting);
    /// @return transfers that are still under way
    std::int64_t finish_transfers(std::span<Transport::Ticket const> done, double now);

    // The progress thread.

    struct Pause {
        std::chrono::steady_clock::time_point until;
        bool asleep = false;  // until then, unless a transfer starts
    };
    struct Attention {
        bool closed = false;
        bool poll = false;  // transfers are under way, or may start, that no worker looks after
    };
    /// @param pause  how long to wait; called with the mutex held
    Attention wait_for_attention(std::function<Pause(bool transfers)> const& pause);

    // Ends.

    /// In a catch block. Only the first failure is reported; `place` ("task 17 (...)") may be empty.
    void fail(std::exception_ptr error, std::string const& place);
    void close();  // no task starts any more
    bool closed() const;
    std::exception_ptr failure() const;

private:
    struct Lent {
        SharedKernel* kernel;
        int helpers = 0;
        std::exception_ptr error;
    };
    Work find_work(MutexLock const& lock, Caller const& caller) EIN_REQUIRES(mutex_);
    bool try_transfers(Work& work) EIN_REQUIRES(mutex_);
    bool try_help(Work& work) EIN_REQUIRES(mutex_);
    void wait_for_work(MutexLock const& lock) EIN_REQUIRES(mutex_);
    void wake_another(TaskId taken) EIN_REQUIRES(mutex_);
    bool another_wanted(TaskId taken) const EIN_REQUIRES(mutex_);
    void finish(TaskId task) EIN_REQUIRES(mutex_);
    bool has_transfers() const EIN_REQUIRES(mutex_);
    Lent& lent(SharedKernel& kernel) EIN_REQUIRES(mutex_);

    schedule::Header const& header_;
    schedule::Section const& section_;
    mutable Mutex mutex_;
    Condition work_;          // there may be something to do for an idle worker
    Condition attention_;     // for the progress thread
    Condition helpers_left_;  // of a kernel that is taken back
    Dispatcher dispatcher_ EIN_GUARDED_BY(mutex_);
    TimeAccounting times_ EIN_GUARDED_BY(mutex_);
    std::vector<Lent> lent_ EIN_GUARDED_BY(mutex_);
    int idle_ EIN_GUARDED_BY(mutex_) = 0;                         // workers that wait for work_
    bool polling_ EIN_GUARDED_BY(mutex_) = false;                 // an idle worker looks after the transfers
    bool progress_thread_asleep_ EIN_GUARDED_BY(mutex_) = false;  // until its next tick, unless called
    bool closed_ EIN_GUARDED_BY(mutex_) = false;
    std::exception_ptr failure_ EIN_GUARDED_BY(mutex_);
    BlockStorage& storage_;
    OnFailure const on_failure_;
    std::function<bool(TaskId)> is_launch_;
    std::atomic<unsigned> events_{0};
};

}  // namespace ein::executor
