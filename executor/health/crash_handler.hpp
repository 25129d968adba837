// The last thing that a process does when its run ends abnormally, by an error or by a signal (also one that means a
// crash). It is done by a thread of its own, which may lock and allocate, and within a time limit: whatever goes wrong
// there neither hides nor delays for long what ended the run. A signal then does what it would have done. One object at
// a time in a process. Example: CrashHandler last([](Ending const& ending) { write(ending.why); }); after `kill -TERM`
// that is called with "signal 15 (Terminated)".
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace ein::executor {

struct Ending {
    std::string why;  // an error's message, or "signal 11 (Segmentation fault)"
    int signal = 0;   // 0 for an error

    bool is_crash() const;  // a signal that this process brought on itself
};

/// While it lives, the reason of a crash ends with this text: what the process does that is known to crash elsewhere,
/// and the fix. One at a time. Example: CrashHint hint("; MPI sends from device memory: use --gpu-aware off").
class CrashHint {
public:
    explicit CrashHint(char const* text);  // stays valid
    ~CrashHint();
    CrashHint(CrashHint const&) = delete;
    CrashHint& operator=(CrashHint const&) = delete;
};

class CrashHandler {
public:
    /// @param say  called at most once. Where the system has no thread or pipe left, nothing will be said.
    explicit CrashHandler(std::function<void(Ending const&)> say);
    ~CrashHandler();
    CrashHandler(CrashHandler const&) = delete;
    CrashHandler& operator=(CrashHandler const&) = delete;

    /// Has them said, for an error; returns when that is done, has crashed, or time is up.
    void say(std::string const& error);

private:
    struct State;
    std::shared_ptr<State> state_;  // the thread has it too
};

}  // namespace ein::executor
