// Progress on stderr: a bar on a terminal; elsewhere a line every 5 % or 30 seconds, never with '\r', so that logs stay
// readable. Example: "einrun: 45 % (900/2000 tasks), 12.3 GFLOP/s, about 0:07 left".
// Speed and time left are of what was done between two rounds in which each rank has said anew what it has done, from
// the first after a task had ended: neither inputs and checkpoints that are read before count, nor ranks whose counts
// are still on their way.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "executor/health/stall_detector.hpp"

namespace ein::executor {

enum class ProgressMode { off, plain, bar };

/// Of all ranks and rounds.
struct AllTasks {
    std::int64_t total = 0;
    std::int64_t before = 0;  // those of them that runs before this one have done: it goes on from a checkpoint
};

/// What is done in a second, by all ranks.
struct Pace {
    double tasks = 0, flops = 0;
};

class Progress {
public:
    Progress(ProgressMode mode, std::ostream& out) : mode_(mode), out_(out) {}
    /// @param done  by this run  @param seconds  since it began
    /// @param rounds  how often every rank has said what it has done
    void update(Done done, AllTasks all, double seconds, std::int64_t rounds);
    /// Ends a bar's line.
    void finish();

private:
    ProgressMode mode_;
    std::ostream& out_;
    /// What was done at the end of a round.
    struct Round {
        Done done;
        double seconds = 0;
    };
    void take_round(Round const& round);

    std::optional<Round> first_;  // that had a task
    std::optional<Pace> pace_;    // from then to the last one
    std::int64_t rounds_ = 0;
    int told_percent_ = 0;
    double told_at_ = 0;
    bool bar_open_ = false;
};

std::string progress_text(Done done, AllTasks all, std::optional<Pace> const& pace);

}  // namespace ein::executor
