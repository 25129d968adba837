// How long a search may go on: counted work, which is the same on every machine, or seconds where the user asks for
// them.
// Example: Budget(2e9, 0) is spent after two thousand million table entries, whatever the clock says.
#pragma once

#include <chrono>
#include <limits>

#include "planner/tuning.hpp"

namespace ein::planner {

class Budget {
public:
    /// @param work     table entries that may be looked at  @param seconds  0: no clock is read; else `work` is no
    /// limit
    Budget(double work, double seconds)
        : work_(seconds > 0 ? std::numeric_limits<double>::infinity() : work),
          timed_(seconds > 0),
          end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

    void spend(double work) { spent_ += work; }
    double spent() const { return spent_; }
    bool exhausted() const { return left() <= 0; }
    /// The work that may still be done; of seconds an estimate.
    double left() const {
        if (!timed_) return work_ - spent_;
        return tuning::work_a_second * std::chrono::duration<double>(end_ - Clock::now()).count();
    }

    /// Gives one of `tasks` equal searches its share of what is left.
    Budget share(std::size_t tasks) const {
        Budget part = *this;
        double const left = static_cast<double>(tasks);
        part.spent_ = 0;
        part.work_ = (work_ - spent_) / left;
        if (timed_)
            part.end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>((end_ - Clock::now()) / left);
        return part;
    }

private:
    using Clock = std::chrono::steady_clock;

    double work_;
    double spent_ = 0;
    bool timed_;
    Clock::time_point end_;
};

}  // namespace ein::planner
