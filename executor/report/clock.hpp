// Seconds of a clock that never goes back, since an arbitrary beginning; and of a thread's own, which runs while it has
// a core.
#pragma once

#include <ctime>

#include <chrono>

namespace ein::executor {

inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of the thread that asks; a system call.
inline double core_seconds_now() {
    std::timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace ein::executor
