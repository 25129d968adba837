#include "executor/checkpoint/wishes.hpp"

#include <algorithm>
#include <atomic>

#include "executor/checkpoint/tuning.hpp"

namespace ein::executor {

namespace {

constexpr int wish_signals[] = {SIGUSR1, SIGTERM};
volatile std::sig_atomic_t first = 0;

}  // namespace

StopSignals* volatile StopSignals::innermost = nullptr;
StopSignals* volatile StopSignals::next[2] = {nullptr, nullptr};

/// What was installed before the innermost one may hand the signal on to what was there before itself: to this handler
/// again, which then goes on behind the next one out. Else the two would hand it to one another for ever.
void StopSignals::on_wish(int signal) {
    if (first == 0) {
        first = signal;
        return;
    }
    for (int i : {0, 1}) {
        if (wish_signals[i] != signal) continue;
        StopSignals const* const from = next[i];
        struct sigaction ends {};
        ends.sa_handler = SIG_DFL;
        sigaction(signal, from != nullptr ? &from->before_[i] : &ends, nullptr);
        if (from != nullptr) next[i] = from->outer_;
    }
    raise(signal);  // takes effect when this handler returns
}

bool Wishes::wanted(double now) const {
    if (wait_ > 0 && now < again_ && StopSignals::received() == signal_) return false;
    return ends(now) || (times_.every && now - last_ >= *times_.every);
}

bool Wishes::ends(double now) const {
    return StopSignals::received() != 0 ||
           (times_.stop_at && now - began_ + writing_ * tuning::writing_slack >= *times_.stop_at);
}

void Wishes::saved(double now, double seconds) {
    last_ = now;
    writing_ = std::max(seconds, writing_);
    wait_ = again_ = 0;
}

void Wishes::failed(double now, double seconds) {
    double const wait = std::clamp(2 * wait_, tuning::shortest_wait_after_failure, tuning::longest_wait_after_failure);
    saved(now, seconds);
    wait_ = wait;
    again_ = now + wait;
    signal_ = StopSignals::received();
}

void StopSignals::let_in(StopSignals* first) {
    innermost = first;
    for (int i : {0, 1}) next[i] = first;
}

StopSignals::StopSignals() {
    struct sigaction action {};
    action.sa_handler = on_wish;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    outer_ = innermost;
    for (int i : {0, 1}) sigaction(wish_signals[i], nullptr, &before_[i]);
    let_in(this);
    for (int signal : wish_signals) sigaction(signal, &action, nullptr);
}

StopSignals::~StopSignals() {
    for (int i : {0, 1}) sigaction(wish_signals[i], &before_[i], nullptr);
    let_in(outer_);
}

int StopSignals::received() { return first; }

}  // namespace ein::executor
