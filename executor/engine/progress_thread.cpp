#include "executor/engine/progress_thread.hpp"

#include <algorithm>

#include "executor/report/clock.hpp"

namespace ein::executor {

namespace {

using Clock = std::chrono::steady_clock;
/// A poll takes a core from who computes on it. So the longer nothing comes, the rarer they are: a transfer is late by a sixteenth of what
/// it was waited for, and never by more than a millisecond.
constexpr double shortest_poll = 1e-4, longest_poll = 1e-3, late = 1.0 / 16;  // seconds
constexpr int polls_before_sleep =
    50;  // transfers come in bursts: waking up for each would cost more than looking a while

Clock::duration from_seconds(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}
Clock::duration tick_interval(double stall) { return from_seconds(std::clamp(stall / 4, 0.01, 1.0)); }
Clock::duration poll_interval(double quiet) {
    return from_seconds(std::clamp(quiet * late, shortest_poll, longest_poll));
}

}  // namespace

Attendant::Attendant(Desk& desk, Parts parts)
    : desk_(desk),
      parts_(std::move(parts)),
      began_(seconds_now()),
      watch_(parts_.self, parts_.ranks, parts_.stall, began_),
      thread_([this] { serve(); }) {}

Attendant::~Attendant() { thread_.join(); }

void Attendant::serve() {
    try {
        serve_until_closed();
    } catch (...) {
        desk_.fail(std::current_exception(), "");
    }
}

void Attendant::serve_until_closed() {
    auto next_tick = Clock::now() + tick_interval(parts_.stall);
    int quiet = polls_before_sleep;
    std::unique_lock lock(desk_.mutex);
    while (!desk_.closed) {
        bool const transfers = parts_.communicator != nullptr &&
                               (desk_.agenda.transfers_in_flight() > 0 || desk_.agenda.transfers_wanted());
        quiet = transfers ? 0 : std::min(quiet + 1, polls_before_sleep);
        desk_.attendant_asleep = quiet >= polls_before_sleep;
        auto const until =
            desk_.attendant_asleep ? next_tick : std::min(next_tick, Clock::now() + poll_interval(quiet_for()));
        desk_.attention.wait_until(lock, until);
        desk_.attendant_asleep = false;
        bool const poll = transfers && !desk_.polling && !desk_.closed;
        bool const due = Clock::now() >= next_tick && !desk_.closed;
        if (!poll && !due) continue;
        lock.unlock();
        if (poll) parts_.communicator->step();
        if (due) {
            tick();
            next_tick = Clock::now() + tick_interval(parts_.stall);
        }
        lock.lock();
    }
}

/// Seconds since a transfer last began or ended.
double Attendant::quiet_for() const {
    return parts_.communicator == nullptr ? 0 : seconds_now() - parts_.communicator->last_change();
}

void Attendant::tick() {
    double const now = seconds_now();
    Done mine;
    {
        std::lock_guard lock(desk_.mutex);
        mine = parts_.done();
    }
    Watch::Advice const advice = exchange(mine, now);
    if (parts_.progress != nullptr) parts_.progress->update(watch_.sum(), parts_.total_tasks, now - began_);
    if (advice == Watch::Advice::explain) parts_.explain(watch_.silence(now));
    if (advice != Watch::Advice::give_up) return;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", parts_.stall);
    std::string const silence = watch_.silence(now);
    throw RunError(std::string("no task has ended on any rank for ") + seconds + " s; " +
                   (silence.empty() ? "if a single task takes that long, raise --stall" : silence));
}

Watch::Advice Attendant::exchange(Done mine, double now) {
    std::vector<Watch::Note> out;
    if (parts_.communicator == nullptr) return watch_.tick(now, mine, out);
    Watch::Advice advice = Watch::Advice::go_on;
    parts_.communicator->with_transport([&](Transport& transport) {
        Watch::Note note;
        while (transport.take_note(note.peer, note.text)) watch_.hear(note, now);
        advice = watch_.tick(now, mine, out);
        for (Watch::Note const& each : out) transport.post_note(each.peer, each.text);
    });
    return advice;
}

}  // namespace ein::executor
