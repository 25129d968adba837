// einplan GRAPH -n RANKS: reads a graph, decides how every tensor is cut and where each block lives, and writes the schedule.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "apps/command_line.hpp"
#include "apps/einplan/batch_lines.hpp"
#include "apps/einplan/plan_summary.hpp"
#include "apps/einplan/planning.hpp"
#include "apps/einplan/simulation_text.hpp"
#include "apps/explain/print.hpp"
#include "apps/report_errors.hpp"
#include "lib/base/error.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/plan_json.hpp"
#include "lib/schedule/file/file.hpp"
#include "planner/strategies/strategies.hpp"
#include "scheduler/simulate/cluster.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace {

using namespace ein;
namespace fs = std::filesystem;

struct Options {
    fs::path graph;
    int ranks = 0;
    fs::path out;
    std::int64_t parts = 0;
    std::string decompose = "eindecomp";
    std::string cost_unit = "bytes";
    double time_limit = 0;
    std::string place = "best";
    std::string inputs = "once";
    std::string memory, device_memory;
    fs::path plan_out, plan_in;
    fs::path cluster;
    std::string simulate;    // text or json, if asked for
    std::vector<int> sweep;  // rank counts
    std::string explain;     // "", "text", "json" or "html"
    bool quiet = false;
};

void add_options(CLI::App& app, Options& options) {
    app.add_option("GRAPH", options.graph, "EinGraph JSON file")->required();
    app.add_option("-n,--ranks", options.ranks, "ranks that will run the schedule (any number; primes too)")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("-o,--output", options.out, "schedule to write (default: GRAPH with .sched)");
    app.add_option("--parts", options.parts, "kernel calls for each EinSum (default: as many as ranks)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
    app.add_option("--decompose", options.decompose, "how EinSums are cut:" + planner::strategy_list())
        ->capture_default_str();
    app.add_option("--cost-unit", options.cost_unit,
                   "what eindecomp and exact minimise: bytes, or elements as published")
        ->check(CLI::IsMember({"bytes", "elements"}))
        ->capture_default_str();
    app.add_option("--time-limit", options.time_limit,
                   "seconds for the search of exact (default: counted work, the same on every machine); when it ends "
                   "early, the summary tells how far from optimal the plan may be")
        ->check(apps::number_from(0, true));
    app.add_option("--place", options.place, "where kernel calls go: best, pattern, ia, greedy, round-robin")
        ->capture_default_str();
    app.add_option("--inputs", options.inputs,
                   "once: each input element is loaded by one rank; shared: by every rank that needs it")
        ->check(CLI::IsMember({"once", "shared"}))
        ->capture_default_str();
    app.add_option("--memory", options.memory,
                   "block budget of each rank, as 8GiB: plans in other ways until one fits, at last with blocks that "
                   "spill to disk; "
                   "exit code 4 when none does");
    app.add_option(
        "--device-memory", options.device_memory,
        "memory for blocks on each rank's GPU, as 40GiB: slices labels until one kernel call fits, and says what will "
        "be copied to and fro; exit code 4 when none does");
    app.add_option("--plan-out", options.plan_out, "write the decisions as JSON");
    app.add_option("--plan-in", options.plan_in, "take the decisions from this file instead of planning");
    app.add_option("--cluster", options.cluster,
                   "JSON of the machines, as configs/four-nodes.json (default: built in)");
    app.add_flag("--simulate{text}", options.simulate,
                 "predict the run on the cluster: makespan, seconds by rank, timeline, critical path; --simulate=json "
                 "for programs")
        ->check(CLI::IsMember({"text", "json"}));
    app.add_option("--sweep", options.sweep,
                   "rank counts, as 1,2,4,8: a table of predictions; without -n nothing is written")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20));
    app.add_flag("--explain{text}", options.explain,
                 "why the schedule is as it is, instead of the summary: --explain[=text], --explain=json, or "
                 "--explain=html (a page: on stdout, or with -o FILE beside the schedule as .html)");
    app.add_flag("-q,--quiet", options.quiet, "no summary");
}

