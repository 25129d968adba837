#include "apps/eintool/run/job.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "apps/command_line.hpp"
#include "apps/eintool/run/ends.hpp"
#include "apps/eintool/run/open_mpi_leftovers.hpp"
#include "apps/eintool/run/programs.hpp"
#include "apps/graph_file.hpp"
#include "apps/report_errors.hpp"
#include "apps/started_by.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/output_place.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "lib/base/json.hpp"
#include "lib/base/text/counted.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/schedule/file/file.hpp"

namespace ein::apps::tool {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto time_to_end = std::chrono::seconds(30);  // after which a launcher that was told to end is killed
constexpr int most_aborts = 2;  // that a launcher is left to act on: mpirun hurries at the second

void tell(std::string const& text) { say("eintool", text); }

std::string from_where(std::string const& checkpoint) {
    return checkpoint.empty() ? "from the beginning" : "from checkpoint " + checkpoint;
}

}  // namespace

Job::Job(RunRequest request) : request_(std::move(request)), folder_(request_.checkpoint), policy_(request_.retries) {
    if (checkpoints()) make_folder(request_.checkpoint, "--checkpoint");
    open_source();
    choose_launcher();
}

Job::~Job() {
    std::error_code error;
    if (!temporary_.empty()) fs::remove(temporary_, error);
}

/// A graph that will be planned, or a schedule that is there.
void Job::open_source() {
    is_schedule_ = schedule::is_schedule_file(request_.graph);
    if (!is_schedule_) {
        if (request_.ranks == 0) throw UsageError("run: expected -n RANKS, found none; write -n 4 for four ranks");
        GraphFile const file = read_graph_file(request_.graph);
        graph_text_ = file.text;
        planned_from_ = request_.graph;
        return;
    }
    if (!request_.plan_only.empty())
        throw UsageError(request_.plan_only.front() + ": expected a graph, since it is an option of planning, found " +
                         request_.graph.string() + ", which is planned; give the graph, or leave the option out");
    schedule::Header const header = schedule::File(request_.graph).header();
    if (request_.ranks != 0 && request_.ranks != header.ranks)
        throw UsageError("-n: expected " + std::to_string(header.ranks) + ", which " + request_.graph.string() +
                         " is for, found " + std::to_string(request_.ranks) + "; give the graph to plan it anew");
    request_.ranks = header.ranks;
    planned_from_ = request_.graph.parent_path() / header.folder / header.graph_file;
}

