#include "apps/einplan/one_rank.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {
namespace {

constexpr std::size_t most_tasks = 300'000;  // planned and simulated in a second
constexpr double faster_by = 0.95;           // of the time: less is within what simulations err

std::size_t tasks_of(schedule::Schedule const& schedule) {
    std::size_t tasks = 0;
    for (schedule::Section const& section : schedule.sections) tasks += section.tasks.size();
    return tasks;
}

/// No rank takes less time for so many operations.
double least_seconds(schedule::Schedule const& schedule, scheduler::Cluster const& cluster) {
    return schedule.header.prediction.flops / std::max({cluster.flops_f64, cluster.flops_f32, cluster.operations});
}

}  // namespace

std::optional<OneRank> faster_alone(graph::EinGraph const& graph, PlanningOptions options, Planned const& planned,
                                    scheduler::SimulationOf const& simulated) {
    schedule::Schedule const& schedule = planned.made.schedule;
    if (schedule.header.ranks == 1 || !graph.mesh.empty() || tasks_of(schedule) > most_tasks) return std::nullopt;
    scheduler::Cluster const& cluster = options.scheduler.cluster;
    double const here = simulated().all_iterations;
    if (here * faster_by < least_seconds(schedule, cluster)) return std::nullopt;
    options.planner.ranks = 1;
    options.planner.calls = 0;
    try {
        Planned const alone = plan_and_schedule(graph, options);
        OneRank const found{here, simulate(alone.made.schedule, cluster).all_iterations};
        if (found.alone < found.planned * faster_by) return found;
    } catch (MemoryError const&) {  // one rank has too little
    }
    return std::nullopt;
}

}  // namespace ein::apps
