// Seconds of a clock that never goes back, since an arbitrary beginning.
#pragma once

#include <chrono>

namespace ein::executor {

inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace ein::executor
