// Which rank or host a launcher blames, read off what mpirun or srun say on stderr as it passes by.
// Example: "mpirun noticed that process rank 1 with PID 7 on node n1 exited on signal 9 (Killed)." gives
// "rank 1 on n1 was ended by signal 9 (Killed)".
#pragma once

#include <string>
#include <string_view>

namespace ein::apps::tool {

class LauncherLog {
public:
    /// Text as it comes, in pieces of any size.
    void append(std::string_view text);
    /// What failed first; "" where nothing known was said.
    std::string const& failure() const { return failure_; }

private:
    void line(std::string_view text);
    void blame(std::string text);

    std::string rest_;     // of a line that has not ended
    std::string process_;  // that Open MPI named in a line before its exit code
    bool lost_ = false;    // a daemon: the line that names its host is still to come
    std::string failure_;
};

}  // namespace ein::apps::tool
