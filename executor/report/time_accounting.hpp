// Where a rank's time goes while it executes, booked as its workers turn idle and busy and its messages begin and end.
// As in a simulated run (scheduler/simulate/simulate.hpp), so that the two compare: shares of the workers that compute,
// that are idle while messages of this rank are under way, and that are idle otherwise; the three add up to the time. A
// message is under way from when this rank is ready for it: a receive also while its sender still computes. Used under
// the run state's lock; who only goes from task to task pays nothing. Example: two workers, both at work for 2 s; then
// one of them is idle for 1 s; a message is under way all the time: busy 2.5 s, communicating 0.5 s, hidden 2.5 s of 3
// s.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ein::executor {

/// Seconds of one rank.
struct TimeShares {
    double busy = 0, communicating = 0, waiting = 0;
    double under_way = 0;  // at least one message was
    double hidden = 0;     // the share of that for which workers computed

    /// Shares of one round, where these are of so many.
    TimeShares each_of(double rounds) const {
        return {busy / rounds, communicating / rounds, waiting / rounds, under_way / rounds, hidden / rounds};
    }
};

class TimeAccounting {
public:
    explicit TimeAccounting(int workers) : workers_(workers), idle_(workers) {}

    /// What happens between begin and end is booked, more than once if need be.
    void begin(double now) {
        booked_ = now;
        open_ = true;
    }
    void end(double now) {
        book(now);
        open_ = false;
    }
    void turn_busy(double now) {
        book(now);
        --idle_;
    }
    void turn_idle(double now) {
        book(now);
        ++idle_;
    }
    /// @param transfers  that are under way from now on
    void transfers(std::int64_t transfers, double now) {
        book(now);
        transfers_ = transfers;
    }

    TimeShares const& shares() const { return shares_; }

private:
    void book(double now) {
        double const passed =
            open_ ? std::max(0.0, now - booked_) : 0;  // threads look at the clock before they come here
        booked_ = std::max(booked_, now);
        double const busy = passed * (workers_ - idle_) / workers_;
        shares_.busy += busy;
        (transfers_ > 0 ? shares_.communicating : shares_.waiting) += passed - busy;
        if (transfers_ == 0) return;
        shares_.under_way += passed;
        shares_.hidden += busy;
    }

    int workers_, idle_;
    std::int64_t transfers_ = 0;
    bool open_ = false;
    double booked_ = 0;
    TimeShares shares_;
};

}  // namespace ein::executor
