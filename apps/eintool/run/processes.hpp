// Processes that eintool starts, and that end with it: each in a process group of its own, told to end when eintool
// dies however it dies; what outlives its parent comes to eintool, which ends it too (Linux: PR_SET_PDEATHSIG and
// PR_SET_CHILD_SUBREAPER).
// Example: Keeper keeper; Child child({{"mpirun", "-n", "2", "einrun", "g.sched"}}); int code = keeper.wait(child, {});
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/launch_settings.hpp"

namespace ein::apps::tool {

struct Program {
    std::vector<std::string> words;
    Variables variables = {};               // where the environment has none of that name
    std::optional<std::string> input = {};  // on stdin; nothing: /dev/null
    bool quiet = false;                     // its output goes nowhere
    bool watched = false;                   // its stderr passes through eintool
};

class Child {
public:
    /// @throws RunError when it cannot be started
    explicit Child(Program const& command);
    ~Child();  // ends it, if it has not ended
    Child(Child&& other) noexcept;
    Child& operator=(Child&&) = delete;

    /// To it alone: launchers pass signals on to what they started.
    void signal(int signal) const;
    /// The exit code, 128 and the signal where one ended it; nothing while it runs.
    std::optional<int> ended();
    pid_t pid() const { return pid_; }
    int errors() const { return errors_; }  // read end of its stderr, where it is watched; else -1

private:
    void close_errors();

    pid_t pid_ = -1;
    int errors_ = -1;
    std::optional<int> code_;
};

/// What is done while one waits.
struct WhileWaiting {
    std::function<void(int)> on_signal = {};               // SIGUSR1, SIGTERM, SIGINT, SIGHUP, to this process
    std::function<void(std::string const&)> on_text = {};  // of a watched child's stderr
    std::optional<std::chrono::steady_clock::time_point> until = {};
};

/// Takes signals as they come, for as long as it lives, and adopts what its children leave. One at a time.
class Keeper {
public:
    Keeper();
    ~Keeper();
    Keeper(Keeper const&) = delete;
    Keeper& operator=(Keeper const&) = delete;

    /// Until the child has ended, or the time is over: then nothing.
    std::optional<int> wait(Child& child, WhileWaiting const& doing) const;

    /// Ends what is left below this process, gently at first; no Child may be running.
    /// @param seen  is called for each process that still runs  @return how many had to be ended
    int end_leftovers(std::function<void(pid_t)> const& seen = {}) const;

private:
    void pass_text(Child const& child, WhileWaiting const& doing) const;

    int signals_ = -1;
};

}  // namespace ein::apps::tool
