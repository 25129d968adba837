// One rank of a simulated run: what its dispatcher lets it do, the tasks that it runs, where its blocks are, and how
// its time was spent so far. What happens when is simulate.cpp's. Example: with two workers, a task of one that began
// at 0 and takes 4 s: at 4 s book() adds 2 s to busy.
#pragma once

#include <utility>
#include <vector>

#include "lib/schedule/dispatch/dispatcher.hpp"
#include "lib/schedule/dispatch/kernel_widths.hpp"
#include "scheduler/simulate/block_counts.hpp"
#include "scheduler/simulate/block_reuse.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::scheduler {

struct SimulatedRank {
    /// @param profile  of the section
    SimulatedRank(schedule::Header const& header, schedule::Section const& of, Cluster const& cluster, Rank self,
                  schedule::Profile const& profile, std::int64_t iterations)
        : section(of),
          dispatcher(of, header.loops, profile, {.iterations = iterations}),
          reuse(of, profile.peak, cluster),
          loops(of.loops.size()),
          widths(schedule::kernel_widths(header, of, cluster.threads)),
          speed(cluster.speed_of(self)),
          idle(cluster.threads),
          threads(cluster.threads) {}

    /// Books the time since the last change.
    void book(double now) {
        double const passed = now - booked;
        double const share = static_cast<double>(threads - idle) / threads;
        times.busy += passed * share;
        (open_messages > 0 ? times.communicating : times.waiting) += passed * (1 - share);
        booked = now;
    }

    /// Notes iterations that have ended.
    void look_at_loops(double now) {
        for (schedule::LoopId l : loops.ids()) {
            std::int64_t const ended =
                dispatcher.iterations().begun()[l] - (dispatcher.ended(section.loops[l].last) ? 0 : 1);
            if (ended == loops[l].ended) continue;
            loops[l] = {ended, loops[l].end, now};
        }
    }

    /// How far a loop is.
    struct Paced {
        std::int64_t ended = 0;          // iterations, over all times that it was entered
        double end_before = 0, end = 0;  // of the last but one and of the last
    };

    /// A task under way. Workers that find nothing to begin help the first one that has room for them.
    struct Running {
        TaskId task;
        int width = 1, workers = 1;
        double left = 0;  // seconds of one worker, from `since` on
        double since = 0;
        double disk = 0;       // when its part on the disk has ended
        std::int64_t end = 0;  // the event that ends it, if no other one does
        void settle(double now) { left -= (now - std::exchange(since, now)) * workers; }
    };

    schedule::Section const& section;
    schedule::Dispatcher<BlockCounts> dispatcher;
    BlockReuse reuse;
    Table<schedule::LoopId, Paced> loops;
    Table<TaskId, std::int16_t> widths;
    std::vector<Running> running;  // as they began
    double speed;
    int idle, threads;
    int open_messages = 0;
    double disk_free = 0;  // when what was begun on the disk has ended
    double booked = 0;
    RankTimes times;
};

}  // namespace ein::scheduler
