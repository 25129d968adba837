#include "executor/checkpoint/wishes.hpp"

#include <algorithm>
#include <atomic>

#include "executor/checkpoint/tuning.hpp"

namespace ein::executor {

namespace {

constexpr int wish_signals[] = {SIGUSR1, SIGTERM};
volatile std::sig_atomic_t first = 0;
struct sigaction otherwise[2];  // what a second signal does

void on_wish(int signal) {
    if (first == 0) {
        first = signal;
        return;
    }
    for (int i : {0, 1})
        if (wish_signals[i] == signal) sigaction(signal, &otherwise[i], nullptr);
    raise(signal);  // takes effect when this handler returns
}

}  // namespace

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

StopSignals::StopSignals() {
    struct sigaction action {};
    action.sa_handler = on_wish;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int i : {0, 1}) {
        sigaction(wish_signals[i], &action, &before_[i]);
        outer_[i] = otherwise[i];
        otherwise[i] = before_[i];
    }
}

StopSignals::~StopSignals() {
    for (int i : {0, 1}) {
        sigaction(wish_signals[i], &before_[i], nullptr);
        otherwise[i] = outer_[i];
    }
}

int StopSignals::received() { return first; }

}  // namespace ein::executor
