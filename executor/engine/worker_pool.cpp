#include "executor/engine/worker_pool.hpp"

#include <algorithm>

#include "executor/engine/tuning.hpp"
#include "executor/health/task_text.hpp"
#include "executor/report/clock.hpp"

namespace ein::executor {

/// The worker pool as one kernel sees it.
class WorkerPool::SharedKernelTeam final : public WorkerTeam {
public:
    SharedKernelTeam(WorkerPool& worker_pool, Worker& self, int width)
        : worker_pool_(worker_pool), self_(self), width_(width) {}
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
    Caller const caller{leads};
    Work work = run_state_.enter(caller);
    while (work.kind != Work::Kind::leave) work = carry_out(self, work, caller);
}

Work WorkerPool::carry_out(Worker& self, Work const& work, Caller const& caller) {
    switch (work.kind) {
        case Work::Kind::run: return run_task(self, work.task, caller);
        case Work::Kind::help: help(self, *work.kernel); break;
        case Work::Kind::poll_transfers: look_after_transfers(work); break;
        case Work::Kind::start_transfers: parts_.communicator->step(); break;
        case Work::Kind::leave: break;
    }
    return run_state_.next(caller);
}

/// Kernels that take so long that asking costs nothing beside them.
bool WorkerPool::asks_for_cores(Worker const& self, schedule::TaskKind kind) const {
    KindTimes const& so_far = self.times.kinds[index(kind)];
    return parts_.computes_here && traits(kind).is_on_device() &&
           so_far.seconds >= tuning::asks_for_cores * static_cast<double>(so_far.count);
}

Work WorkerPool::run_task(Worker& self, TaskId task, Caller const& caller) {
    schedule::TaskKind const kind = parts_.section.tasks[task].kind();
    bool const asks = asks_for_cores(self, kind);
    self.waited = 0;
    double const with_core = asks ? core_seconds_now() : 0;
    double const begin = seconds_now();
    self.log.begin(task, begin);
    try {
        SharedKernelTeam team(*this, self, parts_.widths.empty() ? 1 : parts_.widths[task]);
        parts_.runner.run(task, team, self.scratch);
    } catch (...) {
        run_state_.fail(std::current_exception(), task_text(parts_.header, parts_.section, task));
        return run_state_.next(caller);
    }
    double const end = seconds_now();
    self.log.end(end);
    if (asks) self.times.cores.add(end - begin - self.waited, core_seconds_now() - with_core);
    self.times.add(kind, end - begin);
    if (schedule::Task const& done = parts_.section.tasks[task]; done.is<schedule::Load>())
        self.times.loads[static_cast<std::size_t>(
            comes_from(parts_.header.inputs[parts_.section.as<schedule::Load>(done).input].source))] += end - begin;
    return run_state_.next_after(task, caller);
}

void WorkerPool::help(Worker& self, SharedKernel& kernel) {
    bool const asks = asks_for_cores(self, parts_.section.tasks[kernel.task].kind());
    double const with_core = asks ? core_seconds_now() : 0, begin = seconds_now();
    std::exception_ptr const error = take_pieces(self, kernel);
    if (asks) self.times.cores.add(seconds_now() - begin, core_seconds_now() - with_core);
    run_state_.end_help(kernel, error);
}

void WorkerPool::look_after_transfers(Work const& work) {
    double now = work.since;
    try {
        do {
            parts_.communicator->step();
            if (now - work.since < tuning::awake)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(tuning::nap);
            now = seconds_now();
        } while (run_state_.events() == work.events && parts_.communicator->busy());
    } catch (...) {
        run_state_.fail(std::current_exception(), "");
    }
    run_state_.end_polling(now);
}

/// While kernels run nobody else may have a core to do it on.
void WorkerPool::move_messages() {
    Communicator* const communicator = parts_.communicator;
    if (communicator == nullptr || !communicator->busy()) return;
    double const now = seconds_now();
    if (now < next_look_.load(std::memory_order_relaxed)) return;
    next_look_.store(now + tuning::between_looks, std::memory_order_relaxed);
    try {
        communicator->step();
    } catch (...) {  // no fault of the kernel that looked
        run_state_.fail(std::current_exception(), "");
    }
}

void WorkerPool::lend(Worker& self, std::int64_t pieces, std::function<void(std::int64_t)> const& piece) {
    SharedKernel kernel;
    kernel.task = *self.log.open();
    kernel.piece = &piece;
    kernel.pieces = pieces;
    run_state_.lend(kernel);
    std::exception_ptr const error = take_pieces(self, kernel);
    double const done = seconds_now();
    run_state_.take_back(kernel, error);
    self.waited += seconds_now() - done;
}

std::exception_ptr WorkerPool::take_pieces(Worker& self, SharedKernel& kernel) {
    bool const traced = self.log.keeps_all();
    std::exception_ptr error;
    for (std::int64_t i = kernel.next.fetch_add(1); i < kernel.pieces; i = kernel.next.fetch_add(1)) {
        try {
            double const begin = traced ? seconds_now() : 0;
            (*kernel.piece)(i);
            if (traced) self.log.add_piece({kernel.task, static_cast<std::int32_t>(i), begin, seconds_now()});
            move_messages();
        } catch (...) {
            kernel.next = kernel.pieces;  // the rest is not worth starting
            if (!error) error = std::current_exception();
        }
    }
    return error;
}

std::vector<TaskTimes const*> WorkerPool::times() const {
    std::vector<TaskTimes const*> out;
    for (auto const& worker : workers_) out.push_back(&worker->times);
    return out;
}

std::vector<OptionalId<TaskId>> WorkerPool::running() const {
    std::vector<OptionalId<TaskId>> out;
    for (auto const& worker : workers_) out.push_back(worker->log.open());
    return out;
}

}  // namespace ein::executor
