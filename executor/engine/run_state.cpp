#include "executor/engine/run_state.hpp"

#include <algorithm>
#include <new>

#include "executor/health/index_fault.hpp"
#include "executor/health/task_text.hpp"
#include "executor/report/clock.hpp"

namespace ein::executor {

namespace {

struct Failure {
    ExitCode code = ExitCode::failure;
    std::string message;
};

/// What a device with memory of its own finds wrong is of an earlier task than the one at `place`.
Failure failure_of(std::exception_ptr const& error, std::string const& place, schedule::Header const& header,
                   schedule::Section const& section) {
    std::string const prefix = place.empty() ? "" : place + ": ";
    try {
        std::rethrow_exception(error);
    } catch (IndexError const& late) {
        return {late.code(),
                task_text(header, section, *late.met().task) + ": " + index_fault(header, section, late.met()).text()};
    } catch (Error const& known) {
        return {known.code(), prefix + known.what()};
    } catch (std::bad_alloc const&) {
        return {ExitCode::no_memory,
                prefix + "memory ran out; use more ranks, fewer threads, or smaller blocks (einplan --parts)"};
    } catch (std::exception const& other) {
        return {ExitCode::failure, prefix + other.what()};
    } catch (...) {
        return {ExitCode::failure, prefix + "an exception of unknown type"};
    }
}

bool comes_from_another_rank(std::exception_ptr const& error) {
    try {
        std::rethrow_exception(error);
    } catch (RunAborted const&) {
        return true;
    } catch (...) {
        return false;
    }
}

}  // namespace

RunState::RunState(schedule::Header const& header, schedule::Section const& section, schedule::Profile const& profile,
                   TransferLimits limits, int workers, std::unique_ptr<BlockStorage> storage, OnFailure on_failure)
    : header_(header),
      section_(section),
      dispatcher_(section, header.loops, profile, limits),
      times_(workers),
      storage_(storage ? *storage : dispatcher_.store().storage()),
      on_failure_(std::move(on_failure)) {
    if (storage) dispatcher_.store().live_in(std::move(storage));
}

void RunState::begin_phase(Phase phase, double now) {
    MutexLock const lock(mutex_);
    dispatcher_.begin_phase(phase);
    if (phase == Phase::execute) times_.begin(now);
    events_.fetch_add(1);
}

void RunState::resume_phase(double now) {
    MutexLock const lock(mutex_);
    times_.begin(now);
    events_.fetch_add(1);
}

void RunState::end_phase(Phase phase, double now) {
    MutexLock const lock(mutex_);
    if (phase == Phase::execute) times_.end(now);
}

TimeShares RunState::times() const {
    MutexLock const lock(mutex_);
    return times_.shares();
}

void RunState::finish(TaskId task) {
    dispatcher_.finish(task);
    events_.fetch_add(1, std::memory_order_release);
    if (dispatcher_.phase_done()) work_.notify_all();
}

bool RunState::has_transfers() const { return dispatcher_.transfers_in_flight() > 0 || dispatcher_.transfers_wanted(); }

Work RunState::enter(Caller const& caller) {
    MutexLock const lock(mutex_);
    times_.turn_busy(seconds_now());
    return find_work(lock, caller);
}

Work RunState::next(Caller const& caller) {
    MutexLock const lock(mutex_);
    return find_work(lock, caller);
}

Work RunState::next_after(TaskId task, Caller const& caller) {
    MutexLock const lock(mutex_);
    finish(task);
    if (dispatcher_.transfers_wanted()) return {.kind = Work::Kind::start_transfers};
    return find_work(lock, caller);
}

Work RunState::find_work(MutexLock const& lock, Caller const& caller) {
    Work work;
    while (!closed_ && !(caller.leads && dispatcher_.phase_done())) {
        if (auto const task = dispatcher_.take_compute()) {
            wake_another(*task);
            return {.kind = Work::Kind::run, .task = *task};
        }
        if (try_help(work) || try_transfers(work)) return work;
        wait_for_work(lock);
    }
    times_.turn_idle(seconds_now());
    return work;
}

/// Called before a worker turns to its task: who is idle may find another thing to do.
void RunState::wake_another(TaskId taken) {
    if (idle_ == 0) return;
    if ((!polling_ && has_transfers()) || another_wanted(taken)) work_.notify_one();
}

bool RunState::another_wanted(TaskId taken) const {
    if (!dispatcher_.compute_wanted()) return false;
    return !is_launch_ || !is_launch_(taken) || !is_launch_(dispatcher_.next_compute());
}

bool RunState::try_help(Work& work) {
    auto const open =
        std::find_if(lent_.begin(), lent_.end(), [](Lent const& each) { return each.kernel->has_pieces(); });
    if (open == lent_.end()) return false;
    ++open->helpers;
    work = {.kind = Work::Kind::help, .kernel = open->kernel};
    return true;
}

bool RunState::try_transfers(Work& work) {
    if (polling_ || !has_transfers()) return false;
    polling_ = true;
    double const now = seconds_now();
    times_.turn_idle(now);
    work = {.kind = Work::Kind::poll_transfers, .events = events_.load(), .since = now};
    return true;
}

void RunState::end_polling(double now) {
    MutexLock const lock(mutex_);
    times_.turn_busy(now);
    polling_ = false;
}

/// Woken for nothing, the worker looks around and waits again.
void RunState::wait_for_work(MutexLock const& lock) {
    times_.turn_idle(seconds_now());
    ++idle_;
    work_.wait(lock);
    --idle_;
    times_.turn_busy(seconds_now());
}

void RunState::lend(SharedKernel& kernel) {
    MutexLock const lock(mutex_);
    lent_.push_back({&kernel, 0, nullptr});
    events_.fetch_add(1, std::memory_order_release);
    if (idle_ > 0) work_.notify_all();
}

RunState::Lent& RunState::lent(SharedKernel& kernel) {
    return *std::find_if(lent_.begin(), lent_.end(), [&](Lent const& each) { return each.kernel == &kernel; });
}

void RunState::take_back(SharedKernel& kernel, std::exception_ptr error) {
    MutexLock const lock(mutex_);
    helpers_left_.wait(lock, [&]() EIN_REQUIRES(mutex_) { return lent(kernel).helpers == 0; });
    if (lent(kernel).error) error = lent(kernel).error;
    lent_.erase(lent_.begin() + (&lent(kernel) - lent_.data()));
    if (error) std::rethrow_exception(error);
}

void RunState::end_help(SharedKernel& kernel, std::exception_ptr error) {
    MutexLock const lock(mutex_);
    Lent& helped = lent(kernel);
    if (!helped.error) helped.error = error;
    if (--helped.helpers == 0) helpers_left_.notify_all();
}

std::optional<std::int64_t> RunState::take_transfers(std::vector<TransferStart>& starting) {
    MutexLock const lock(mutex_);
    if (closed_) return std::nullopt;
    while (auto const task = dispatcher_.take_receive()) starting.push_back({*task, SendEnds::when_free});
    while (auto const task = dispatcher_.take_send())
        starting.push_back(
            {*task, dispatcher_.iterations().keeps_pace(*task) ? SendEnds::when_taken : SendEnds::when_free});
    if (!starting.empty()) times_.transfers(dispatcher_.transfers_in_flight(), seconds_now());
    if (!starting.empty() && progress_thread_asleep_) attention_.notify_one();
    return dispatcher_.transfers_in_flight();
}

std::int64_t RunState::finish_transfers(std::span<Transport::Ticket const> done, double now) {
    MutexLock const lock(mutex_);
    for (Transport::Ticket const ticket : done) finish(TaskId{static_cast<std::int32_t>(ticket)});
    times_.transfers(dispatcher_.transfers_in_flight(), now);
    if (idle_ > 0) work_.notify_one();
    return dispatcher_.transfers_in_flight();
}

RunState::Attention RunState::wait_for_attention(std::function<Pause(bool transfers)> const& pause) {
    MutexLock const lock(mutex_);
    if (closed_) return {.closed = true};
    bool const transfers = has_transfers();
    Pause const wanted = pause(transfers);
    progress_thread_asleep_ = wanted.asleep;
    attention_.wait_until(lock, wanted.until);
    progress_thread_asleep_ = false;
    return {closed_, transfers && !polling_ && !closed_};
}

void RunState::fail(std::exception_ptr error, std::string const& place) {
    Failure const what = failure_of(error, place, header_, section_);
    {
        MutexLock const lock(mutex_);
        if (failure_) return;
        failure_ = comes_from_another_rank(error) ? error : std::make_exception_ptr(Error(what.code, what.message));
    }
    close();
    if (comes_from_another_rank(error)) return;
    try {
        on_failure_(what.code, what.message);
    } catch (RunAborted const&) {  // reported; this rank's threads leave as those of the others do
    }
}

void RunState::close() {
    MutexLock const lock(mutex_);
    closed_ = true;
    events_.fetch_add(1, std::memory_order_release);
    work_.notify_all();
    attention_.notify_all();
}

bool RunState::closed() const {
    MutexLock const lock(mutex_);
    return closed_;
}

std::exception_ptr RunState::failure() const {
    MutexLock const lock(mutex_);
    return failure_;
}

}  // namespace ein::executor
