#include "executor/engine/engine.hpp"

#include <algorithm>
#include <numeric>

#include "executor/engine/communicator.hpp"
#include "executor/engine/progress_thread.hpp"
#include "executor/engine/task_moves.hpp"
#include "executor/engine/worker_pool.hpp"
#include "executor/health/crash_handler.hpp"
#include "executor/health/stall_report.hpp"
#include "executor/health/task_text.hpp"
#include "executor/report/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/schedule/device/device_traffic.hpp"
#include "lib/schedule/dispatch/kernel_widths.hpp"

namespace ein::executor {

/// One run while it lasts: run state, worker pool, communicator and progress thread, and the phases that they go
/// through.
class Engine::Running {
public:
    explicit Running(Engine& engine) : Running(engine, device_cache_of(engine)) {}

    RunResult run() {
        double const began = seconds_now();
        TransferCounts const before = parts_.transport.counts();
        {
            Closing closing{*this};
            Communicator* const communicator = communicator_ ? &*communicator_ : nullptr;
            if (device_cache_ != nullptr)
                run_state_.expect_launches([this](TaskId task) { return runner_.only_launches(task); });
            worker_pool_.emplace(
                options_.threads, run_state_,
                WorkerPool::Parts{parts_.header, parts_.section, runner_, communicator, engine_.widths_,
                                  engine_.record_, parts_.device.accelerator() == nullptr});
            progress_thread_.emplace(run_state_, progress_parts(communicator));
            go_through_phases(began);
        }
        if (std::exception_ptr const failure = run_state_.failure()) std::rethrow_exception(failure);
        if (options_.progress != nullptr) options_.progress->finish();
        collect(before);
        if (result_.stopped) return std::move(result_);  // blocks are left
        result_.blocks.check(engine_.profile_.peak);
        promise(parts_.spills == nullptr || parts_.spills->blocks_left() == 0,
                "blocks are left on disk after the last task");
        return std::move(result_);
    }

private:
    Running(Engine& engine, std::unique_ptr<DeviceCache> device_cache)
        : engine_(engine),
          parts_(engine.parts_),
          options_(engine.options_),
          device_cache_(device_cache.get()),
          run_state_(parts_.header, parts_.section, engine.profile_, options_.limits, options_.threads,
                     std::move(device_cache),
                     [this](ExitCode code, std::string const& message) { end_all(code, message); }),
          runner_(parts_.header, parts_.section, parts_.device, engine.kernels_, engine.fused_groups_,
                  run_state_.storage(), parts_.readers, parts_.sink, parts_.spills, finite_check(), call_check()),
          predicted_(parts_.section, schedule::predicted_iterations(parts_.header, parts_.section)) {
        bool const alone = parts_.transport.size() == 1;
        if (!alone) communicator_.emplace(run_state_, parts_.section, parts_.transport, engine.record_.transfers());
        total_tasks_ = tasks_of_all_ranks();
        if (options_.checkpoints != nullptr)
            stops_.emplace(RunStops::Parts{parts_.header, parts_.section, parts_.transport, run_state_, parts_.readers,
                                           parts_.spills, *options_.checkpoints});
        bool const reachable = messages_reach_devices(
            parts_.transport, options_.device_messages, parts_.device.accelerator(),
            device_cache_ == nullptr ? nullptr : device_cache_->memory(), engine.device_capacity_);
        direct_ = reachable && device_cache_ != nullptr && device_cache_->exchange_directly();
        if (direct_) hint_.emplace(direct_message_hint);
    }

    static std::unique_ptr<DeviceCache> device_cache_of(Engine& engine) {
        if (engine.device_capacity_ == 0) return nullptr;
        return std::make_unique<DeviceCache>(
            engine.parts_.section, *engine.parts_.device.accelerator(), engine.device_capacity_,
            schedule::host_buffer_bytes(engine.parts_.header, engine.parts_.section, engine.device_capacity_));
    }

    FiniteCheck* finite_check() {
        if (!options_.check_finite) return nullptr;
        using Looks = FiniteCheck::Looks;
        finite_watch_.emplace(parts_.header, parts_.transport.rank(), parts_.transport.size());
        return &finite_check_.emplace(parts_.header, parts_.section, run_state_.storage(),
                                      device_cache_ == nullptr ? Looks::side_by_side : Looks::one_by_one,
                                      [this](schedule::LoopId loop) { return iteration(loop); });
    }

