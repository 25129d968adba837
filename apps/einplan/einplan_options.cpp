#include "apps/einplan/einplan_options.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "apps/command_line.hpp"
#include "apps/inputs_below.hpp"
#include "apps/option_forms.hpp"
#include "apps/started_by.hpp"
#include "apps/written_places.hpp"
#include "executor/checkpoint/folder/checkpoint_number.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "planner/strategies/strategies.hpp"

namespace ein::apps {
namespace {

namespace fs = std::filesystem;

void add_options(CLI::App& app, EinplanOptions& options) {
    auto* const graph =
        app.add_option("GRAPH", options.graph, "EinGraph JSON file; - for standard input, with -o or --dry-run");
    app.add_option("--resume", options.resume,
                   "folder of einrun --checkpoint: plans what the newest checkpoint there leaves to do, in place of "
                   "GRAPH")
        ->excludes(graph);
    app.add_option("-n,--ranks", options.ranks, "ranks that will run the schedule (any number; primes too)")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("-o,--output", options.out,
                   "schedule to write, - for standard output (default: GRAPH with .sched; none with --explain, "
                   "--simulate or --sweep)");
    app.add_flag("--dry-run", options.dry_run, "everything but writing files");
    app.add_option("--parts", options.parts, "kernel calls for each EinSum (default: as many as ranks)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
    app.add_option("--decompose", options.decompose, "how EinSums are cut:" + planner::strategy_list())
        ->capture_default_str();
    app.add_option("--cost-unit", options.cost_unit,
                   "what eindecomp and exact minimise: bytes, or elements as published")
        ->check(CLI::IsMember({"bytes", "elements"}))
        ->capture_default_str();
    app.add_option(
           "--time-limit", options.time_limit,
           "seconds of planning: the search among all plans and for orders of products counts them as work, the "
           "same on every machine (default: 10, or 5 % of the predicted run); exact reads the clock (default: "
           "counted work); when it ends early, the summary says how far from optimal the plan may be")
        ->check(number_from(0, true));
    app.add_option("--limit", options.limit,
                   "operations that a product of many operands may take in the best order that is found (default: "
                   "1e18); more are refused")
        ->check(number_from(0, true));
    app.add_option("--place", options.place, "where kernel calls go: best, pattern, ia, greedy, round-robin")
        ->capture_default_str();
    app.add_option("--inputs", options.inputs,
                   "once: each input element is loaded by one rank; shared: by every rank that needs it")
        ->check(CLI::IsMember({"once", "shared"}))
        ->capture_default_str();
    add_inputs_below(app);
    app.add_flag(
        "--reproducible", options.reproducible,
        "results with the same bits at every number of ranks and threads: no label is cut that a sum, or another "
        "aggregation that rounds, runs over");
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
    app.add_option("--sweep", options.sweep, "rank counts, as 1,2,4,8: a table of predictions")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20));
    app.add_flag("--explain{text}", options.explain,
                 "why the schedule is as it is, instead of the summary: --explain[=text], --explain=json, or "
                 "--explain=html (a page: on stdout, or with -o FILE beside the schedule as .html)");
    app.add_option("--batch", options.batch,
                   "on standard output, in place of the summary, which goes to standard error: slurm, a complete batch "
                   "script that saves checkpoints and requeues itself; mpirun, the plain command")
        ->check(CLI::IsMember({"slurm", "mpirun"}));
    app.add_flag("-q,--quiet", options.quiet,
                 "no summary, nor notes of what costs time or memory; those of results that are hardly meant stay");
}

void check_explain(std::string const& how) {
    std::vector<std::string> const known{"text", "json", "html"};
    if (how.empty() || std::find(known.begin(), known.end(), how) != known.end()) return;
    throw UsageError("--explain: expected " + one_of(known) + ", found '" + how + "'");
}

/// Whether what is printed goes into this file.
bool is_printed_into(fs::path const& path) {
    if (is_standard_output(path)) return true;
    struct stat printed {
    }, file{};
    return ::fstat(STDOUT_FILENO, &printed) == 0 && S_ISREG(printed.st_mode) && ::stat(path.c_str(), &file) == 0 &&
           printed.st_dev == file.st_dev && printed.st_ino == file.st_ino;
}

/// A script that is printed, and a schedule that is a file: both have a place. @throws UsageError
void check_printed(EinplanOptions const& options, bool shows) {
    std::string const kind = options.out.extension().string();
    bool const is_script = kind == ".sh" || kind == ".sbatch" || kind == ".slurm" || kind == ".job";
    if (!options.batch.empty() && is_script)
        throw UsageError("-o: expected the schedule's file, since --batch prints the script, found '" +
                         options.out.string() + "'; write > " + options.out.string() + " in place of -o");
    if (!options.writes || (options.batch.empty() && !shows) || !is_printed_into(options.out)) return;
    throw UsageError(std::string(options.batch.empty() ? "standard output" : "--batch") +
                     ": expected another file than the schedule's for what is printed, found '" + options.out.string() +
                     "' for both; write > " + (options.batch.empty() ? "plan.txt" : "job.sh"));
}

/// A checkpoint is removed when there is a later one, and what lies in it too: nothing is written there unasked.
/// @throws UsageError for the graph of a checkpoint
void refuse_checkpoint(EinplanOptions const& options) {
    fs::path const folder = fs::absolute(options.graph).lexically_normal().parent_path();
    if (!executor::is_checkpoint_number(folder.filename().string()) || !fs::exists(folder / "manifest.json")) return;
    fs::path const all = fs::path(options.graph).parent_path().parent_path();
    throw UsageError(
        "-o: expected the schedule's file, since GRAPH lies in a checkpoint, where nothing else is kept, "
        "found none; write einplan --resume " +
        (all.empty() ? folder.parent_path() : all).string() + " -n " + std::to_string(options.ranks) +
        ", or add -o FILE");
}

/// Completes what was parsed. @throws UsageError for options that contradict one another
void check_and_complete(EinplanOptions& options) {
    check_explain(options.explain);
    options.out = output_path(options.out);
    if (options.graph.empty() && options.resume.empty())
        throw UsageError("expected GRAPH, a file that says what to compute, found none; see --help");
    if (options.graph.empty() && options.out.empty()) options.out = fs::path(options.resume) / "rest.sched";
    if (!options.graph.empty() && options.graph != "-") refuse_other_kind(options.graph, FileUse::graph, "a graph");
    if (options.ranks == 0 && options.sweep.empty()) {
        auto const by = started_by(std::getenv);
        if (!by) throw UsageError("expected -n RANKS, found none; write -n 4 for four ranks");
        throw UsageError("expected -n RANKS, found none, and that " + by->launcher + " started it " +
                         std::to_string(by->times) + " times; run it without " + by->launcher + ": einplan " +
                         (options.graph.empty() ? "GRAPH" : options.graph.string()) + " -n " +
                         std::to_string(by->times));
    }
    if (options.ranks == 0 && !options.explain.empty())
        throw UsageError("--explain: expected -n, since a table of --sweep alone has no schedule to explain; add it");
    bool const shows = !options.explain.empty() || !options.simulate.empty() || !options.sweep.empty();
    if (!options.batch.empty() && shows)
        throw UsageError("--batch: expected no --explain, --simulate and --sweep, which print too; leave one out");
    options.placed = !options.out.empty() && (options.resume.empty() || options.out != options.resume / "rest.sched");
    options.writes = !options.dry_run && (options.placed || !shows);
    if (options.graph == "-" && options.writes && !options.placed)
        throw UsageError("-o: expected the schedule's file, since the graph comes from standard input; add -o FILE");
    if (options.writes && options.out.empty()) refuse_checkpoint(options);
    if (options.out.empty()) options.out = fs::path(options.graph).replace_extension(".sched");
    check_printed(options, shows);
    if (!options.plan_in.empty()) refuse_other_kind(options.plan_in, FileUse::plan, "a plan");
    check_written(places_written(options),
                  {{"GRAPH", options.graph}, {"--plan-in", options.plan_in}, {"--cluster", options.cluster}});
    if (!options.plan_in.empty() && (options.parts > 0 || options.decompose != EinplanOptions().decompose))
        throw UsageError(
            "--plan-in: expected no --parts and no --decompose, since the plan says how nodes are cut; leave them out");
}

}  // namespace

std::vector<NamedPath> places_written(EinplanOptions const& options) {
    std::vector<NamedPath> out;
    if (options.writes) out.emplace_back("-o", options.out);
    if (options.writes && options.explain == "html")
        out.emplace_back("--explain=html", fs::path(options.out).replace_extension(".html"));
    if (!options.dry_run) out.emplace_back("--plan-out", options.plan_out);
    return out;
}

std::optional<EinplanOptions> einplan_options(int argc, char const* const* argv) {
    EinplanOptions options;
    CLI::App app{
        "Plans a graph of Einstein summations for a number of ranks and writes the schedule that einrun runs."};
    app.set_version_flag("--version", version("einplan"));
    add_options(app, options);
    if (parse(app, argc, argv)) return std::nullopt;
    options.strategy_given = app.count("--decompose") > 0;
    check_and_complete(options);
    options.warnings = small_sizes({{"--memory", options.memory}, {"--device-memory", options.device_memory}});
    return options;
}

std::vector<OptionForm> einplan_option_forms() {
    EinplanOptions options;
    CLI::App app;
    add_options(app, options);
    return option_forms(app);
}

}  // namespace ein::apps
