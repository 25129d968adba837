#include "executor/engine/worker_pool.hpp"

#include <algorithm>

#include "executor/report/clock.hpp"
#include "executor/health/task_text.hpp"

namespace ein::executor {
namespace {
constexpr double between_looks = 200e-6;  // s; a link of 10 Gbit/s brings 250 KB in that time
}

/// The crew as one kernel sees it.
class Crew::LentTeam final : public Team {
public:
    LentTeam(Crew& crew, Worker& self, int width) : crew_(crew), self_(self), width_(width) {}
    int width() const override { return width_; }
    void run(std::int64_t pieces, std::function<void(std::int64_t)> const& piece) override {
        if (pieces > 1 && width_ > 1) return crew_.lend(self_, pieces, piece);
        for (std::int64_t i = 0; i < pieces; ++i) {
            piece(i);
            pause();
        }
    }
    void pause() override { crew_.move_messages(); }

private:
    Crew& crew_;
    Worker& self_;
    int width_;
};

Crew::Crew(int threads, Desk& desk, Parts parts) : desk_(desk), parts_(parts) {
    for (int i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(parts.record.worker(i)));
    for (int i = 1; i < threads; ++i)
        threads_.emplace_back([this, i] { serve(*workers_[static_cast<std::size_t>(i)], false); });
}

Crew::~Crew() { join(); }

void Crew::join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

void Crew::work() { serve(*workers_.front(), true); }

void Crew::serve(Worker& self, bool leads) {
    try {
        serve_until_done(self, leads);
    } catch (...) {
        desk_.fail(std::current_exception(), "");
    }
}

void Crew::serve_until_done(Worker& self, bool leads) {
    Lock lock(desk_.mutex);
    desk_.times.turn_busy(seconds_now());
    while (!desk_.closed && !(leads && desk_.agenda.phase_done())) {
        if (auto const task = desk_.agenda.take_compute())
            run_task(self, *task, lock);
        else if (!help(self, lock) && !look_after_transfers(lock))
            wait(lock);
    }
    desk_.times.turn_idle(seconds_now());
}

void Crew::run_task(Worker& self, TaskId task, Lock& lock) {
    auto const index = static_cast<std::size_t>(task.value());
    ChainRunner const& chains = parts_.runner.chains();
    if (chains.is_held_back(task)) {
        self.times.add(parts_.section.tasks[index].kind, 0);
        return desk_.leave(task);
    }
    wake_another();
    lock.unlock();
    double const begin = seconds_now();
    self.log.begin(task, begin);
    try {
        LentTeam team(*this, self, parts_.widths.empty() ? 1 : parts_.widths[index]);
        parts_.runner.run(task, team, self.scratch);
    } catch (...) {
        desk_.fail(std::current_exception(), task_text(parts_.header, parts_.section, task));
        lock.lock();
        return;
    }
    double const end = seconds_now();
    self.log.end(end);
    self.times.add(parts_.section.tasks[index].kind, end - begin);
    lock.lock();
    desk_.finish(task, chains.is_last(task) ? chains.held_back_for(task) : std::span<TaskId const>());
    if (parts_.communicator == nullptr || !desk_.agenda.transfers_wanted()) return;
    lock.unlock();
    parts_.communicator->step();
    lock.lock();
}

/// Called before a worker turns to its task: who is idle may find another thing to do.
void Crew::wake_another() {
    if (desk_.idle == 0) return;
    bool const transfers = parts_.communicator != nullptr && !desk_.polling &&
                           (desk_.agenda.transfers_in_flight() > 0 || desk_.agenda.transfers_wanted());
    if (transfers || desk_.agenda.compute_wanted()) desk_.work.notify_one();
}

bool Crew::help(Worker& self, Lock& lock) {
    auto const open = std::find_if(desk_.jobs.begin(), desk_.jobs.end(), [](LentJob const* job) {
        return job->next.load(std::memory_order_relaxed) < job->pieces;
    });
    if (open == desk_.jobs.end()) return false;
    LentJob& job = **open;
    ++job.helpers;
    lock.unlock();
    take_pieces(self, job);
    lock.lock();
    if (--job.helpers == 0) job_done_.notify_all();
    return true;
}

bool Crew::look_after_transfers(Lock& lock) {
    if (parts_.communicator == nullptr || desk_.polling) return false;
    if (desk_.agenda.transfers_in_flight() == 0 && !desk_.agenda.transfers_wanted()) return false;
    desk_.polling = true;
    double const begin = seconds_now();
    desk_.times.turn_idle(begin);
    unsigned const seen = desk_.events.load();
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
        } while (desk_.events.load() == seen && parts_.communicator->busy());
    } catch (...) {
        desk_.fail(std::current_exception(), "");
    }
    lock.lock();
    desk_.times.turn_busy(now);
    desk_.polling = false;
    return true;
}

/// While kernels run nobody else may have a core to do it on.
void Crew::move_messages() {
    Communicator* const communicator = parts_.communicator;
    if (communicator == nullptr || !communicator->busy()) return;
    double const now = seconds_now();
    if (now < next_look_.load(std::memory_order_relaxed)) return;
    next_look_.store(now + between_looks, std::memory_order_relaxed);
    try {
        communicator->step();
    } catch (...) {  // no fault of the kernel that looked
        desk_.fail(std::current_exception(), "");
    }
}

void Crew::wait(Lock& lock) {
    desk_.times.turn_idle(seconds_now());
    ++desk_.idle;
    desk_.work.wait(lock);  // woken for nothing, the worker looks around and waits again
    --desk_.idle;
    desk_.times.turn_busy(seconds_now());
}

void Crew::lend(Worker& self, std::int64_t pieces, std::function<void(std::int64_t)> const& piece) {
    LentJob job;
    job.task = self.log.open();
    job.piece = &piece;
    job.pieces = pieces;
    {
        std::lock_guard lock(desk_.mutex);
        desk_.jobs.push_back(&job);
        desk_.events.fetch_add(1, std::memory_order_release);
        if (desk_.idle > 0) desk_.work.notify_all();
    }
    take_pieces(self, job);
    Lock lock(desk_.mutex);
    desk_.jobs.erase(std::find(desk_.jobs.begin(), desk_.jobs.end(), &job));
    job_done_.wait(lock, [&] { return job.helpers == 0; });
    if (job.error) std::rethrow_exception(job.error);
}

void Crew::take_pieces(Worker& self, LentJob& job) {
    bool const traced = self.log.keeps_all();
    for (std::int64_t i = job.next.fetch_add(1); i < job.pieces; i = job.next.fetch_add(1)) {
        try {
            double const begin = traced ? seconds_now() : 0;
            (*job.piece)(i);
            if (traced) self.log.add_piece({job.task, static_cast<std::int32_t>(i), begin, seconds_now()});
            move_messages();
        } catch (...) {
            job.next = job.pieces;  // the rest is not worth starting
            std::lock_guard lock(desk_.mutex);
            if (!job.error) job.error = std::current_exception();
        }
    }
}

std::vector<TaskTimes const*> Crew::times() const {
    std::vector<TaskTimes const*> out;
    for (auto const& worker : workers_) out.push_back(&worker->times);
    return out;
}

std::vector<TaskId> Crew::running() const {
    std::vector<TaskId> out;
    for (auto const& worker : workers_) out.push_back(worker->log.open());
    return out;
}

}  // namespace ein::executor
