// Progress on stderr: a bar on a terminal; elsewhere a line every 5 % or 30 seconds, never with '\r', so that logs stay
// readable. Example: "einrun: 45 % (900/2000 tasks), 12.3 GFLOP/s, about 0:07 left".
#pragma once

#include <iosfwd>
#include <string>

#include "executor/health/stall_detector.hpp"

namespace ein::executor {

enum class ProgressMode { off, plain, bar };

/// Of all ranks and rounds.
struct AllTasks {
    std::int64_t total = 0;
    std::int64_t before = 0;  // those of them that runs before this one have done: it goes on from a checkpoint
};

class Progress {
public:
    Progress(ProgressMode mode, std::ostream& out) : mode_(mode), out_(out) {}
    /// @param done  by this run  @param seconds  since it began
    void update(Done done, AllTasks all, double seconds);
    /// Ends a bar's line.
    void finish();

private:
    ProgressMode mode_;
    std::ostream& out_;
    int told_percent_ = 0;
    double told_at_ = 0;
    bool bar_open_ = false;
};

std::string progress_text(Done done, AllTasks all, double seconds);

}  // namespace ein::executor
