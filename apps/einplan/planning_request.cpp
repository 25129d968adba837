#include "apps/einplan/planning_request.hpp"

#include <algorithm>
#include <limits>

#include "apps/command_line.hpp"
#include "apps/machines_text.hpp"
#include "apps/report_errors.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/json.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/relation/plan_json.hpp"

namespace ein::apps {

Machines read_machines(EinplanOptions const& options) {
    if (options.cluster.empty()) return {{}, std::string(built_in_cluster)};
    std::string const file = options.cluster.string();
    Json const json = read_json_of(FileUse::cluster, "a cluster file", options.cluster);
    std::vector<std::string> unlikely;
    Machines machines{scheduler::cluster_from_json(json, file, &unlikely), file};
    for (std::string const& note : unlikely) say("einplan", "warning: " + file + ": " + note);
    if (!machines.cluster.memory) return machines;
    if (!options.memory.empty() && memory_budget(options.memory) > *machines.cluster.memory)
        say("einplan", "warning: --memory " + options.memory + " is more than the " +
                           format_bytes(static_cast<double>(*machines.cluster.memory)) + " that " + file +
                           " says a rank has; leave it out to plan for that");
    Json const& memory = json.at("memory");
    std::string const written = memory.is_string() ? memory.get<std::string>() : memory.dump();
    for (std::string const& warning : small_sizes({{file + ": /memory", written}}))
        say("einplan", "warning: " + warning);
    return machines;
}

std::optional<std::int64_t> budget_of(EinplanOptions const& options, Machines const& machines) {
    if (options.memory.empty()) return machines.cluster.memory;
    return memory_budget(options.memory);
}

std::optional<std::int64_t> device_memory_of(EinplanOptions const& options) {
    if (options.device_memory.empty()) return std::nullopt;
    return memory_budget(options.device_memory, "--device-memory");
}

PlanningOptions planning_options(EinplanOptions const& options, Machines const& machines, int ranks) {
    check_room(machines.cluster, ranks);
    bool const shared = options.inputs == "shared";
    bool const shows_tasks = !options.explain.empty() || !options.simulate.empty();  // each of every rank
    return {.planner = {.ranks = ranks,
                        .calls = options.parts,
                        .decompose = options.decompose,
                        .unit = options.cost_unit == "bytes" ? planner::Unit::bytes : planner::Unit::elements,
                        .time_limit = options.time_limit},
            .scheduler = {.place = options.place,
                          .inputs = shared ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once,
                          .cluster = machines.cluster,
                          .repeats_from = shows_tasks ? std::numeric_limits<double>::infinity()
                                                      : scheduler::tuning::least_repeated_calls,
                          .reproducible = options.reproducible},
            .memory = budget_of(options, machines),
            .memory_from = options.memory.empty() ? machines.name + ": /memory" : "--memory",
            .wide = !options.strategy_given && options.plan_in.empty(),
            .device_memory = device_memory_of(options)};
}

std::optional<relation::Plan> given_plan(EinplanOptions const& options, graph::EinGraph const& graph,
                                         std::string const& graph_hash) {
    if (options.plan_in.empty()) return std::nullopt;
    std::string const file = options.plan_in.string();
    Json const document = read_json_of(FileUse::plan, "a plan that einplan --plan-out wrote", options.plan_in);
    relation::Plan plan = relation::plan_from_json(document, file, graph, graph_hash);
    if (plan.ranks != options.ranks)
        throw InputError(Fault{file, "/ranks", std::to_string(options.ranks) + " (as -n says)",
                               std::to_string(plan.ranks), "plan for as many ranks, or change -n"});
    bool const says_where =
        std::any_of(plan.nodes.begin(), plan.nodes.end(), [](auto const& node) { return !node.ranks.empty(); });
    if (says_where && options.place != EinplanOptions().place)
        say("einplan", "warning: --place " + options.place + " places no call whose ranks " + file + " gives");
    planner::price(graph, plan);
    return plan;
}

}  // namespace ein::apps