void Job::choose_launcher() {
    launcher_.words = request_.launcher;
    bool const in_slurm = std::getenv("SLURM_JOB_ID") != nullptr && on_path("srun");
    launcher_.kind = in_slurm ? LauncherKind::srun : LauncherKind::mpirun;
    auto const by = started_by(std::getenv);
    // Open MPI refuses to be started by one of its processes, even by the only one.
    bool const within = !in_slurm && std::getenv("OMPI_COMM_WORLD_RANK") != nullptr;
    if (std::string const other = by ? by->launcher : "mpirun"; by || within)
        throw UsageError("run: expected to be started alone, since it starts the ranks, found that " + other +
                         " started it" + (by ? " " + std::to_string(by->times) + " times" : "") + "; run it without " +
                         other + ": -n says how many ranks there are");
    if (!in_slurm && !on_path("mpirun"))
        throw RunError("run: expected mpirun of an MPI library on PATH, found none; install one or set PATH");
    auto const environment = [](char const* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
    std::string const default_file = environment("OMPI_MCA_orte_default_hostfile");
    if (in_slurm)
        hosts_ = hosts_of_slurm(environment("SLURM_JOB_NODELIST"), environment("SLURM_TASKS_PER_NODE"));
    else if (auto const file = hostfile_of(launcher_))
        hosts_ = hosts_of_file(read_text_file(*file));
    else if (auto const list = host_list_of(launcher_))
        hosts_ = hosts_of_list(*list);
    else if (!default_file.empty())
        hosts_ = hosts_of_file(read_text_file(default_file));
}

std::string Job::request_hash() const {
    std::string all = is_schedule_ ? hex(schedule::File(request_.graph).hash()) : graph_text_;
    all += '\0' + std::to_string(request_.ranks);
    for (std::string const& word : request_.plan_words) all += '\0' + word;
    return text_hash(all);
}

void Job::remember_schedule(std::string const& request, int ranks) const {
    if (!checkpoints()) return;
    fs::path const schedule = fs::absolute(schedule_).lexically_proximate(fs::absolute(folder_.path()));
    folder_.remember({request, ranks, schedule});
}

/// The schedule to run: the one that the newest checkpoint was made by, or a new one. @return an exit code
int Job::prepare() {
    auto const state = checkpoints() ? folder_.planned() : std::nullopt;
    std::error_code error;
    if (state && !newest().empty() && state->request == request_hash()) {
        if (state->ranks != request_.ranks) {
            tell(counted(request_.ranks, "rank") + " again: planning what checkpoint " + newest() + " leaves to do");
            return plan(request_.ranks, false);
        }
        schedule_ = folder_.path() / state->schedule;
        ranks_ = state->ranks;
        if (fs::exists(schedule_, error)) return 0;
    }
    if (!is_schedule_) return plan(request_.ranks, true);
    schedule_ = request_.graph;
    ranks_ = request_.ranks;
    return 0;
}

/// Where nobody names a place: beside the results, where all hosts see it, under a name of this process's own.
fs::path Job::place_of_schedule(bool as_asked) {
    if (as_asked && !request_.schedule.empty()) return request_.schedule;
    if (checkpoints()) return folder_.schedule();
    fs::path const out = fs::path(value_of(request_.run_words, {"--out"}, "results")) / "";
    std::string const name = planned_from_ == "-" ? "graph" : planned_from_.stem().string();
    fs::path const schedule = out.lexically_normal().parent_path().parent_path() / (name + ".sched");
    sweep_leftovers(schedule.parent_path(), {schedule});
    temporary_ = temporary_path(schedule, unique_name());
    return temporary_;
}

/// @param as_asked  the graph as the user said; else what the newest checkpoint leaves of it, or the graph at another
/// number of ranks
int Job::plan(int ranks, bool as_asked) {
    bool const resumes = !as_asked && !newest().empty();
    schedule_ = place_of_schedule(as_asked);
    PlanCommand const command{.program = program_beside("einplan"),
                              .graph = (resumes ? folder_.path() : planned_from_).string(),
                              .resumes = resumes,
                              .ranks = ranks,
                              .schedule = schedule_.string(),
                              .options = request_.plan_words,
                              .as_asked = as_asked};
    Child planner({.words = plan_command(command),
                   .input = planned_from_ == "-" && !resumes ? std::optional(graph_text_) : std::nullopt});
    WhileWaiting waiting;
    waiting.on_signal = [&](int signal) {
        ++signals_;
        planner.signal(signal == SIGUSR1 ? SIGTERM : signal);
    };
    int const code = *keeper_.wait(planner, waiting);
    keeper_.end_leftovers();
    if (code != 0) return code;
    // Another run took it for a dead one's before it was locked.
    if (!temporary_.empty() && !lock_.hold(temporary_)) return plan(ranks, as_asked);
    ranks_ = ranks;
    remember_schedule(request_hash(), ranks);
    return 0;
}

Program Job::launch_of_ranks() const {
    Words program{program_beside("einrun"), schedule_.string()};
    program.insert(program.end(), request_.run_words.begin(), request_.run_words.end());
    Variables variables = launch_variables();
    // srun of Slurm 22.05 and later does not take the job's own --cpus-per-task.
    if (char const* threads = std::getenv("SLURM_CPUS_PER_TASK")) variables.emplace_back("SRUN_CPUS_PER_TASK", threads);
    return {.words = launch_command(launcher_, ranks_, program), .variables = std::move(variables), .watched = true};
}

/// The first one lets a job with checkpoints save one: mpirun passes SIGUSR1 to the ranks, but kills them on SIGTERM.
void Job::pass_signal(Child& child, int signal, WhileWaiting& waiting) {
    ++signals_;
    if (checkpoints() && signals_ == 1 && signal != SIGINT) {
        tell(std::string(strsignal(signal)) + ": the job saves a checkpoint and ends; a second signal ends it at once");
        return child.signal(SIGUSR1);
    }
    if (!checkpoints() && signal == SIGUSR1) return child.signal(signal);
    bool const only_reports = signal == SIGINT && launcher_.kind == LauncherKind::srun;
    bool const ends = (signal == SIGINT || signal == SIGTERM) && !only_reports;
    child.signal(aborts_ >= most_aborts ? SIGKILL : ends ? signal : SIGTERM);
    ++aborts_;
    waiting.until = Clock::now() + time_to_end;
}

int Job::launch() {
    LauncherLog log;
    Child child(launch_of_ranks());
    WhileWaiting waiting;
    waiting.on_text = [&](std::string const& text) { log.append(text); };
    waiting.on_signal = [&](int signal) { pass_signal(child, signal, waiting); };
    std::optional<int> code;
    while (!(code = keeper_.wait(child, waiting))) {
        child.signal(SIGKILL);
        waiting.until.reset();
    }
    std::vector<fs::path> shared;
    int const left = keeper_.end_leftovers([&](pid_t rank) {
        std::vector<fs::path> const files = shared_segments(rank);
        shared.insert(shared.end(), files.begin(), files.end());
    });
    std::error_code error;
    for (fs::path const& file : shared) fs::remove(file, error);
    if (launcher_.kind == LauncherKind::mpirun) remove_session_folder(child.pid());
    report(*code, log.failure());
    if (left > 0) tell("ended " + std::to_string(left) + " processes that the launcher had left");
    return *code;
}

void Job::report(int code, std::string const& failure) const {
    std::string const launcher = launcher_.kind == LauncherKind::srun ? "srun" : "mpirun";
    std::string const ended = launcher + " ended with " + code_text(code);
    if (verdict_of(code) == Verdict::failed) tell(failure.empty() ? ended : failure + "; " + ended);
    if (verdict_of(code) == Verdict::failed && failure.empty() && launcher_.kind == LauncherKind::srun)
        tell("srun was taken since SLURM_JOB_ID is set; outside of a job unset it, and mpirun is taken");
    auto const cores = static_cast<int>(std::thread::hardware_concurrency());
    bool const fills =
        hosts_.all.empty() && ranks_ > cores && std::getenv("OMPI_MCA_rmaps_base_oversubscribe") == nullptr;
    if (verdict_of(code) == Verdict::failed && failure.empty() && launcher_.kind == LauncherKind::mpirun && fills)
        tell(std::to_string(ranks_) + " ranks are more than the " + std::to_string(cores) +
             " cores here, which Open MPI wants to be told: add -- --oversubscribe");
    if (verdict_of(code) == Verdict::stopped)
        tell("stopped with checkpoint " + newest() + "; the same command goes on from there");
}

/// Those of all hosts: one that has come back is taken again.
Hosts Job::hosts_that_answer() {
    std::vector<Words> checks;
    for (Host const& host : hosts_.all) checks.push_back(host_check(launcher_, host.name));
    std::vector<bool> const answers = all_succeed(keeper_, checks, [this](int) { ++signals_; });
    keeper_.end_leftovers();
    Hosts out{.all = {}, .counted = hosts_.counted};
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i])
            out.all.push_back(hosts_.all[i]);
        else
            tell("host " + hosts_.all[i].name + " does not answer");
    }
    return out;
}

