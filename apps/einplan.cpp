// einplan GRAPH -n RANKS: reads a graph, decides how every tensor is cut and where each block lives, and writes the schedule.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "apps/batch_lines.hpp"
#include "apps/command_line.hpp"
#include "apps/plan_summary.hpp"
#include "apps/report_errors.hpp"
#include "apps/simulation_text.hpp"
#include "lib/base/error.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/json.hpp"
#include "lib/base/sizes.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/plan_json.hpp"
#include "lib/schedule/file.hpp"
#include "planner/planner.hpp"
#include "scheduler/cluster.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/simulate.hpp"

namespace {

using namespace ein;
namespace fs = std::filesystem;

struct Options {
    fs::path graph;
    int ranks = 0;
    fs::path out;
    std::int64_t parts = 0;
    std::string decompose = "eindecomp";
    std::string place = "best";
    std::string inputs = "once";
    std::string memory;
    fs::path plan_out, plan_in;
    fs::path cluster;
    std::string simulate;    // text or json, if asked for
    std::vector<int> sweep;  // rank counts
    bool quiet = false;
};

void add_options(CLI::App& app, Options& options) {
    app.add_option("GRAPH", options.graph, "EinGraph JSON file")->required();
    app.add_option("-n,--ranks", options.ranks, "ranks that will run the schedule (any number; primes too)")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("-o,--output", options.out, "schedule to write (default: GRAPH with .sched)");
    app.add_option("--parts", options.parts, "kernel calls for each EinSum (default: as many as ranks)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
    app.add_option("--decompose", options.decompose, "how EinSums are cut: eindecomp, sqrt")->capture_default_str();
    app.add_option("--place", options.place, "where kernel calls go: best, pattern, greedy, round-robin")
        ->capture_default_str();
    app.add_option("--inputs", options.inputs,
                   "once: each input element is loaded by one rank; shared: by every rank that needs it")
        ->check(CLI::IsMember({"once", "shared"}))
        ->capture_default_str();
    app.add_option("--memory", options.memory,
                   "block budget of each rank, as 8GiB; exit code 4 when the schedule needs more");
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
    app.add_flag("-q,--quiet", options.quiet, "no summary");
}

/// Options of the public interface that this version does not have: refused by name, never ignored.
void refuse_later_options(CLI::App& app) {
    for (std::string const name : {"--explain", "--time-limit"})
        app.add_option_function<std::vector<std::string>>(
               name, [name](auto const&) { throw UsageError(name + " is not available in this version"); })
            ->expected(0, 64)  // whatever follows: it is refused anyway
            ->group("");
}

std::string hex(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

std::string hash_of(std::string const& text) {
    return hex(hash_bytes({reinterpret_cast<std::uint8_t const*>(text.data()), text.size()}));
}

relation::Plan make_plan(Options const& options, graph::EinGraph const& graph, std::string const& graph_hash) {
    if (options.plan_in.empty())
        return planner::plan(graph, {.ranks = options.ranks, .calls = options.parts, .decompose = options.decompose});
    relation::Plan plan =
        relation::read_plan(read_text_file(options.plan_in), options.plan_in.string(), graph, graph_hash);
    if (plan.ranks != options.ranks)
        throw InputError(Fault{options.plan_in.string(), "/ranks", std::to_string(options.ranks) + " (as -n says)",
                               std::to_string(plan.ranks), "plan for as many ranks, or change -n"});
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

/// --memory, else the cluster's, is the budget of each rank.
void check_memory(Options const& options, Machines const& machines, schedule::Schedule const& schedule) {
    bool const given = !options.memory.empty();
    auto const budget = given ? parse_bytes(options.memory) : machines.cluster.memory;
    if (given && !budget) throw UsageError("--memory: expected a size such as 8GiB, found '" + options.memory + "'");
    std::int64_t const peak =
        *std::max_element(schedule.header.prediction.peak_bytes.begin(), schedule.header.prediction.peak_bytes.end());
    if (!budget || peak <= *budget) return;
    std::string const limit = given ? options.memory : format_bytes(static_cast<double>(*budget));
    throw MemoryError((given ? "--memory" : machines.name + ": /memory") + ": expected a schedule that fits in " +
                      limit + " a rank, found a peak of " + format_bytes(static_cast<double>(peak)) + " (" +
                      std::to_string(peak) + " bytes); give --memory " + std::to_string(peak) + " or more ranks");
}

schedule::Schedule make_schedule(Options const& options, graph::EinGraph const& graph, relation::Plan const& plan,
                                 scheduler::Cluster const& cluster) {
    check_room(cluster, plan.ranks);
    return scheduler::make_schedule(
        graph, plan,
        {.place = options.place,
         .inputs = options.inputs == "shared" ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once,
         .cluster = cluster});
}

std::vector<apps::SweepRow> sweep(Options options, graph::EinGraph const& graph, scheduler::Cluster const& cluster) {
    auto const schedule_for = [&](int ranks) {
        options.ranks = ranks;
        return make_schedule(options, graph, make_plan(options, graph, ""), cluster);
    };
    if (!options.plan_in.empty()) throw UsageError("--sweep: expected no --plan-in: a plan is for one rank count");
    double const alone = simulate(schedule_for(1), cluster).makespan;
    std::vector<apps::SweepRow> rows;
    for (int ranks : options.sweep) {
        schedule::Schedule const schedule = schedule_for(ranks);
        rows.push_back(apps::sweep_row(schedule, simulate(schedule, cluster).makespan, alone, cluster.memory));
    }
    return rows;
}

int run(Options options) {
    if (options.ranks == 0 && options.sweep.empty()) throw UsageError("-n, --ranks is required; see --help");
    if (options.out.empty()) options.out = fs::path(options.graph).replace_extension(".sched");
    std::string const text = read_text_file(options.graph);
    graph::EinGraph const graph = graph::lower_contractions(graph::read_graph(text, options.graph.string()));
    Machines const machines = read_machines(options);
    bool const as_json = options.simulate == "json";
    Json predictions{{"cluster", machines.name}};
    if (!options.sweep.empty()) {
        auto const rows = sweep(options, graph, machines.cluster);
        predictions["sweep"] = apps::sweep_json(rows);
        if (!as_json) std::fputs(apps::sweep_text(rows, machines.name).c_str(), stdout);
    }
    if (options.ranks > 0) {
        std::string const graph_hash = hash_of(text);
        relation::Plan const plan = make_plan(options, graph, graph_hash);
        schedule::Schedule schedule = make_schedule(options, graph, plan, machines.cluster);
        check_memory(options, machines, schedule);
        tell_origin(schedule.header, options.graph, text, options.out);
        schedule::write_file(schedule, options.out);
        if (!options.plan_out.empty())
            apps::write_text(options.plan_out, relation::write_plan(graph, plan, graph_hash));
        if (!options.quiet && !as_json)
            std::fputs((apps::plan_summary(schedule, plan, options.out.string()) + "  batch           " +
                        apps::batch_line(schedule.header, machines.cluster) + "\n")
                           .c_str(),
                       stdout);
        if (!options.simulate.empty()) {
            scheduler::Simulation const run = simulate(schedule, machines.cluster);
            predictions.update(apps::simulation_json(schedule, run));
            if (!as_json) std::fputs(apps::simulation_text(schedule, run, machines.name).c_str(), stdout);
        }
    }
    if (as_json) std::puts(predictions.dump(1).c_str());
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
        refuse_later_options(app);
        if (auto const code = apps::parse(app, argc, argv)) return *code;
        return run(options);
    });
}
