#include "executor/trace/event_log.hpp"

#include <algorithm>

namespace ein::executor {

std::vector<Event> EventLog::latest() const {
    std::uint64_t const end = count_.load(std::memory_order_acquire);
    std::uint64_t const first = end - std::min<std::uint64_t>(end, tuning::ring_events);
    std::vector<Event> out;
    for (std::uint64_t i = first; i < end; ++i) {
        Slot const& slot = ring_[i % tuning::ring_events];
        Event event;
        event.task = TaskId{slot.task.load(std::memory_order_acquire)};
        event.begin = slot.begin.load(std::memory_order_acquire);
        event.end = slot.end.load(std::memory_order_acquire);
        out.push_back(event);
    }
    // Who saw a part of event n in a slot also sees that n events were counted before.
    std::uint64_t const now = count_.load(std::memory_order_acquire);
    std::uint64_t const whole = now < tuning::ring_events ? 0 : now + 1 - tuning::ring_events;
    if (whole > first) out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(std::min(whole, end) - first));
    OptionalId<TaskId> const running = open();
    double const since = open_since_.load(std::memory_order_relaxed);
    bool const ended = !out.empty() && running == OptionalId(out.back().task) && out.back().begin == since;
    if (running && !ended) out.push_back({*running, -1, since, Event::still_open});
    return out;
}

std::vector<Event> EventLog::all() const {
    std::vector<Event> out;
    for (std::vector<Event> const& chunk : all_) out.insert(out.end(), chunk.begin(), chunk.end());
    return out;
}

}  // namespace ein::executor
