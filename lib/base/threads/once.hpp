// Something that is done once, by the first thread that asks, while others wait; tried again by the next one if it
// throws. (std::call_once leaves threads and sanitizers confused when its function throws.) Example: Once indexed;
// indexed([&] { build_index(); });
#pragma once

#include <atomic>

#include "lib/base/threads/mutex.hpp"

namespace ein {

class Once {
public:
    template <class Work>
    void operator()(Work&& work) {
        if (done_.load(std::memory_order_acquire)) return;
        MutexLock const lock(mutex_);
        if (done_.load(std::memory_order_relaxed)) return;
        work();
        done_.store(true, std::memory_order_release);
    }

private:
    Mutex mutex_;
    std::atomic<bool> done_{false};
};

}  // namespace ein
