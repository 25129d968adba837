#include "executor/device/cuda/driver/marked_stream.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "executor/device/cuda/tuning.hpp"
#include "lib/base/error.hpp"

namespace ein::executor::cuda {
Events::~Events() {
    for (CUevent event : free_) driver().cuEventDestroy.status(event);
}

std::shared_ptr<CUevent_st> Events::take() {
    CUevent event = nullptr;
    {
        MutexLock const lock(mutex_);
        if (!free_.empty()) {
            event = free_.back();
            free_.pop_back();
        }
    }
    if (event == nullptr) driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC);
    return {event, [this](CUevent given) {
                MutexLock const lock(mutex_);
                free_.push_back(given);
            }};
}

MarkedStream::MarkedStream(Context const& context, Events& events) : context_(context), events_(events) {
    context_.enter();
    driver().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING);
}

MarkedStream::~MarkedStream() {
    context_.enter_quietly();
    driver().cuStreamSynchronize.status(stream_);
    driver().cuStreamDestroy.status(stream_);
}

void MarkedStream::asked() {
    MutexLock const lock(mutex_);
    asked_ = true;
}

MarkedStream::Mark MarkedStream::mark() {
    context_.enter();
    MutexLock const lock(mutex_);
    if (!asked_) return last_;
    std::shared_ptr<CUevent_st> event = events_.take();
    driver().cuEventRecord(event.get(), stream_);
    recorded_.push_back({++last_, std::move(event)});
    asked_ = false;
    return last_;
}

void MarkedStream::wait(MarkedStream& of, Mark mark) {
    std::shared_ptr<CUevent_st> const event = of.event_of(mark);
    if (event == nullptr) return;
    context_.enter();
    driver().cuStreamWaitEvent(stream_, event.get(), 0);
    asked();
}

/// @return nothing where it is known to have passed
std::shared_ptr<CUevent_st> MarkedStream::event_of(Mark mark) {
    MutexLock const lock(mutex_);
    promise(mark <= last_, "a stream is asked for a mark that was never made");
    if (mark <= passed_) return nullptr;
    auto const at = std::lower_bound(recorded_.begin(), recorded_.end(), mark,
                                     [](Recorded const& each, Mark number) { return each.mark < number; });
    return at->event;
}

void MarkedStream::has_passed(Mark mark) {
    MutexLock const lock(mutex_);
    passed_ = std::max(passed_, mark);
    while (!recorded_.empty() && recorded_.front().mark <= passed_) recorded_.pop_front();
}

bool MarkedStream::passed(Mark mark) {
    std::shared_ptr<CUevent_st> const event = event_of(mark);
    if (event == nullptr) return true;
    context_.enter();
    CUresult const state = driver().cuEventQuery.status(event.get());
    if (state == CUDA_ERROR_NOT_READY) return false;
    if (state != CUDA_SUCCESS) throw_failed(driver().cuEventQuery.name(), text_of(state));
    has_passed(mark);
    return true;
}

void MarkedStream::sync(Mark mark) {
    std::shared_ptr<CUevent_st> const event = event_of(mark);
    if (event == nullptr) return;
    context_.enter();
    auto const until = std::chrono::steady_clock::now() + tuning::awake;
    while (std::chrono::steady_clock::now() < until) {
        if (passed(mark)) return;
        std::this_thread::yield();
    }
    driver().cuEventSynchronize(event.get());
    has_passed(mark);
}

void MarkedStream::drain() noexcept {
    context_.enter_quietly();
    driver().cuStreamSynchronize.status(stream_);
}

}  // namespace ein::executor::cuda
