#include "executor/engine/communicator.hpp"

#include <thread>
#include <utility>

#include "executor/engine/tuning.hpp"
#include "executor/report/clock.hpp"

namespace ein::executor {

Communicator::Communicator(RunState& run_state, schedule::Section const& section, Transport& transport,
                           TransferLog& log)
    : run_state_(run_state),
      section_(section),
      transport_(transport),
      log_(log),
      seen_events_(run_state.events() - 1) {}

void Communicator::step() {
    std::optional<unsigned> seen = try_step();
    // Who came while we were inside went away; what it wanted started is seen here.
    while (seen && run_state_.events() != *seen) seen = try_step();
}

std::optional<unsigned> Communicator::try_step() {
    if (!mutex_.try_lock()) return std::nullopt;
    MutexLock const lock(mutex_, adopt_held);
    run_state_.storage().enter_for_messages();
    do {
        start_what_may();
        done_.clear();
        transport_.poll(done_);
        finish_what_is_done();
    } while (!done_.empty());
    return seen_events_;
}

void Communicator::start_what_may() {
    for (TransferStart const& starting : std::exchange(expected_, {})) start(starting);
    unsigned const events = run_state_.events();
    if (events == seen_events_) return;
    seen_events_ = events;
    starting_.clear();
    std::optional<std::int64_t> const under_way = run_state_.take_transfers(starting_);
    if (!under_way) return;
    busy_.store(*under_way > 0, std::memory_order_relaxed);
    if (!starting_.empty()) last_change_.store(seconds_now(), std::memory_order_relaxed);
    for (TransferStart const& starting : starting_) start(starting);
}

void Communicator::start(TransferStart const& starting) {
    TaskId const id = starting.task;
    std::optional<std::span<std::byte>> const bytes = run_state_.storage().message(id);
    if (!bytes) return expected_.push_back(starting);
    log_.start(id, seconds_now());
    schedule::Message const message = section_.message(section_.tasks[id]);
    if (section_.blocks[message.block].is_listed()) return start_listed(starting, message, *bytes);
    if (message.is_send)
        transport_.start_send(*bytes, message.peer, message.tag.value(), id.value(), starting.ends);
    else
        transport_.start_receive(*bytes, message.peer, message.tag.value(), id.value());
}

/// What a sparse block lists is sent, not what it has room for.
void Communicator::start_listed(TransferStart const& starting, schedule::Message const& message,
                                std::span<std::byte> bytes) {
    std::int32_t const id = starting.task.value();
    if (!message.is_send) return transport_.start_receive_up_to(bytes, message.peer, message.tag.value(), id);
    transport_.start_send_up_to(bytes.size(), bytes.first(section_.bytes_listed(message.block, bytes)), message.peer,
                                message.tag.value(), id, starting.ends);
}

void Communicator::finish_what_is_done() {
    if (done_.empty()) return;
    double const now = seconds_now();
    last_change_.store(now, std::memory_order_relaxed);
    for (Transport::Ticket const ticket : done_) {
        TaskId const id{static_cast<std::int32_t>(ticket)};
        if (section_.tasks[id].is<schedule::Receive>()) run_state_.storage().received(id);
    }
    for (Transport::Ticket const ticket : done_) {
        TaskId const id{static_cast<std::int32_t>(ticket)};
        times_.add(section_.tasks[id].kind(), log_.finish(id, now));
    }
    busy_.store(run_state_.finish_transfers(done_, now) > 0, std::memory_order_relaxed);
}

void Communicator::barrier() {
    with_transport([](Transport& transport) { transport.start_barrier(); });
    double const begin = seconds_now();
    bool passed = false;
    while (!passed) {
        with_transport([&](Transport& transport) { passed = transport.test_barrier(); });
        if (passed || run_state_.closed()) return;
        if (seconds_now() - begin < tuning::barrier_awake)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(tuning::barrier_nap);
    }
}

}  // namespace ein::executor
