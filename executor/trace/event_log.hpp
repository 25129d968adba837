// What one thread did. A ring of the last thousand events, which any thread may read at any time, and all of them where
// a trace is wanted. Writing is a few plain stores: no lock, no call of the system. One thread writes at a time.
// Example: log.begin(TaskId{7}, 1.0); log.end(2.5); log.latest() is {{TaskId{7}, 1.0, 2.5}}.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <vector>

#include "executor/trace/tuning.hpp"
#include "lib/base/ids.hpp"

namespace ein::executor {

/// A task from begin to end, or one piece of its kernel. Times: see seconds_now().
struct Event {
    TaskId task;
    std::int32_t piece = -1;  // -1: the whole task
    double begin = 0;
    double end = still_open;

    static constexpr double still_open = HUGE_VAL;
    friend bool operator==(Event const&, Event const&) = default;
};

enum class Keep { latest, all };

class EventLog {
public:
    explicit EventLog(Keep keep) : keep_(keep) {}

    /// A task that this thread is in until end(): even if that never comes, latest() has it.
    void begin(TaskId task, double now) {
        open_since_.store(now, std::memory_order_relaxed);
        open_task_.store(task.value(), std::memory_order_release);
    }
    void end(double now) {
        add({TaskId{open_task_.load(std::memory_order_relaxed)}, -1, open_since_.load(std::memory_order_relaxed), now});
        open_task_.store(-1, std::memory_order_release);
    }
    /// A whole task that has ended.
    void add(Event const& event) {
        std::uint64_t const number = count_.load(std::memory_order_relaxed);
        Slot& slot = ring_[number % tuning::ring_events];
        slot.task.store(event.task.value(), std::memory_order_release);
        slot.begin.store(event.begin, std::memory_order_release);
        slot.end.store(event.end, std::memory_order_release);
        count_.store(number + 1, std::memory_order_release);
        if (keep_ == Keep::all) keep(event);
    }
    /// A piece of a kernel: for traces alone.
    void add_piece(Event const& event) {
        if (keep_ == Keep::all) keep(event);
    }
    bool keeps_all() const { return keep_ == Keep::all; }
    /// The task that the thread is in. Any thread.
    OptionalId<TaskId> open() const { return TaskId{open_task_.load(std::memory_order_acquire)}; }

    /// The last events, oldest first; one that is open comes last. Any thread, at any time: what is overwritten
    /// meanwhile is left out.
    std::vector<Event> latest() const;
    /// In order of their ends. Only when nobody writes any more.
    std::vector<Event> all() const;

private:
    struct Slot {
        std::atomic<double> begin{0}, end{0};
        std::atomic<std::int32_t> task{-1};
    };

    void keep(Event const& event) {
        if (all_.empty() || all_.back().size() == tuning::events_a_chunk)
            all_.emplace_back().reserve(tuning::events_a_chunk);
        all_.back().push_back(event);
    }

    Keep keep_;
    std::array<Slot, tuning::ring_events> ring_;
    std::atomic<std::uint64_t> count_{0};
    std::atomic<std::int32_t> open_task_{-1};
    std::atomic<double> open_since_{0};
    std::vector<std::vector<Event>> all_;  // in chunks: what is kept is not copied while tasks run
};

}  // namespace ein::executor
