#include <algorithm>
#include <map>

#include "lib/schedule/print.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::scheduler {

namespace {

using schedule::TaskKind;

/// Between ranks, or to disk and back.
bool moves_a_block(schedule::Task const& task) {
    return task.kind == TaskKind::send || task.kind == TaskKind::receive || task.kind == TaskKind::spill ||
           task.kind == TaskKind::fetch;
}

/// The node that a task works for, or the tensor that it moves.
std::string owner(schedule::Schedule const& schedule, int rank, TaskId id) {
    schedule::Section const& section = schedule.sections[static_cast<std::size_t>(rank)];
    schedule::Task const& task = section.tasks[static_cast<std::size_t>(id.value())];
    if (!moves_a_block(task)) return schedule::node_of(schedule.header, task);
    std::int32_t const block = task.output >= 0 ? task.output : section.inputs_of(task)[0];
    std::int32_t const tensor = section.blocks[static_cast<std::size_t>(block)].tensor;
    return schedule.header.tensors[static_cast<std::size_t>(tensor)].name;
}

/// The task that ends last, of the lowest rank and number.
std::pair<int, TaskId> last_task(Simulation const& simulation) {
    std::pair<int, TaskId> last{-1, TaskId{-1}};
    double end = -1;
    for (std::size_t rank = 0; rank < simulation.spans.size(); ++rank)
        for (std::size_t task = 0; task < simulation.spans[rank].size(); ++task)
            if (simulation.spans[rank][task].end > end) {
                end = simulation.spans[rank][task].end;
                last = {static_cast<int>(rank), TaskId{static_cast<std::int32_t>(task)}};
            }
    return last;
}

}  // namespace

std::vector<PathShare> critical_path(schedule::Schedule const& schedule, Simulation const& simulation) {
    std::map<std::string, PathShare> shares;
    auto [rank, task] = last_task(simulation);
    while (rank >= 0 && task.value() >= 0) {
        auto const r = static_cast<std::size_t>(rank), t = static_cast<std::size_t>(task.value());
        TaskSpan const& span = simulation.spans[r][t];
        std::string const name = owner(schedule, rank, task);
        PathShare& share = shares[name];
        share.node = name;
        double& seconds = moves_a_block(schedule.sections[r].tasks[t]) ? share.moving : share.computing;
        seconds += span.end - span.begin;
        rank = span.cause_rank;
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
