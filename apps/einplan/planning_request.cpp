#include "apps/einplan/planning_request.hpp"

#include <algorithm>

#include "apps/command_line.hpp"
#include "apps/report_errors.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/json.hpp"
#include "lib/relation/plan_json.hpp"

namespace ein::apps {

namespace {

/// Numbers without a unit that no machine has, as a latency of 2 seconds: another unit is meant.
std::vector<std::string> strange_quantities(Json const& cluster, std::string const& file) {
    constexpr double slow = 1e6, long_wait = 0.1;  // bytes/s, operations/s; seconds
    std::vector<std::string> out;
    auto const look = [&](Json const& at, std::string const& place) {
        for (auto const& [key, value] : at.items()) {
            if (!value.is_number()) continue;
            bool const waits = key == "latency" || key == "per_message" || key == "seconds_per_task";
            bool const bytes = key == "bandwidth" || key == "both_ways" || key == "uplink" || key == "backbone" ||
                               key == "bytes_per_second" || key == "copied_per_second" || key == "disk_per_second";
            bool const operations =
                key == "flops_per_second" || key == "operations_per_second" || place == "/flops_per_second";
            double const number = value.get<double>();
            if (waits ? number < long_wait : !(bytes || operations) || number >= slow) continue;
            std::string const amount = value.dump();
            out.push_back(file + ": " + place + "/" + key + ": " + amount + " without a unit is " + amount +
                          (waits ? " seconds: write \"" + amount + "us\" for microseconds, \"" + amount + "s\""
                           : bytes
                               ? " bytes/s: write \"" + amount + "GB/s\" or \"" + amount + "Gbit/s\" for more, \"" +
                                     amount + "B/s\""
                               : " operations/s: write \"" + amount + "Gflop/s\" for more, \"" + amount + "flop/s\"") +
                          " if that is meant");
        }
    };
    look(cluster, "");
    for (char const* part : {"inside", "between", "flops_per_second"})
        if (cluster.contains(part) && cluster.at(part).is_object()) look(cluster.at(part), std::string("/") + part);
    return out;
}

}  // namespace

Machines read_machines(EinplanOptions const& options) {
    if (options.cluster.empty()) return {{}, "the built-in cluster"};
    std::string const file = options.cluster.string();
    Json const json = read_json_of(FileUse::cluster, "a cluster file", options.cluster);
    Machines machines{scheduler::cluster_from_json(json, file), file};
    for (std::string const& warning : strange_quantities(json, file)) say("einplan", "warning: " + warning);
    if (!machines.cluster.memory) return machines;
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
    return {.planner = {.ranks = ranks,
                        .calls = options.parts,
                        .decompose = options.decompose,
                        .unit = options.cost_unit == "bytes" ? planner::Unit::bytes : planner::Unit::elements,
                        .time_limit = options.time_limit},
            .scheduler = {.place = options.place,
                          .inputs = shared ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once,
                          .cluster = machines.cluster,
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