std::string hex(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

std::string hash_of(std::string const& text) {
    return hex(hash_bytes({reinterpret_cast<std::uint8_t const*>(text.data()), text.size()}));
}

void print(std::string const& text) { std::fputs(text.c_str(), stdout); }

void check_explain(std::string const& how) {
    std::vector<std::string> const known{"text", "json", "html"};
    if (how.empty() || std::find(known.begin(), known.end(), how) != known.end()) return;
    throw UsageError("--explain: expected " + one_of(known) + ", found '" + how + "'");
}

std::optional<relation::Plan> given_plan(Options const& options, graph::EinGraph const& graph,
                                         std::string const& graph_hash) {
    if (options.plan_in.empty()) return std::nullopt;
    relation::Plan plan =
        relation::read_plan(read_text_file(options.plan_in), options.plan_in.string(), graph, graph_hash);
    if (plan.ranks != options.ranks)
        throw InputError(Fault{options.plan_in.string(), "/ranks", std::to_string(options.ranks) + " (as -n says)",
                               std::to_string(plan.ranks), "plan for as many ranks, or change -n"});
    bool const says_where =
        std::any_of(plan.nodes.begin(), plan.nodes.end(), [](auto const& node) { return !node.ranks.empty(); });
    if (says_where && options.place != Options().place)
        apps::say("einplan", "warning: --place " + options.place + " places no call whose ranks " +
                                 options.plan_in.string() + " gives");
    planner::price(graph, plan);
    return plan;
}

/// Data files are named relative to the graph; the schedule says where that is from its own folder.
void tell_origin(schedule::Header& header, fs::path const& graph, std::string text, fs::path const& schedule) {
    header.graph_text = std::move(text);
    header.graph_file = graph.filename().string();
    fs::path const from = fs::absolute(schedule).lexically_normal().parent_path();
    header.folder = fs::absolute(graph).lexically_normal().parent_path().lexically_relative(from).string();
}

struct Machines {
    scheduler::Cluster cluster;
    std::string name;  // for messages
};

Machines read_machines(Options const& options) {
    if (options.cluster.empty()) return {{}, "the built-in cluster"};
    std::string const file = options.cluster.string();
    return {scheduler::cluster_from_json(parse_json(read_text_file(options.cluster), file), file), file};
}

/// --memory, else the cluster's memory.
std::optional<std::int64_t> budget_of(Options const& options, Machines const& machines) {
    if (options.memory.empty()) return machines.cluster.memory;
    return apps::memory_budget(options.memory);
}

std::optional<std::int64_t> device_memory_of(Options const& options) {
    if (options.device_memory.empty()) return std::nullopt;
    return apps::memory_budget(options.device_memory, "--device-memory");
}

apps::PlanningOptions planning_options(Options const& options, Machines const& machines, int ranks) {
    check_room(machines.cluster, ranks);
    bool const shared = options.inputs == "shared";
    return {.planner = {.ranks = ranks,
                        .calls = options.parts,
                        .decompose = options.decompose,
                        .unit = options.cost_unit == "bytes" ? planner::Unit::bytes : planner::Unit::elements,
                        .time_limit = options.time_limit},
            .scheduler = {.place = options.place,
                          .inputs = shared ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once,
                          .cluster = machines.cluster},
            .memory = budget_of(options, machines),
            .memory_from = options.memory.empty() ? machines.name + ": /memory" : "--memory",
            .device_memory = device_memory_of(options)};
}

std::vector<apps::SweepRow> sweep(Options const& options, graph::EinGraph const& graph, Machines const& machines) {
    if (!options.plan_in.empty()) throw UsageError("--sweep: expected no --plan-in: a plan is for one rank count");
    if (!options.plan_out.empty()) throw UsageError("--sweep: expected no --plan-out: a plan is for one rank count");
    if (!options.device_memory.empty())
        throw UsageError(
            "--sweep: expected no --device-memory: the table is of the host's; give -n for one rank count");
    auto const planned_for = [&](int ranks) {
        apps::check_mesh(graph, ranks, options.graph.string());
        apps::PlanningOptions how = planning_options(options, machines, ranks);
        how.memory = how.device_memory = std::nullopt;  // the table tells what would not fit
        how.scheduler.simulate = true;
        return plan_and_schedule(graph, how);
    };
    double const alone = planned_for(1).made.makespan;
    std::vector<apps::SweepRow> rows;
    for (int ranks : options.sweep) {
        apps::Planned const planned = planned_for(ranks);
        rows.push_back(
            apps::sweep_row(planned.made.schedule, planned.made.makespan, alone, budget_of(options, machines)));
    }
    return rows;
}

std::string summary_of(Options const& options, apps::Planned const& planned, Machines const& machines) {
    std::string device;
    if (auto const memory = device_memory_of(options))
        device = "  device          " +
                 apps::explain::device_text(apps::explain::device_story(planned.made.schedule, *memory)) + "\n";
    return apps::plan_summary(planned.made.schedule, planned.plan, options.out.string()) + device +
           "  batch           " + apps::batch_line(planned.made.schedule.header, machines.cluster) + "\n";
}

/// What goes to stdout: texts as they come, or, when --simulate=json or --explain=json was given, one JSON object at the end.
class PlanReport {
public:
    PlanReport(Options const& options, Machines const& machines)
        : options_(options), machines_(machines), json_(options.simulate == "json" || options.explain == "json") {}

    void sweep(std::vector<apps::SweepRow> const& rows) {
        if (json_)
            document_["sweep"] = apps::sweep_json(rows);
        else
            print(apps::sweep_text(rows, machines_.name));
    }

    void plan(graph::EinGraph const& graph, apps::Planned const& planned, bool placed) {
        for (std::string const& note : planned.notes) std::fprintf(stderr, "einplan: %s\n", note.c_str());
        if (options_.explain.empty()) {
            if (!options_.quiet && !json_) print(summary_of(options_, planned, machines_));
            return;
        }
        auto explanation = apps::explain::explain(graph, planned.plan, planned.made);
        if (auto const memory = device_memory_of(options_))
            explanation.device = apps::explain::device_story(planned.made.schedule, *memory);
        if (options_.explain == "json") document_.update(apps::explain::to_json(explanation));
        if (options_.explain == "text") print(apps::explain::to_text(explanation));
        if (options_.explain == "html") page(apps::explain::to_html(explanation), planned, placed);
    }

    void simulation(schedule::Schedule const& schedule) {
        if (options_.simulate.empty()) return;
        scheduler::Simulation const run = simulate(schedule, machines_.cluster);
        if (!json_) return print(apps::simulation_text(schedule, run, machines_.name));
        Json told = apps::simulation_json(schedule, run);
        told["cluster"] = machines_.name;
        if (options_.explain == "json")
            document_["simulation"] = std::move(told);
        else
            document_.update(told);
    }

    void end() const {
        if (json_) print(document_.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    }

private:
    /// A page goes beside a schedule that was given a place.
    void page(std::string const& text, apps::Planned const& planned, bool placed) const {
        if (!placed) return print(text);
        fs::path const file = fs::path(options_.out).replace_extension(".html");
        apps::write_text(file, text);
        if (!options_.quiet && !json_)
            print(summary_of(options_, planned, machines_) + "  explained       " + file.string() + "\n");
    }

    Options const& options_;
    Machines const& machines_;
    bool json_;
    Json document_ = Json::object();
};

int run(Options options) {
    check_explain(options.explain);
    if (options.ranks == 0 && options.sweep.empty()) throw UsageError("-n, --ranks is required; see --help");
    if (options.ranks == 0 && !options.explain.empty())
        throw UsageError("--explain: expected -n, since a table of --sweep alone has no schedule to explain; add it");
    bool const placed = !options.out.empty();
    if (options.out.empty()) options.out = fs::path(options.graph).replace_extension(".sched");
    apps::check_written({{"-o", options.out}, {"--plan-out", options.plan_out}},
                        {{"GRAPH", options.graph}, {"--plan-in", options.plan_in}, {"--cluster", options.cluster}});
    if (!options.plan_in.empty() && (options.parts > 0 || options.decompose != Options().decompose))
        throw UsageError(
            "--plan-in: expected no --parts and no --decompose, since the plan says how nodes are cut; leave them out");
    std::string const text = read_text_file(options.graph);
    graph::EinGraph const graph = graph::lower_contractions(graph::read_graph(text, options.graph.string()));
    Machines const machines = read_machines(options);
    PlanReport telling(options, machines);
    if (!options.sweep.empty()) telling.sweep(sweep(options, graph, machines));
    if (options.ranks > 0) {
        apps::check_mesh(graph, options.ranks, options.graph.string());
        std::string const graph_hash = hash_of(text);
        apps::Planned planned = plan_and_schedule(graph, planning_options(options, machines, options.ranks),
                                                  given_plan(options, graph, graph_hash));
        schedule::Schedule& schedule = planned.made.schedule;
        tell_origin(schedule.header, options.graph, text, options.out);
        schedule::write_file(schedule, options.out);
        if (!options.plan_out.empty())
            apps::write_text(options.plan_out, relation::write_plan(graph, planned.plan, graph_hash));
        telling.plan(graph, planned, placed);
        telling.simulation(schedule);
    }
    telling.end();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return apps::report_errors("einplan", [&] {
        Options options;
        CLI::App app{
            "Plans a graph of Einstein summations for a number of ranks and writes the schedule that einrun runs."};
        app.set_version_flag("--version", apps::version("einplan"));
        add_options(app, options);
        if (auto const code = apps::parse(app, argc, argv)) return *code;
        return run(options);
    });
}