    CallCheck* call_check() {
        if (!options_.check_calls.wanted) return nullptr;
        return &call_check_.emplace(
            CallCheck::Parts{.header = parts_.header,
                             .section = parts_.section,
                             .params = parts_.params,
                             .kernels = engine_.kernels_,
                             .storage = run_state_.storage(),
                             .copies = device_cache_ != nullptr,
                             .tf32 = parts_.device.allows_tf32(),
                             .self = parts_.transport.rank(),
                             .elements = options_.check_calls.elements,
                             .iteration = [this](schedule::LoopId loop) { return iteration(loop); }});
    }

    std::int64_t iteration(schedule::LoopId loop) const {
        return run_state_.read([&](Dispatcher const& dispatcher) { return dispatcher.iterations().current(loop); });
    }

    /// Ends and joins all threads, whatever happened.
    struct Closing {
        Running& run;
        ~Closing() {
            run.run_state_.close();
            run.progress_thread_.reset();
            if (!run.worker_pool_) return;
            run.worker_pool_->join();
            run.collect_times();
        }
    };

    void go_through_phases(double began) {
        try {
            begin_round(0);
            double const begin = seconds_now();
            run_state_.change([](Dispatcher& dispatcher) { dispatcher.prepare_memory(); });
            bool const resumed = stops_ && stops_->resume();
            double const ready = seconds_now();
            result_.opened_seconds = options_.opened_seconds;
            result_.load_seconds = options_.opened_seconds + ready - begin;
            if (resumed) {
                engine_.record_.add({Phase::load, 0, begin, ready, ready});
                engine_.record_.add({CheckpointSpan::Kind::resumed, begin, ready});
            }
            if (!resumed) result_.load_seconds += work(Phase::load, 0);
            if (stops_ && !resumed && !run_state_.closed()) with_transport([&] { stops_->begin(seconds_now()); });
            for (int round = 0; round < options_.repeat && !run_state_.closed(); ++round) {
                if (round > 0) begin_round(round);
                if (round > 0 && finite_check_) finite_check_->stop();
                if (round + 1 == options_.repeat && call_check_) call_check_->begin();
                if (round > 0 && options_.load_each_round) work(Phase::load, round);
                result_.rounds.push_back(execute(round, resumed));
                if (stops_ && stops_->ended()) break;
                if (round + 1 < options_.repeat) drop_outputs();
            }
            result_.live_after_execute =
                run_state_.read([](Dispatcher const& dispatcher) { return dispatcher.store().counts().live(); });
            result_.stopped = stops_ && stops_->ended();
            if (!result_.stopped) result_.store_seconds = work(Phase::store, options_.repeat - 1);
            result_.total_seconds = options_.opened_seconds + seconds_now() - began;
        } catch (...) {
            run_state_.fail(std::current_exception(), "");
        }
    }

    /// The execute phase, with the stops that there are in it. @param begun  it goes on from a checkpoint
    double execute(int round, bool begun) {
        double seconds = work(Phase::execute, round, begun);
        while (stops_ && !run_state_.closed() && arrive()) seconds += work(Phase::execute, round, true);
        return seconds;
    }

    bool arrive() {
        bool goes_on = false;
        double const begin = seconds_now();
        std::int64_t const saves = stops_->saves();
        with_transport([&] { goes_on = stops_->arrive(begin); });
        if (stops_->saves() > saves) engine_.record_.add({CheckpointSpan::Kind::saved, begin, seconds_now()});
        return goes_on;
    }

    /// Calls use() while no other thread is inside the transport.
    template <class Use>
    void with_transport(Use const& use) {
        if (!communicator_) return use();
        communicator_->with_transport([&](Transport&) { use(); });
    }

    /// Runs a phase between barriers. @param goes_on  it was begun before
    /// @return seconds until this rank's last task ended
    double work(Phase phase, int round, bool goes_on = false) {
        if (run_state_.closed()) return 0;
        double const begin = seconds_now();
        goes_on ? run_state_.resume_phase(begin) : run_state_.begin_phase(phase, begin);
        if (communicator_ && !run_state_.closed()) communicator_->step();  // messages go while the first kernels run
        worker_pool_->work();
        if (phase == Phase::execute && !run_state_.closed()) run_state_.storage().settle();
        double const worked = seconds_now();
        if (communicator_ && !run_state_.closed()) communicator_->barrier();
        double const end = seconds_now();
        engine_.record_.add({phase, round, begin, worked, end});
        run_state_.end_phase(phase, end);
        return worked - begin;
    }

