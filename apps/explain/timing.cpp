#include "apps/explain/timing.hpp"

#include <algorithm>
#include <optional>

#include "scheduler/simulate/node_times.hpp"

namespace ein::apps::explain {
namespace {

using Times = std::map<std::string, scheduler::NodeTime>;

scheduler::NodeTime time_of(Times const& times, std::string const& name) {
    auto const found = times.find(name);
    return found == times.end() ? scheduler::NodeTime{} : found->second;
}

/// Fills in path and path_seconds.
void add_path(Timing& timing, graph::EinGraph const& graph, Times const& times) {
    auto const producers = graph.producers();
    std::vector<double> until(graph.nodes.size(), 0);  // the node's end, on the longest way to it
    std::vector<std::optional<std::size_t>> before(graph.nodes.size());
    std::optional<std::size_t> last;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        for (ValueId input : graph.nodes[n].inputs) {
            auto const producer = producers[static_cast<std::size_t>(input.value())];
            auto const maker = producer ? std::optional(static_cast<std::size_t>(producer->value())) : std::nullopt;
            double const ready =
                maker ? until[*maker] + timing.moving[*maker] : time_of(times, graph.value(input).name).moving;
            bool const later = ready > until[n] || (ready == until[n] && maker && !before[n]);
            if (!later) continue;
            until[n] = ready;
            before[n] = maker;
        }
        until[n] += timing.computing[n];
        if (!last || until[n] > until[*last]) last = n;
    }
    if (last) timing.path_seconds = until[*last];
    for (auto node = last; node; node = before[*node]) timing.path.push_back(*node);
    std::reverse(timing.path.begin(), timing.path.end());
}

}  // namespace

Timing timing_of(graph::EinGraph const& graph, schedule::Schedule const& schedule,
                 scheduler::Simulation const& simulation, scheduler::Cluster const& cluster, std::string machines) {
    Timing out{std::move(machines), simulation.all_iterations, {}, {}, {}, 0};
    Times const times = scheduler::node_times(schedule, simulation, cluster);
    for (graph::Node const& node : graph.nodes) {
        auto const time = time_of(times, graph.value(node.output).name);
        auto const iterations = static_cast<double>(graph.iterations(node.loop));
        out.computing.push_back(iterations * time.computing);
        out.moving.push_back(iterations * time.moving);
    }
    add_path(out, graph, times);
    return out;
}

}  // namespace ein::apps::explain
