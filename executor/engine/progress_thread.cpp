#include "executor/engine/progress_thread.hpp"

#include <algorithm>
#include <cstdlib>

#include "executor/checkpoint/tuning.hpp"
#include "executor/engine/tuning.hpp"
#include "executor/report/clock.hpp"
#include "executor/startup/node_names.hpp"

namespace ein::executor {

namespace {

using Clock = std::chrono::steady_clock;

Clock::duration from_seconds(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}
/// Seconds between looks whether the run stands still.
double stall_interval(double stall) { return std::clamp(stall / 4, 0.01, 1.0); }
/// The longer nothing comes, the rarer are the polls.
Clock::duration poll_interval(double quiet) {
    return from_seconds(std::clamp(quiet * tuning::late, tuning::shortest_poll, tuning::longest_poll));
}

}  // namespace

ProgressThread::ProgressThread(RunState& run_state, Parts parts)
    : run_state_(run_state),
      parts_(std::move(parts)),
      began_(seconds_now()),
      next_tick_(Clock::now() + tick_interval()),
      quiet_(tuning::polls_before_sleep),
      stall_detector_(parts_.self, parts_.ranks, parts_.stall, began_),
      thread_([this] { serve(); }) {}

ProgressThread::~ProgressThread() { thread_.join(); }

void ProgressThread::serve() {
    try {
        serve_until_closed();
    } catch (...) {
        run_state_.fail(std::current_exception(), "");
    }
}

void ProgressThread::serve_until_closed() {
    auto const pause_of = [this](bool transfers) { return pause(transfers); };
    while (true) {
        RunState::Attention const attention = run_state_.wait_for_attention(pause_of);
        if (attention.closed) return;
        bool const due = Clock::now() >= next_tick_;
        if (attention.poll && parts_.communicator != nullptr) parts_.communicator->step();
        if (!due) continue;
        tick();
        next_tick_ = Clock::now() + tick_interval();
    }
}

Clock::duration ProgressThread::tick_interval() const {
    double const seconds = stall_interval(parts_.stall);
    if (parts_.stops == nullptr) return from_seconds(seconds);
    return from_seconds(std::min(
        seconds, parts_.stops->under_way() ? tuning::between_looks_at_answers : tuning::between_looks_at_wishes));
}

/// Until the next look at the transfers, or the next tick.
RunState::Pause ProgressThread::pause(bool transfers) {
    quiet_ = transfers && parts_.communicator != nullptr ? 0 : std::min(quiet_ + 1, tuning::polls_before_sleep);
    if (quiet_ >= tuning::polls_before_sleep) return {next_tick_, true};
    return {std::min(next_tick_, Clock::now() + poll_interval(quiet_for())), false};
}

/// Seconds since a transfer last began or ended.
double ProgressThread::quiet_for() const {
    return parts_.communicator == nullptr ? 0 : seconds_now() - parts_.communicator->last_change();
}

void ProgressThread::tick() {
    double const now = seconds_now();
    Done const mine = parts_.done();
    StallDetector::Advice const advice = exchange(mine, now);
    if (!fault_.empty()) throw RunError(fault_);
    if (parts_.progress != nullptr)
        parts_.progress->update(stall_detector_.sum(), parts_.all_tasks, now - began_, stall_detector_.rounds());
    if (advice == StallDetector::Advice::explain) parts_.explain(stall_detector_.silence(now));
    if (advice != StallDetector::Advice::give_up) return;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", parts_.stall);
    std::string const silence = stall_detector_.silence(now);
    throw RunError(std::string("no task has ended on any rank for ") + seconds + " s; " +
                   (silence.empty() ? "if a single task takes that long, raise --stall"
                                    : silence + silent_host_hint(std::getenv)));
}

StallDetector::Advice ProgressThread::exchange(Done mine, double now) {
    std::vector<StallDetector::Note> out;
    if (parts_.communicator == nullptr) {
        watch(now, out);
        return look_for_stall(now, mine, out);
    }
    StallDetector::Advice advice = StallDetector::Advice::go_on;
    parts_.communicator->with_transport([&](Transport& transport) {
        hear(transport, now);
        watch(now, out);
        advice = look_for_stall(now, mine, out);
        for (StallDetector::Note const& each : out) transport.post_note(each.peer, each.text);
    });
    return advice;
}

/// Not at each of the ticks that stops want more often.
StallDetector::Advice ProgressThread::look_for_stall(double now, Done mine, std::vector<StallDetector::Note>& out) {
    if (now < next_stall_look_) return StallDetector::Advice::go_on;
    next_stall_look_ = now + stall_interval(parts_.stall);
    return stall_detector_.tick(now, mine, out);
}

void ProgressThread::hear(Transport& transport, double now) {
    StallDetector::Note note;
    while (transport.take_note(note.peer, note.text))
        if (!is_other_note(note)) stall_detector_.hear(note, now);
}

bool ProgressThread::is_other_note(StallDetector::Note const& note) {
    return (parts_.finite_watch != nullptr && parts_.finite_watch->hear({note.peer, note.text})) ||
           (parts_.stops != nullptr && parts_.stops->hear({note.peer, note.text}));
}

void ProgressThread::watch(double now, std::vector<StallDetector::Note>& out) {
    if (parts_.stops != nullptr) {
        std::vector<CheckpointWatch::Note> notes;
        parts_.stops->tick(now, notes);
        for (CheckpointWatch::Note& note : notes) out.push_back({note.peer, std::move(note.text)});
    }
    if (parts_.finite_watch == nullptr) return;
    std::vector<FiniteWatch::Note> notes;
    fault_ = parts_.finite_watch->tick(now, parts_.news(), notes);
    for (FiniteWatch::Note& note : notes) out.push_back({note.peer, std::move(note.text)});
}

}  // namespace ein::executor
