#include "apps/einplan/faster_choice.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/text/quantities.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/graph/summation_order.hpp"
#include "scheduler/simulate/plan_bound.hpp"

namespace ein::apps {
namespace {

constexpr std::size_t most_tasks = 100'000;  // of schedules that a search makes dozens of within a second or two
constexpr double faster_by = 0.95;           // of the time: less is within what simulations err

std::size_t tasks_of(schedule::Schedule const& schedule) {
    std::size_t tasks = 0;
    for (schedule::Section const& section : schedule.sections)
        tasks += static_cast<std::size_t>(section.tasks_in_all());
    return tasks;
}

/// What was decided on the command line, as it was written there.
std::vector<std::string> decided(EinplanOptions const& options) {
    std::vector<std::string> out;
    if (!options.plan_in.empty()) out.push_back("--plan-in " + options.plan_in.string());
    if (options.strategy_given) out.push_back("--decompose " + options.decompose);
    if (options.parts > 0) out.push_back("--parts " + std::to_string(options.parts));
    if (options.place != EinplanOptions().place) out.push_back("--place " + options.place);
    return out;
}

/// The graph without its "parts". What a sharding cuts stays, and what must not be cut.
graph::EinGraph uncut(graph::EinGraph graph, bool reproducible) {
    for (graph::Node& node : graph.nodes)
        if (!node.sharding) node.fixed = graph::parts_that_stay(graph, node, reproducible);
    return graph;
}

bool has_same_parts(graph::EinGraph const& a, graph::EinGraph const& b) {
    return std::ranges::equal(a.nodes, b.nodes, {}, &graph::Node::fixed, &graph::Node::fixed);
}

EinplanOptions undecided(EinplanOptions options) {
    EinplanOptions const defaults;
    options.plan_in = defaults.plan_in;
    options.strategy_given = false;
    options.decompose = defaults.decompose;
    options.parts = defaults.parts;
    options.place = defaults.place;
    return options;
}

}  // namespace

std::optional<FasterChoice> faster_choice(PreparedGraph const& prepared, EinplanOptions const& options,
                                          Machines const& machines, Planned const& planned,
                                          scheduler::SimulationOf const& simulated) {
    std::vector<std::string> given = decided(options);
    graph::EinGraph const free = uncut(prepared.graph, options.reproducible);
    if (!has_same_parts(prepared.graph, free))
        given.push_back(given.empty() ? "the graph's \"parts\"" : "and the graph's \"parts\"");
    schedule::Schedule const& schedule = planned.made.schedule;
    int const ranks = schedule.header.ranks;
    if (given.empty() || tasks_of(schedule) > most_tasks) return std::nullopt;
    double const here = simulated().all_iterations;
    PlanningOptions const how = planning_options(undecided(options), machines, prepared, ranks);
    if (scheduler::PlanBound(prepared.graph, machines.cluster).of_any(ranks, ranks) > faster_by * here)
        return std::nullopt;
    try {
        Planned const chosen = plan_and_schedule(free, how);
        double const there = simulated_seconds(chosen.made.schedule, machines.cluster);
        if (there > faster_by * here) return std::nullopt;
        return FasterChoice{joined(given, " "), here, there, planned.moved(), chosen.moved(), ranks,
                            chosen.busy_ranks()};
    } catch (MemoryError const&) {  // what was given fits, and the choice does not
        return std::nullopt;
    }
}

std::string to_text(FasterChoice const& choice) {
    auto const bytes = [](std::int64_t of) { return format_bytes(static_cast<double>(of)); };
    std::string out = "without " + choice.left_out + ": " + format_seconds(choice.chosen) + " predicted instead of " +
                      format_seconds(choice.planned);
    if (choice.moved != choice.moved_by_choice)
        out += ", " + bytes(choice.moved_by_choice) + " moved instead of " + bytes(choice.moved);
    if (choice.used < choice.ranks) out += "; -n " + std::to_string(choice.used) + " is enough for that";
    return out;
}

}  // namespace ein::apps