    void begin_round(int round) {
        bool const keep = round + 1 < options_.repeat && !options_.load_each_round;
        run_state_.change(
            [&](Dispatcher& dispatcher) { dispatcher.begin_round(keep ? Inputs::kept : Inputs::used_up); });
        run_state_.storage().expect_stores(round + 1 == options_.repeat);
    }

    void drop_outputs() {
        bool const dropped = run_state_.change([](Dispatcher& dispatcher) { dispatcher.drop_outputs(); });
        if (dropped && parts_.spills != nullptr) parts_.spills->forget_blocks();
    }

    std::int64_t tasks_of_all_ranks() {
        std::int64_t total = 0;
        for (std::string const& count : parts_.transport.all_gather(std::to_string(tasks_of_this_rank())))
            total += std::stoll(count);
        return total;
    }

    std::int64_t tasks_of_this_rank() const {
        return run_state_.read([&](Dispatcher const& dispatcher) {
            schedule::TaskLinks const& links = dispatcher.links();
            std::int64_t const loads = links.loads_end().value(),
                               stores = links.end().value() - links.stores_begin().value();
            std::int64_t working = 0;
            for (TaskId t = links.loads_end(); t < links.stores_begin(); t = following(t)) working += predicted_.of(t);
            return (options_.load_each_round ? options_.repeat * loads : loads) + stores +
                   std::int64_t{options_.repeat} * working;
        });
    }

    ProgressThread::Parts progress_parts(Communicator* communicator) {
        double const flops_a_task = schedule::flops(parts_.header, parts_.section, predicted_) /
                                    static_cast<double>(std::max<std::int64_t>(1, tasks_of_this_rank())) *
                                    options_.repeat;
        return {parts_.transport.rank(),
                parts_.transport.size(),
                options_.stall,
                {total_tasks_, options_.checkpoints == nullptr ? 0 : options_.checkpoints->report().tasks_done},
                options_.progress,
                communicator,
                [this, flops_a_task] {
                    std::int64_t tasks = run_state_.read([this](Dispatcher const& dispatcher) {
                        return dispatcher.finished() - dispatcher.store().storage().under_way().tasks -
                               (stops_ ? stops_->skipped() : 0);
                    });
                    if (stops_) tasks += stops_->saves();                           // a save is no stall
                    return Done{tasks, flops_a_task * static_cast<double>(tasks)};  // on average
                },
                [this](std::string const& silence) { explain(silence); },
                finite_watch_ ? &*finite_watch_ : nullptr,
                [this] { return finite_check_->news(parts_.params); },
                stops_ ? &*stops_ : nullptr};
    }

    void end_all(ExitCode code, std::string const& message) {
        if (options_.on_failure) options_.on_failure(code, message);
        parts_.transport.abort(code);
    }

    /// Says what this rank waits for, what its workers run, and who is silent.
    void explain(std::string const& silence) {
        if (!options_.explain) return;
        std::string const text = run_state_.read([&](Dispatcher const& dispatcher) {
            auto const running = worker_pool_ ? worker_pool_->running() : std::vector<OptionalId<TaskId>>{};
            return standstill_text(parts_.header, parts_.section, dispatcher, running,
                                   dispatcher.store().storage().under_way());
        });
        options_.explain(text + (silence.empty() ? "" : "; " + silence));
    }

    void collect_times() {
        for (TaskTimes const* times : worker_pool_->times()) result_.workers.push_back(*times);
        result_.workers.push_back(communicator_ ? communicator_->times() : TaskTimes{});
    }

