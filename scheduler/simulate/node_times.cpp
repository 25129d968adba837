#include "scheduler/simulate/node_times.hpp"

#include <algorithm>
#include <vector>

#include "scheduler/simulate/task_owner.hpp"

namespace ein::scheduler {
namespace {

using Interval = std::pair<double, double>;

/// Seconds that at least one of them covers.
double covered(std::vector<Interval> intervals) {
    std::sort(intervals.begin(), intervals.end());
    double seconds = 0, end = 0;
    for (auto const& [from, to] : intervals) {
        seconds += std::max(0.0, to - std::max(from, end));
        end = std::max(end, to);
    }
    return seconds;
}

/// Of a message that has its links for itself.
double alone(schedule::Section const& section, Rank rank, schedule::Task const& task, Cluster const& cluster) {
    schedule::Message const message = section.message(task);
    Link const& link = cluster.node_of(rank) == cluster.node_of(message.peer) ? cluster.inside : cluster.between;
    return link.per_message + link.latency + static_cast<double>(section.bytes_of(message)) / link.bandwidth;
}

/// What one rank does for a node or a tensor.
struct Work {
    std::vector<Interval> running;  // kernels and copies
    double moving = 0;
};

std::map<std::string, Work> work_of(schedule::Schedule const& schedule, Rank rank, Simulation const& simulation,
                                    Cluster const& cluster) {
    std::map<std::string, Work> out;
    schedule::Section const& section = schedule.sections[rank];
    for (TaskId id : section.tasks.ids()) {
        TaskSpan const& span = simulation.spans[rank][id];
        if (span.end < 0) continue;
        schedule::Task const& task = section.tasks[id];
        Work& work = out[task_owner(schedule, rank, id)];
        if (task.traits().is_transfer())
            work.moving += alone(section, rank, task, cluster);
        else if (moves_a_block(task))
            work.moving += span.end - span.begin;
        else
            work.running.emplace_back(span.begin, span.end);
    }
    return out;
}

}  // namespace

std::map<std::string, NodeTime> node_times(schedule::Schedule const& schedule, Simulation const& simulation,
                                           Cluster const& cluster) {
    std::map<std::string, NodeTime> out;
    for (Rank rank : simulation.spans.ids())
        for (auto const& [name, work] : work_of(schedule, rank, simulation, cluster)) {
            NodeTime& time = out[name];
            time.computing = std::max(time.computing, covered(work.running));
            time.moving = std::max(time.moving, work.moving);
        }
    out.erase("");
    return out;
}

}  // namespace ein::scheduler
