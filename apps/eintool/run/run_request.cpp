#include "apps/eintool/run/run_request.hpp"

#include <CLI/CLI.hpp>

#include "apps/command_line.hpp"
#include "lib/base/error.hpp"

namespace ein::apps::tool {
namespace {

std::vector<std::string> const out_options{"-o", "--output"};
constexpr int most_retries = 1 << 20;

void add_own_options(CLI::App& app, RunRequest& request) {
    app.add_option("GRAPH", request.graph, "graph to plan and run, or a schedule to run")->required();
    app.add_option("-n,--ranks", request.ranks, "ranks (a schedule says how many it is for)")
        ->check(CLI::Range(1, 1 << 20));
    app.add_option("--checkpoint", request.checkpoint,
                   "folder of checkpoints: a job that fails is tried again from the newest one, as long as there is "
                   "progress; the same command later goes on from there too");
    app.add_option("--retries", request.retries, "so many retries at most (default: as many as there is progress for)")
        ->check(CLI::Range(0, most_retries));
    app.add_flag("--shrink", request.shrink,
                 "before a retry, leave out hosts that do not answer, and plan what is left for the others");
}

/// Options that make einplan plan nothing, or something else than one schedule.
void refuse_plans_alone(Words const& words) {
    for (std::string const name : {"--dry-run", "--batch", "--sweep"})
        if (without(words, {name}) != words)
            throw UsageError("run: expected options for a schedule that is run, found " + name + "; use einplan");
    if (without(words, {"--resume"}) != words)
        throw UsageError("run: expected --checkpoint DIR, found --resume; a run goes on from DIR by itself");
}

}  // namespace

std::optional<RunRequest> run_request(Words const& words) {
    RunRequest request;
    CLI::App app{
        "Plans a graph and runs it: with srun inside a Slurm job, else with mpirun. With --checkpoint it is tried "
        "again "
        "when a rank or a host is lost. Options of einplan and einrun go to them; what the launcher is to be told "
        "comes behind --."};
    app.name("eintool run");
    add_own_options(app, request);
    SplitWords const split = split_words(words, {option_forms(app), einplan_option_forms(), einrun_option_forms()});
    std::vector<char const*> own{"eintool run"};
    for (std::string const& word : split.own) own.push_back(word.c_str());
    if (parse(app, static_cast<int>(own.size()), own.data())) return std::nullopt;
    for (Words const* each : {&split.plan, &split.run}) refuse_plans_alone(*each);
    if (request.checkpoint.empty() && (request.retries || request.shrink))
        throw UsageError(std::string(request.shrink ? "--shrink" : "--retries") +
                         ": expected --checkpoint DIR, since a retry goes on from there; add it");
    request.schedule = value_of(split.plan, out_options, "");
    if (request.schedule == "-")
        throw UsageError("-o: expected a file for the schedule, which einrun reads, found '-'; give a name, or none");
    request.plan_words = without(split.plan, out_options);
    request.plan_only = split.plan_only;
    request.run_words = split.run;
    if (!request.checkpoint.empty())
        request.run_words.insert(request.run_words.end(), {"--checkpoint", request.checkpoint.string()});
    request.launcher = split.launcher;
    return request;
}

}  // namespace ein::apps::tool
