// A stream of the GPU whose progress shows in marks: numbers of what was asked of it, each with an event behind it.
// Asking may happen on one thread at a time (the caller's lock); passed() and sync() on any.
// Example: stream.asked(); m = stream.mark(); other.wait(stream, m); stream.sync(m).
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "executor/device/accelerator.hpp"
#include "executor/device/cuda/driver/context.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor::cuda {

/// Events without times that are used again. Whoever holds one may wait for it while others go on.
class Events {
public:
    Events() = default;
    ~Events();
    Events(Events const&) = delete;
    Events& operator=(Events const&) = delete;

    std::shared_ptr<CUevent_st> take();

private:
    Mutex mutex_;
    std::vector<CUevent> free_ EIN_GUARDED_BY(mutex_);
};

class MarkedStream {
public:
    using Mark = Accelerator::Mark;
    MarkedStream(Context const& context, Events& events);
    ~MarkedStream();
    MarkedStream(MarkedStream const&) = delete;
    MarkedStream& operator=(MarkedStream const&) = delete;

    CUstream get() const { return stream_; }
    /// Something was asked since the last mark.
    void asked();
    Mark mark();
    void wait(MarkedStream& of, Mark mark);
    bool passed(Mark mark);
    void sync(Mark mark);
    void drain() noexcept;

private:
    struct Recorded {
        Mark mark;
        std::shared_ptr<CUevent_st> event;
    };
    std::shared_ptr<CUevent_st> event_of(Mark mark);
    void has_passed(Mark mark);

    Context const& context_;
    Events& events_;
    CUstream stream_ = nullptr;
    Mutex mutex_;
    std::deque<Recorded> recorded_ EIN_GUARDED_BY(mutex_);  // not known to have passed
    Mark last_ EIN_GUARDED_BY(mutex_) = 0;
    Mark passed_ EIN_GUARDED_BY(mutex_) = 0;
    bool asked_ EIN_GUARDED_BY(mutex_) = false;
};

}  // namespace ein::executor::cuda
