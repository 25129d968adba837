// What one thread did: tasks and seconds by kind, seconds spent waiting and communicating, and each task's begin and end if wanted.
// One object a thread, so nothing is shared while tasks run.
#pragma once

#include <array>
#include <vector>

#include "lib/base/ids.hpp"
#include "lib/schedule/schedule.hpp"

namespace ein::executor {

struct TaskEvent {
    TaskId task;
    double begin = 0, end = 0;  // see seconds_now()
};

struct KindTimes {
    std::int64_t count = 0;
    double seconds = 0;
};

struct alignas(64) TaskTimes {
    std::array<KindTimes, schedule::task_kinds> kinds{};
    double waiting = 0, communicating = 0;
    bool keep_events = false;
    std::vector<TaskEvent> events;

    void add(schedule::TaskKind kind, TaskId task, double begin, double end) {
        KindTimes& times = kinds[static_cast<std::size_t>(kind)];
        ++times.count;
        times.seconds += end - begin;
        if (keep_events) events.push_back({task, begin, end});
    }
};

}  // namespace ein::executor