    void collect(TransferCounts const& before) {
        result_.execute_seconds =
            std::accumulate(result_.rounds.begin(), result_.rounds.end(), 0.0) / static_cast<double>(options_.repeat);
        schedule::IterationCounts const begun =
            run_state_.read([](Dispatcher const& dispatcher) { return dispatcher.iterations().begun(); });
        engine_.record_.set_iterations(
            run_state_.read([](Dispatcher const& dispatcher) { return dispatcher.iterations().taken(); }));
        result_.iterations.assign(parts_.header.loops.size(), 0);
        for (schedule::LoopId loop : begun.ids()) result_.iterations[parts_.section.loops[loop].spec] = begun[loop];
        auto const ran_out =
            run_state_.read([](Dispatcher const& dispatcher) { return dispatcher.iterations().ran_out(); });
        result_.ran_out.assign(parts_.header.loops.size(), 0);
        for (schedule::LoopId loop : ran_out.ids()) result_.ran_out[parts_.section.loops[loop].spec] |= ran_out[loop];
        result_.flops = schedule::flops(parts_.header, parts_.section, schedule::Runs(parts_.section, begun));
        result_.predicted = schedule::exchanged(parts_.section, begun);
        if (stops_) {
            RunStops::DoneHere const done = stops_->done_here(begun);
            result_.flops = done.flops;
            result_.predicted = done.exchanged;
        }
        TransferCounts const after = parts_.transport.counts();
        result_.transfers = {(after.bytes_sent - before.bytes_sent) / options_.repeat,
                             (after.messages_sent - before.messages_sent) / options_.repeat};
        result_.blocks = run_state_.read([](Dispatcher const& dispatcher) { return dispatcher.store().counts(); });
        result_.times = run_state_.times().each_of(options_.repeat);
        result_.peak_predicted = engine_.profile_.peak;
        if (finite_check_) result_.non_finite = finite_check_->seen(parts_.params);
        if (call_check_) result_.calls = call_check_->found();
        if (device_cache_ != nullptr)
            result_.device = DeviceUse{
                engine_.device_capacity_, direct_,
                schedule::device_traffic(parts_.header, parts_.section, engine_.device_capacity_, direct_, begun),
                device_cache_->traffic()};
        if (parts_.spills == nullptr) return;
        result_.spilled = parts_.spills->use();
        for (std::int64_t* count : {&result_.spilled.blocks, &result_.spilled.written, &result_.spilled.read})
            *count /= options_.repeat;
    }

    Engine& engine_;
    EngineParts& parts_;
    EngineOptions& options_;
    DeviceCache* device_cache_;  // nullptr where kernels run in this process's memory
    RunState run_state_;
    bool direct_ = false;            // messages go from device to device
    std::optional<CrashHint> hint_;  // while they may
    std::optional<RunStops> stops_;  // where the run may be stopped
    std::optional<FiniteCheck> finite_check_;
    std::optional<FiniteWatch> finite_watch_;
    std::optional<CallCheck> call_check_;
    TaskRunner runner_;
    std::optional<Communicator> communicator_;
    std::optional<WorkerPool> worker_pool_;
    std::optional<ProgressThread> progress_thread_;
    schedule::Runs predicted_;
    std::int64_t total_tasks_ = 0;
    RunResult result_;
};

Engine::Engine(EngineParts parts, EngineOptions options)
    : parts_(parts),
      options_(std::move(options)),
      device_capacity_(device_capacity()),
      kernels_(parts.header, parts.section, parts.device, parts.params),
      profile_(options_.repeat > 1 && !options_.load_each_round ? replay_keeping_inputs(parts.section)
                                                                : schedule::replay(parts.section)),
      fused_groups_(parts.header, parts.section, parts.device, parts.params),
      widths_(schedule::kernel_widths(parts.header, parts.section, options_.threads)),
      record_(options_.threads, parts.section.tasks.size(), options_.keep) {
    if (Accelerator* const device = parts_.device.accelerator()) expect_moves(parts_.header, parts_.section, *device);
}

Engine::~Engine() = default;

/// No more than all blocks together take.
std::int64_t Engine::device_capacity() const {
    Accelerator* const device = parts_.device.accelerator();
    if (device == nullptr) return 0;
    std::int64_t const given = options_.device_memory.value_or(device->free_memory());
    std::int64_t all = 0;
    for (schedule::Block const& block : parts_.section.blocks)
        all += schedule::DeviceMemory::rounded(parts_.section.bytes_of(block));
    schedule::check_device_memory(
        parts_.header, parts_.section, given,
        "give more with --device-memory, or plan again with einplan --device-memory " + std::to_string(given));
    return std::max(schedule::DeviceMemory::alignment,
                    std::min(given, all) / schedule::DeviceMemory::alignment * schedule::DeviceMemory::alignment);
}

RunResult Engine::run() { return Running(*this).run(); }

}  // namespace ein::executor
