#include "executor/engine/communicator.hpp"

#include <thread>
#include <utility>

#include "executor/report/clock.hpp"

namespace ein::executor {

using schedule::Task;
using schedule::TaskKind;

Communicator::Communicator(RunState& run_state, schedule::Section const& section, Transport& transport, TransferLog& log)
    : run_state_(run_state), section_(section), transport_(transport), log_(log), seen_events_(run_state.events.load() - 1) {}

void Communicator::step() {
    while (true) {
        std::unique_lock turn(mutex_, std::try_to_lock);
        if (!turn) return;
        do {
            start_what_may();
            done_.clear();
            transport_.poll(done_);
            finish_what_is_done();
        } while (!done_.empty());
        unsigned const seen = seen_events_;
        turn.unlock();
        // Who came while we were inside went away; what it wanted started is seen here.
        if (run_state_.events.load() == seen) return;
    }
}

void Communicator::start_what_may() {
    for (Starting const& starting : std::exchange(expected_, {})) start(starting);
    unsigned const events = run_state_.events.load(std::memory_order_acquire);
    if (events == seen_events_) return;
    seen_events_ = events;
    starting_.clear();
    {
        std::lock_guard lock(run_state_.mutex);
        if (run_state_.closed) return;
        while (auto const task = run_state_.dispatcher.take_receive())
            starting_.push_back({*task, SendEnds::when_free});  // first: nobody waits for us in vain
        while (auto const task = run_state_.dispatcher.take_send())
            starting_.push_back(
                {*task, run_state_.dispatcher.turns().keeps_pace(*task) ? SendEnds::when_taken : SendEnds::when_free});
        busy_.store(run_state_.dispatcher.transfers_in_flight() > 0, std::memory_order_relaxed);
        if (!starting_.empty()) run_state_.times.transfers(run_state_.dispatcher.transfers_in_flight(), seconds_now());
        if (!starting_.empty() && run_state_.attendant_asleep) run_state_.attention.notify_one();
    }
    if (!starting_.empty()) last_change_.store(seconds_now(), std::memory_order_relaxed);
    for (Starting const& starting : starting_) start(starting);
}

void Communicator::start(Starting const& starting) {
    TaskId const id = starting.task;
    Task const& task = section_.tasks[static_cast<std::size_t>(id.value())];
    std::optional<std::span<std::byte>> const bytes = storage().message(id);
    if (!bytes) return expected_.push_back(starting);
    log_.start(id, seconds_now());
    if (task.kind == TaskKind::send)
        transport_.start_send(*bytes, Rank{task.peer}, task.tag, id.value(), starting.ends);
    else
        transport_.start_receive(*bytes, Rank{task.peer}, task.tag, id.value());
}

void Communicator::finish_what_is_done() {
    if (done_.empty()) return;
    double const now = seconds_now();
    last_change_.store(now, std::memory_order_relaxed);
    for (Transport::Ticket const ticket : done_)
        if (section_.tasks[static_cast<std::size_t>(ticket)].kind == TaskKind::receive)
            storage().received(TaskId{static_cast<std::int32_t>(ticket)});
    std::lock_guard lock(run_state_.mutex);
    for (Transport::Ticket const ticket : done_) {
        TaskId const id{static_cast<std::int32_t>(ticket)};
        times_.add(section_.tasks[static_cast<std::size_t>(ticket)].kind, log_.finish(id, now));
        run_state_.finish(id);
    }
    busy_.store(run_state_.dispatcher.transfers_in_flight() > 0, std::memory_order_relaxed);
    run_state_.times.transfers(run_state_.dispatcher.transfers_in_flight(), now);
    if (run_state_.idle > 0) run_state_.work.notify_one();
}

void Communicator::barrier() {
    with_transport([](Transport& transport) { transport.start_barrier(); });
    double const begin = seconds_now();
    bool passed = false;
    while (!passed) {
        with_transport([&](Transport& transport) { passed = transport.test_barrier(); });
        if (passed) return;
        {
            std::lock_guard lock(run_state_.mutex);
            if (run_state_.closed) return;
        }
        // A rank that is late by more than a moment is waited for without burning a core that it may need.
        if (seconds_now() - begin < 1e-3)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

}  // namespace ein::executor