/// Before a retry: ranks on the hosts that are left. @return an exit code of planning
int Job::fit_hosts() {
    if (!request_.shrink || hosts_.all.empty()) return 0;
    Hosts const left = hosts_that_answer();
    if (left.all.empty()) return tell("no host answers; trying all of them again"), 0;
    launcher_ = {launcher_.kind, request_.launcher};
    if (left != hosts_) {
        write_text(folder_.hostfile(), hostfile_text(left));
        launcher_ = on_hosts(launcher_, left, folder_.hostfile().string());
    }
    int const ranks = ranks_on(left, hosts_, request_.ranks);
    if (ranks == ranks_) return 0;
    std::string const checkpoint = newest();
    tell("planning " + (checkpoint.empty() ? "the graph" : "what checkpoint " + checkpoint + " leaves to do") +
         " for " + counted(ranks, "rank"));
    return plan(ranks, false);
}

int Job::try_until_done() {
    for (;;) {
        int const code = launch();
        if (checkpoints() && signals_ == 1 && code == code_by(SIGUSR1)) {  // before mpirun or a rank could heed it
            tell("stopped as it started; the same command goes on " + from_where(newest()));
            return static_cast<int>(ExitCode::stopped);
        }
        if (!checkpoints() || signals_ > 0) return code;
        NextStep const step = policy_.after(code, newest());
        if (step.kind == NextStep::Kind::end) return step.code;
        if (step.kind == NextStep::Kind::give_up) {
            tell("giving up: " + step.why + "; " + code_text(step.code) + " is that of the first failure");
            return step.code;
        }
        if (fit_hosts() != 0) {
            tell("giving up: there is no plan for the hosts that are left");
            return code;
        }
        if (signals_ > 0) return code;
        tell("retry " + std::to_string(policy_.tried_again()) + ", " + from_where(newest()));
    }
}

/// What is no complete file goes, and what eintool remembers of a job that is done.
void Job::clean_up(int code) const {
    if (code == 0) {
        if (checkpoints() && newest().empty()) folder_.forget();
        return;
    }
    remove_partial_files(value_of(request_.run_words, {"--out"}, "results"));
    for (std::string const option : {"--report", "--trace"})
        if (fs::path const file = value_of(request_.run_words, {option}, ""); !file.empty())
            remove_partial_files(file.parent_path());
}

int Job::run() {
    int code = prepare();
    if (code != 0 || signals_ > 0) return code;
    code = try_until_done();
    clean_up(code);
    return code;
}

}  // namespace ein::apps::tool
