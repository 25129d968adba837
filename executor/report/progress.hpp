// Progress on stderr: a bar on a terminal; elsewhere a line every 5 % or 30 seconds, never with '\r', so that logs stay
// readable. Example: "einrun: 45 % (900/2000 tasks), 12.3 GFLOP/s, about 0:07 left".
#pragma once

#include <iosfwd>
#include <string>

#include "executor/health/stall_detector.hpp"

namespace ein::executor {

enum class ProgressMode { off, plain, bar };

class Progress {
public:
    Progress(ProgressMode mode, std::ostream& out) : mode_(mode), out_(out) {}
    /// @param total  tasks of all ranks  @param seconds  since the run began
    void update(Done done, std::int64_t total, double seconds);
    /// Ends a bar's line.
    void finish();

private:
    ProgressMode mode_;
    std::ostream& out_;
    int told_percent_ = 0;
    double told_at_ = 0;
    bool bar_open_ = false;
};

std::string progress_text(Done done, std::int64_t total, double seconds);

}  // namespace ein::executor
