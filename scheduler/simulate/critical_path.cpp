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

/// From the last task back, each by what let it begin.
template <class Look>
void walk_back(Simulation const& simulation, Look const& look) {
    auto [rank, task] = last_task(simulation);
    while (task) {
        TaskSpan const& span = simulation.spans[rank][*task];
        look(rank, *task, span.end - span.begin);
        rank = Rank{span.cause_rank};
        task = span.cause;
    }
}

}  // namespace

std::vector<PathShare> critical_path(schedule::Schedule const& schedule, Simulation const& simulation) {
    std::map<std::string, PathShare> shares;
    walk_back(simulation, [&](Rank rank, TaskId task, double seconds) {
        std::string const name = task_owner(schedule, rank, task);
        PathShare& share = shares[name];
        share.node = name;
        (moves_a_block(schedule.sections[rank].tasks[task]) ? share.moving : share.computing) += seconds;
    });
    std::vector<PathShare> out;
    for (auto const& [name, share] : shares) out.push_back(share);
    std::stable_sort(out.begin(), out.end(), [](PathShare const& a, PathShare const& b) {
        return a.computing + a.moving > b.computing + b.moving;
    });
    return out;
}

Table<schedule::TensorId, double> held_up(schedule::Schedule const& schedule, Simulation const& simulation) {
    Table<schedule::TensorId, double> out(schedule.header.tensors.size(), 0);
    walk_back(simulation, [&](Rank rank, TaskId id, double seconds) {
        schedule::Section const& section = schedule.sections[rank];
        schedule::Task const& task = section.tasks[id];
        if (task.is<schedule::Fused>())
            for (auto const& member : schedule.header.fusions[section.as<schedule::Fused>(task).fusion].members)
                out[member.tensor] += seconds;
        else if (auto const result = task.result())
            out[section.blocks[*result].tensor] += seconds;
        else if (auto const reads = section.reads(task); !reads.empty())
            out[section.blocks[reads[0]].tensor] += seconds;
    });
    return out;
}

}  // namespace ein::scheduler
