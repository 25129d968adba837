#include "executor/engine/worker_pool.hpp"

#include <algorithm>

#include "executor/report/clock.hpp"
#include "executor/health/task_text.hpp"

namespace ein::executor {
namespace {
constexpr double between_looks = 200e-6;  // s; a link of 10 Gbit/s brings 250 KB in that time
}

/// The worker pool as one kernel sees it.
class WorkerPool::SharedKernelTeam final : public WorkerTeam {
public:
    SharedKernelTeam(WorkerPool& worker_pool, Worker& self, int width) : worker_pool_(worker_pool), self_(self), width_(width) {}
    int width() const override { return width_; }
    void run(std::int64_t pieces, std::function<void(std::int64_t)> const& piece) override {
        if (pieces > 1 && width_ > 1) return worker_pool_.lend(self_, pieces, piece);
        for (std::int64_t i = 0; i < pieces; ++i) {
            piece(i);
            pause();
        }
    }
    void pause() override { worker_pool_.move_messages(); }

private:
    WorkerPool& worker_pool_;
    Worker& self_;
    int width_;
};

WorkerPool::WorkerPool(int threads, RunState& run_state, Parts parts) : run_state_(run_state), parts_(parts) {
    for (int i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(parts.record.worker(i)));
    for (int i = 1; i < threads; ++i)
        threads_.emplace_back([this, i] { serve(*workers_[static_cast<std::size_t>(i)], false); });
}

WorkerPool::~WorkerPool() { join(); }

void WorkerPool::join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

void WorkerPool::work() { serve(*workers_.front(), true); }

void WorkerPool::serve(Worker& self, bool leads) {
    try {
        serve_until_done(self, leads);
    } catch (...) {
        run_state_.fail(std::current_exception(), "");
    }
}

void WorkerPool::serve_until_done(Worker& self, bool leads) {
    Lock lock(run_state_.mutex);
    run_state_.times.turn_busy(seconds_now());
    while (!run_state_.closed && !(leads && run_state_.dispatcher.phase_done())) {
        if (auto const task = run_state_.dispatcher.take_compute())
            run_task(self, *task, lock);
        else if (!help(self, lock) && !look_after_transfers(lock))
            wait(lock);
    }
    run_state_.times.turn_idle(seconds_now());
}

void WorkerPool::run_task(Worker& self, TaskId task, Lock& lock) {
    auto const index = static_cast<std::size_t>(task.value());
    FusedGroupRunner const& fused_groups = parts_.runner.fused_groups();
    if (fused_groups.is_held_back(task)) {
        self.times.add(parts_.section.tasks[index].kind, 0);
        return run_state_.leave(task);
    }
    wake_another();
    lock.unlock();
    double const begin = seconds_now();
    self.log.begin(task, begin);
    try {
        SharedKernelTeam team(*this, self, parts_.widths.empty() ? 1 : parts_.widths[index]);
        parts_.runner.run(task, team, self.scratch);
    } catch (...) {
        run_state_.fail(std::current_exception(), task_text(parts_.header, parts_.section, task));
        lock.lock();
        return;
    }
    double const end = seconds_now();
    self.log.end(end);
    self.times.add(parts_.section.tasks[index].kind, end - begin);
    lock.lock();
    run_state_.finish(task, fused_groups.is_last(task) ? fused_groups.held_back_for(task) : std::span<TaskId const>());
    if (parts_.communicator == nullptr || !run_state_.dispatcher.transfers_wanted()) return;
    lock.unlock();
    parts_.communicator->step();
    lock.lock();
}

/// Called before a worker turns to its task: who is idle may find another thing to do.
void WorkerPool::wake_another() {
    if (run_state_.idle == 0) return;
    bool const transfers = parts_.communicator != nullptr && !run_state_.polling &&
                           (run_state_.dispatcher.transfers_in_flight() > 0 || run_state_.dispatcher.transfers_wanted());
    if (transfers || run_state_.dispatcher.compute_wanted()) run_state_.work.notify_one();
}

bool WorkerPool::help(Worker& self, Lock& lock) {
    auto const open = std::find_if(run_state_.jobs.begin(), run_state_.jobs.end(), [](SharedKernel const* job) {
        return job->next.load(std::memory_order_relaxed) < job->pieces;
    });
    if (open == run_state_.jobs.end()) return false;
    SharedKernel& job = **open;
    ++job.helpers;
    lock.unlock();
    take_pieces(self, job);
    lock.lock();
    if (--job.helpers == 0) job_done_.notify_all();
    return true;
}

bool WorkerPool::look_after_transfers(Lock& lock) {
    if (parts_.communicator == nullptr || run_state_.polling) return false;
    if (run_state_.dispatcher.transfers_in_flight() == 0 && !run_state_.dispatcher.transfers_wanted()) return false;
    run_state_.polling = true;
    double const begin = seconds_now();
    run_state_.times.turn_idle(begin);
    unsigned const seen = run_state_.events.load();
    lock.unlock();
    double now = begin;
    try {
        do {
            parts_.communicator->step();
            // After ten fruitless milliseconds a nap delays little and leaves the core to ranks that compute.
            if (now - begin < 10e-3)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            now = seconds_now();
        } while (run_state_.events.load() == seen && parts_.communicator->busy());
    } catch (...) {
        run_state_.fail(std::current_exception(), "");
    }
    lock.lock();
    run_state_.times.turn_busy(now);
    run_state_.polling = false;
    return true;
}

/// While kernels run nobody else may have a core to do it on.
void WorkerPool::move_messages() {
    Communicator* const communicator = parts_.communicator;
    if (communicator == nullptr || !communicator->busy()) return;
    double const now = seconds_now();
    if (now < next_look_.load(std::memory_order_relaxed)) return;
    next_look_.store(now + between_looks, std::memory_order_relaxed);
    try {
        communicator->step();
    } catch (...) {  // no fault of the kernel that looked
        run_state_.fail(std::current_exception(), "");
    }
}

void WorkerPool::wait(Lock& lock) {
    run_state_.times.turn_idle(seconds_now());
    ++run_state_.idle;
    run_state_.work.wait(lock);  // woken for nothing, the worker looks around and waits again
    --run_state_.idle;
    run_state_.times.turn_busy(seconds_now());
}

void WorkerPool::lend(Worker& self, std::int64_t pieces, std::function<void(std::int64_t)> const& piece) {
    SharedKernel job;
    job.task = self.log.open();
    job.piece = &piece;
    job.pieces = pieces;
    {
        std::lock_guard lock(run_state_.mutex);
        run_state_.jobs.push_back(&job);
        run_state_.events.fetch_add(1, std::memory_order_release);
        if (run_state_.idle > 0) run_state_.work.notify_all();
    }
    take_pieces(self, job);
    Lock lock(run_state_.mutex);
    run_state_.jobs.erase(std::find(run_state_.jobs.begin(), run_state_.jobs.end(), &job));
    job_done_.wait(lock, [&] { return job.helpers == 0; });
    if (job.error) std::rethrow_exception(job.error);
}

void WorkerPool::take_pieces(Worker& self, SharedKernel& job) {
    bool const traced = self.log.keeps_all();
    for (std::int64_t i = job.next.fetch_add(1); i < job.pieces; i = job.next.fetch_add(1)) {
        try {
            double const begin = traced ? seconds_now() : 0;
            (*job.piece)(i);
            if (traced) self.log.add_piece({job.task, static_cast<std::int32_t>(i), begin, seconds_now()});
            move_messages();
        } catch (...) {
            job.next = job.pieces;  // the rest is not worth starting
            std::lock_guard lock(run_state_.mutex);
            if (!job.error) job.error = std::current_exception();
        }
    }
}

std::vector<TaskTimes const*> WorkerPool::times() const {
    std::vector<TaskTimes const*> out;
    for (auto const& worker : workers_) out.push_back(&worker->times);
    return out;
}

std::vector<TaskId> WorkerPool::running() const {
    std::vector<TaskId> out;
    for (auto const& worker : workers_) out.push_back(worker->log.open());
    return out;
}

}  // namespace ein::executor
