// When a run wants a checkpoint, and whether it is to end with it: each --every, a signal (SIGUSR1, SIGTERM), the time
// at which it must be gone (--stop-at). Each rank asks for itself; what rank 0 wants counts for all.
// Example: Wishes wishes({.every = 600}, now); wishes.wanted(now + 601) is true until saved(now + 605).
#pragma once

#include <csignal>

#include "executor/checkpoint/checkpoint_settings.hpp"

namespace ein::executor {

class Wishes {
public:
    /// @param writing  seconds that a first checkpoint is thought to take, and to come to its moment
    Wishes(WishTimes times, double now, double writing) : times_(times), began_(now), last_(now), writing_(writing) {}

    bool wanted(double now) const;
    /// The run is to end with the next checkpoint.
    bool ends(double now) const;
    /// A checkpoint was written. @param seconds  that it took
    void saved(double now, double seconds);
    /// It could not be: the next is tried later, after twice as long each time. A signal that comes is tried at once.
    void failed(double now, double seconds);

private:
    WishTimes times_;
    double began_, last_, writing_;
    double wait_ = 0, again_ = 0;  // after the last failure, and until when; 0: none
    int signal_ = 0;               // that had come then
};

/// While one exists the first SIGUSR1 or SIGTERM of this process is a wish; the second does what it did before the last
/// one was made. One may be made while another is there, as when other handlers were installed meanwhile.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(StopSignals const&) = delete;
    StopSignals& operator=(StopSignals const&) = delete;
    /// 0, or the first of them that came.
    static int received();

private:
    static void on_wish(int signal);
    static void let_in(StopSignals* first);

    static StopSignals* volatile innermost;
    static StopSignals* volatile next[2];  // whose `before_` the next signal of each kind goes to, the first one apart
    struct sigaction before_[2];
    StopSignals* outer_;
};

}  // namespace ein::executor
