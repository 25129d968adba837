// From this rank's clock to rank 0's. Each machine's steady clock begins when it likes and runs a little too fast or
// too slow; asked at the beginning and at the end of a run, a straight line between the two answers takes out both.
// Ranks that read one clock (one machine, one boot) share its line, so that between them nothing is estimated at all.
// Example: ClockLine line(first, last); line(seconds_now()) is now on rank 0's clock, within line.error() seconds.
#pragma once

#include <functional>
#include <string>

#include "executor/transport/transport.hpp"

namespace ein::executor {

/// A clock, and a name that two ranks' clocks share exactly when they are one; "" is unlike any other.
struct LocalClock {
    std::function<double()> now;
    std::string name;
};
LocalClock clock_of_this_machine();

/// When a clock showed `at`, rank 0's showed at + offset, give or take `error`.
struct ClockReading {
    double at = 0, offset = 0, error = 0;
};

/// Collective. Asks rank 0 what time it is, some twenty times, by notes; the fastest answer is the best, and half its
/// time the error.
ClockReading read_clock_of_rank_0(Transport& transport, LocalClock const& clock);

class ClockLine {
public:
    ClockLine() = default;  // of rank 0
    ClockLine(ClockReading first, ClockReading last) : first_(first), last_(last) {}
    double operator()(double mine) const;
    double error() const;

private:
    ClockReading first_, last_;
};

}  // namespace ein::executor
