// What one thread did, in sums: tasks and seconds by kind.
// One object a thread, so nothing is shared while tasks run.
#pragma once

#include <array>

#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

struct KindTimes {
    std::int64_t count = 0;
    double seconds = 0;
};

struct alignas(64) TaskTimes {
    std::array<KindTimes, schedule::task_kinds> kinds{};

    void add(schedule::TaskKind kind, double seconds) {
        KindTimes& times = kinds[index(kind)];
        ++times.count;
        times.seconds += seconds;
    }
};

}  // namespace ein::executor
