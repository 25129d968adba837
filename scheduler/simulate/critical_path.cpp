#include <algorithm>
#include <map>

#include "scheduler/simulate/simulate.hpp"
#include "scheduler/simulate/task_owner.hpp"

namespace ein::scheduler {

namespace {

/// The task that ends last, of the lowest rank and number; none of an empty schedule.
std::pair<Rank, OptionalId<TaskId>> last_task(Simulation const& simulation) {
    std::pair<Rank, OptionalId<TaskId>> last;
    double end = -1;
    for (Rank rank : simulation.spans.ids())
        for (TaskId task : simulation.spans[rank].ids())
            if (simulation.spans[rank][task].end > end) {
                end = simulation.spans[rank][task].end;
                last = {rank, task};
            }
    return last;
}

}  // namespace

std::vector<PathShare> critical_path(schedule::Schedule const& schedule, Simulation const& simulation) {
    std::map<std::string, PathShare> shares;
    auto [rank, task] = last_task(simulation);
    while (task) {
        TaskSpan const& span = simulation.spans[rank][*task];
        std::string const name = task_owner(schedule, rank, *task);
        PathShare& share = shares[name];
        share.node = name;
        double& seconds = moves_a_block(schedule.sections[rank].tasks[*task]) ? share.moving : share.computing;
        seconds += span.end - span.begin;
        rank = Rank{span.cause_rank};
        task = span.cause;
    }
    std::vector<PathShare> out;
    for (auto const& [name, share] : shares) out.push_back(share);
    std::stable_sort(out.begin(), out.end(), [](PathShare const& a, PathShare const& b) {
        return a.computing + a.moving > b.computing + b.moving;
    });
    return out;
}

}  // namespace ein::scheduler
