// einplan GRAPH -n RANKS: reads a graph, decides how every tensor is cut and where each block lives, and writes the schedule.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "apps/command_line.hpp"
#include "apps/explain/print.hpp"
#include "apps/plan_summary.hpp"
#include "apps/report_errors.hpp"
#include "lib/base/error.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/json.hpp"
#include "lib/base/sizes.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/plan_json.hpp"
#include "lib/schedule/file.hpp"
#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"

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
    std::string explain;  // "", "text", "json" or "html"
    bool quiet = false;
};

void add_options(CLI::App& app, Options& options) {
    app.add_option("GRAPH", options.graph, "EinGraph JSON file")->required();
    app.add_option("-n,--ranks", options.ranks, "ranks that will run the schedule (any number; primes too)")
        ->required()
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
    app.add_flag("--explain{text}", options.explain,
                 "why the schedule is as it is, instead of the summary: --explain[=text], --explain=json, or "
                 "--explain=html (a page: on stdout, or with -o FILE beside the schedule as .html)");
    app.add_flag("-q,--quiet", options.quiet, "no summary");
}

/// Options of the public interface that this version does not have: refused by name, never ignored.
void refuse_later_options(CLI::App& app) {
    for (std::string const name : {"--cluster", "--simulate", "--sweep", "--time-limit"})
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

void print(std::string const& text) { std::fputs(text.c_str(), stdout); }

void check_explain(std::string const& how) {
    std::vector<std::string> const known{"text", "json", "html"};
    if (how.empty() || std::find(known.begin(), known.end(), how) != known.end()) return;
    throw UsageError("--explain: expected " + one_of(known) + ", found '" + how + "'");
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

void check_memory(Options const& options, schedule::Schedule const& schedule) {
    if (options.memory.empty()) return;
    auto const budget = parse_bytes(options.memory);
    if (!budget) throw UsageError("--memory: expected a size such as 8GiB, found '" + options.memory + "'");
    std::int64_t const peak =
        *std::max_element(schedule.header.prediction.peak_bytes.begin(), schedule.header.prediction.peak_bytes.end());
    if (peak > *budget)
        throw MemoryError("--memory: expected a schedule that fits in " + options.memory + " a rank, found a peak of " +
                          format_bytes(static_cast<double>(peak)) + " (" + std::to_string(peak) +
                          " bytes); give --memory " + std::to_string(peak) + " or more ranks");
}

/// Data files are named relative to the graph; the schedule says where that is from its own folder.
void tell_origin(schedule::Header& header, fs::path const& graph, std::string text, fs::path const& schedule) {
    header.graph_text = std::move(text);
    header.graph_file = graph.filename().string();
    fs::path const from = fs::absolute(schedule).lexically_normal().parent_path();
    header.folder = fs::absolute(graph).lexically_normal().parent_path().lexically_relative(from).string();
}

/// Tells the decisions as they were asked for; a page goes beside a schedule that was given a place.
void tell(Options const& options, bool placed, graph::EinGraph const& graph, relation::Plan const& plan,
          scheduler::Scheduled const& made) {
    if (options.explain.empty()) {
        if (!options.quiet) print(apps::plan_summary(made.schedule, plan, options.out.string()));
        return;
    }
    auto const explanation = apps::explain::explain(graph, plan, made);
    if (options.explain == "text") print(apps::explain::to_text(explanation));
    if (options.explain == "json")
        print(apps::explain::to_json(explanation).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    if (options.explain != "html") return;
    std::string const page = apps::explain::to_html(explanation);
    if (!placed) return print(page);
    fs::path const file = fs::path(options.out).replace_extension(".html");
    apps::write_text(file, page);
    if (!options.quiet)
        print(apps::plan_summary(made.schedule, plan, options.out.string()) + "  explained       " + file.string() +
              "\n");
}

int run(Options options) {
    check_explain(options.explain);
    bool const placed = !options.out.empty();
    if (options.out.empty()) options.out = fs::path(options.graph).replace_extension(".sched");
    std::string const text = read_text_file(options.graph);
    graph::EinGraph const graph = graph::lower_contractions(graph::read_graph(text, options.graph.string()));
    std::string const graph_hash = hash_of(text);
    relation::Plan plan = make_plan(options, graph, graph_hash);
    scheduler::SchedulerOptions const how{
        .place = options.place,
        .inputs = options.inputs == "shared" ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once};
    scheduler::Scheduled made = scheduler::schedule_plan(graph, plan, how);
    for (std::size_t node = 0; node < plan.nodes.size(); ++node) plan.nodes[node].ranks = made.ranks[node];
    schedule::Schedule& schedule = made.schedule;
    check_memory(options, schedule);
    tell_origin(schedule.header, options.graph, text, options.out);
    schedule::write_file(schedule, options.out);
    if (!options.plan_out.empty()) apps::write_text(options.plan_out, relation::write_plan(graph, plan, graph_hash));
    tell(options, placed, graph, plan, made);
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
