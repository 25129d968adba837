// mpirun -n RANKS einrun SCHEDULE: runs a schedule on as many ranks as it is for, or alone as one rank.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "apps/einrun/durations.hpp"
#include "apps/einrun/einrun_options.hpp"
#include "apps/einrun/forecast.hpp"
#include "apps/einrun/given_inputs.hpp"
#include "apps/einrun/result_folder.hpp"
#include "apps/einrun/verify_run.hpp"
#include "apps/machines_text.hpp"
#include "apps/report_errors.hpp"
#include "apps/written_places.hpp"
#include "executor/checkpoint/checkpoints.hpp"
#include "executor/run/finish.hpp"
#include "executor/run/open_schedule.hpp"
#include "executor/run/places.hpp"
#include "executor/run/prepared_run.hpp"
#include "executor/startup/agreement.hpp"
#include "executor/startup/gpu_seats.hpp"
#include "executor/transport/launcher.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "lib/base/files/unfinished_files.hpp"

namespace {

using namespace ein;
using namespace ein::executor;

/// Message on stderr in one piece, since other ranks write there too.
void report(std::string const& message) { std::fputs(("einrun: " + message + "\n").c_str(), stderr); }

/// --log-level error and off leave it out.
void warn(std::string const& message) {
    if (spdlog::should_log(spdlog::level::warn)) report("warning: " + message);
}

void print_summary(std::string const& text) {
    if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return;
    warn(std::string("the summary cannot be written to stdout: ") + std::strerror(errno));
    std::clearerr(stdout);
}

void log_start(RunFacts const& facts, int ranks) {
    spdlog::info("einrun {} schedule={} hash={} ranks={} threads={} device={}", facts.version, facts.schedule,
                 facts.schedule_hash, ranks, facts.threads, facts.device_description);
}

/// Those written as npz.
std::map<std::string, scalar::Scalar> sparse_outputs(apps::EinrunOptions const& options,
                                                     schedule::Header const& header) {
    std::map<std::string, scalar::Scalar> out;
    for (schedule::Output const& output : header.outputs)
        if (auto const fill = header.tensors[output.tensor].fill; fill && !options.run.dense_outputs)
            out.emplace(output.name, *fill);
    return out;
}

/// The files that the run reads, by the names of tensors.
std::map<std::string, tensor::Source> files_read(schedule::Header const& header) {
    std::map<std::string, tensor::Source> out;
    for (schedule::Input const& input : header.inputs)
        if (tensor::file_of(input.source) != nullptr) out.emplace(header.tensors[input.tensor].name, input.source);
    return out;
}

apps::VerifySetup verify_setup(apps::EinrunOptions const& options, RankSchedule const& schedule) {
    return {.graph_text = schedule.header.graph_text,
            .graph_file = schedule.header.graph_file,
            .orders = schedule.header.orders,
            .data_folder = schedule.data_folder,
            .output_folder = options.run.out,
            .sparse_outputs = sparse_outputs(options, schedule.header),
            .files = files_read(schedule.header),
            .params = schedule.header.params,
            .samples = options.samples};
}

/// Collective. Whether calls must be checked while they run, because --verify can check nothing of some output when
/// they have: rank 0 works it out for all.
bool only_calls_can_be_verified(apps::EinrunOptions const& options, RankSchedule const& schedule,
                                Transport& transport) {
    if (!options.verify || options.verify_calls) return options.verify_calls;
    std::string out_of_reach;
    agree(transport, [&] {
        if (transport.rank() == Rank{0})
            out_of_reach = joined(apps::unverifiable_outputs(verify_setup(options, schedule)), ", ");
    });
    return !transport.all_gather(out_of_reach).front().empty();
}

/// What rank 0 does when all have run.
EndActions end_actions(apps::EinrunOptions const& options, RankSchedule const& schedule,
                       scheduler::Cluster const& cluster) {
    RunSettings const& settings = options.run;
    EndActions out;
    out.forecast = [&] {
        std::string const name(options.cluster.empty() ? apps::built_in_cluster : options.cluster.string());
        return apps::forecast(settings.schedule, cluster, apps::machines_text(name, cluster.threads));
    };
    if (options.verify)
        out.verify = [&](bool tf32) {
            apps::VerifySetup setup = verify_setup(options, schedule);
            setup.tf32 = tf32;
            return apps::verify_run(setup);
        };
    if (!settings.quiet) out.summarize = print_summary;
    return out;
}

/// What a run with checkpoints ends with beside its results.
/// @throws Disagreement (stopped) when it ended early, (failure) when the last saves failed
void conclude_checkpoints(Transport& transport, Checkpoints const& checkpoints, bool stopped) {
    agree(transport, [&] {
        if (stopped)
            throw Error(ExitCode::stopped,
                        transport.rank() == Rank{0}
                            ? "stopped early; the same command goes on from " + checkpoints.report().last
                            : "");
        if (std::string const fault = checkpoints.fault(); !fault.empty() && transport.rank() == Rank{0})
            throw RunError(fault + "; the results are complete");
    });
}

Checkpoints::Results results_of(RunSettings const& settings) { return {settings.out, settings.dense_outputs}; }

Checkpoints::Wanted wanted_of(apps::EinrunOptions const& options) {
    RunSettings const& settings = options.run;
    bool const more = options.verify || settings.check_finite || !settings.report.empty() || !settings.trace.empty();
    return more ? Checkpoints::Wanted::more : Checkpoints::Wanted::results;
}

/// At rank 0 alone, what it wants counts for all: a thousand ranks do not ask Slurm at once.
std::optional<double> job_end_for_all() {
    std::optional<double> const end = apps::seconds_to_job_end();
    if (!end) warn("--stop-at auto: nobody says when this Slurm job ends (squeue -o %e); only signals stop it");
    return end;
}

/// @throws UsageError for files of inputs that outputs, the report or the trace would replace
void check_inputs_kept(RunSettings const& settings, RankSchedule const& schedule) {
    std::vector<std::string> const texts =
        overwritten_inputs(schedule.header, schedule.data_folder, settings.out, settings.dense_outputs);
    if (!texts.empty())
        throw UsageError("--out: expected a folder where no output replaces an input, found that " +
                         joined(texts, "; ") + "; give another, as --out new");
    std::vector<apps::NamedPath> written, texts_of_run{{"--report", settings.report}, {"--trace", settings.trace}};
    for (auto const& path : output_paths(schedule.header, settings.out, settings.dense_outputs))
        written.emplace_back("an output", path);
    written.insert(written.end(), texts_of_run.begin(), texts_of_run.end());
    apps::check_written(texts_of_run, apps::files_read(schedule.header, schedule.data_folder));
    apps::check_written(written, {});
    apps::refuse_to_replace("--report", settings.report, FileUse::report, "a report's file");
    apps::refuse_to_replace("--trace", settings.trace, FileUse::trace, "a trace's file");
}

/// The file that it was planned from, as seen from here; "GRAPH" where it is there no longer, or never was.
std::string graph_of(RankSchedule const& schedule) {
    std::error_code error;
    std::filesystem::path const file = schedule.data_folder / schedule.header.graph_file;
    return std::filesystem::is_regular_file(file, error) ? file.lexically_normal().string() : "GRAPH";
}

/// One run from the schedule file to the report, as one rank sees it.
void run_as_rank(apps::EinrunOptions const& options, Transport& transport) {
    RunSettings settings = options.run;
    Messages const messages{report, warn};
    bool const first = transport.rank() == Rank{0};

    RankSchedule schedule = open_schedule(transport, settings.schedule, std::getenv);
    agree_on_options(transport, options_of_all_ranks(options));
    for (std::string const& warning : options.warnings)
        if (first) warn(warning);
    agree(transport, [&] {
        if (settings.reproducible) check_reproducible(schedule.header, settings.schedule);
        take_inputs_and_params(options, schedule.header, [&](std::string const& text) {
            if (first) warn(text);
        });
    });
    agree(transport, [&] {
        if (!first) return;
        std::string const warning = apps::check_result_folder(settings.out, settings.checkpoints.folder);
        if (!warning.empty()) warn(warning);
        check_inputs_kept(settings, schedule);
    });
    compare_with_planning(transport, schedule, settings.strict ? OnChange::refuse : OnChange::warn, messages);
    agree(transport, [&] {
        settings.device = choice_for(schedule.header, settings.device);
        take_apart(settings.device, settings.check_finite, schedule);
    });
    MemoryFit const fit = fit_memory(
        transport, schedule.section,
        {settings.memory, settings.spill_dir, settings.repeat, settings.schedule.string(), graph_of(schedule)});
    HostShare const share = share_host(transport, fit.peaks, settings.threads, std::getenv, messages);
    settings.gpu_seat = seat_on_gpu(transport, share.host, settings.device);
    std::string const name = transport.all_gather(unique_name()).front();

    std::optional<Checkpoints> checkpoints;
    if (!settings.checkpoints.folder.empty()) {
        if (first && options.stops_at_job_end) settings.checkpoints.times.stop_at = job_end_for_all();
        checkpoints.emplace(transport, schedule.header, settings.checkpoints,
                            CheckpointOrigin{settings.version, schedule.hash, settings.schedule, schedule.data_folder},
                            messages);
        if (checkpoints->open(results_of(settings), wanted_of(options))) return;
    }
    settings.check_calls.wanted = only_calls_can_be_verified(options, schedule, transport);
    scheduler::Cluster cluster;
    std::optional<PreparedRun> run;
    agree(transport, [&] {
        if (first) check_report_and_trace(settings);
        if (first) cluster = apps::forecast_cluster(options.cluster, share.threads);
        run.emplace(
            RunParts{transport, settings, schedule, fit, share, name, messages, checkpoints ? &*checkpoints : nullptr});
        if (first && checkpoints) checkpoints->take_device(run->facts().device);
        if (first) log_start(run->facts(), transport.size());
    });
    report_places(transport, share.host, run->device(), settings, messages);
    if (fit.spills)
        warn_of_spills_in_memory(transport, share.host, run->spills_in_memory(), settings.spill_dir, messages);

    agree(transport, [&] {
        if (first) run->create_outputs();
    });
    Ran const ran = run->run();
    NonFiniteReport const non_finite = run->non_finite(ran.result);
    bool const at_fault = !fault_of(non_finite, schedule.header).empty();
    if (!at_fault && !ran.result.stopped) run->complete_outputs();
    agree(transport, [&] {
        if (first) at_fault || ran.result.stopped ? run->discard_outputs() : run->publish_outputs();
    });
    finish_run(transport,
               {settings, schedule, run->facts(), ran.result, run->record(), ran.clock, run->output_files(),
                checkpoints ? std::optional(checkpoints->report()) : std::nullopt, non_finite},
               end_actions(options, schedule, cluster), messages);
    if (!checkpoints) return;
    if (first && !ran.result.stopped) checkpoints->note_finished(results_of(settings), run->output_files());
    conclude_checkpoints(transport, *checkpoints, ran.result.stopped);
}

void set_up_log(std::string const& level) {
    auto log = spdlog::stderr_color_mt("einrun");
    log->set_pattern("%H:%M:%S.%e [%n] %l: %v");
    log->set_level(spdlog::level::from_str(level));
    spdlog::set_default_logger(log);
}

/// No exception leaves it: memory that runs out here too ends the process, and with it the others (lib/base/terminate).
int end_all(Transport& transport, std::exception const& error) noexcept {
    ExitCode code = ExitCode::failure;
    std::string why = error.what();
    if (auto const* known = dynamic_cast<Error const*>(&error)) code = known->code();
    if (dynamic_cast<std::bad_alloc const*>(&error) != nullptr) {
        code = ExitCode::no_memory;
        why = "expected enough memory, found none left; use more ranks, fewer threads, or smaller blocks";
    }
    report("rank " + std::to_string(transport.rank().value()) + ": " + why);
    transport.abort(code);
    return static_cast<int>(code);  // not reached; GCC overlooks [[noreturn]] of virtual functions
}

/// Runs together with the other ranks; an error that they do not know of ends them too.
int run_together(apps::EinrunOptions const& options) {
    Connection connection(std::getenv);
    Transport& transport = connection.transport();
    try {
        run_as_rank(options, transport);
        return 0;
    } catch (Disagreement const& error) {
        apps::say("einrun", error.what());  // before any rank leaves: mpirun ends the others when the first one has
        throw Disagreement(error.code(), "");
    } catch (std::exception const& error) {
        return end_all(transport, error);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return apps::report_errors("einrun", [&] {
        auto const options = apps::einrun_options(argc, argv);
        if (!options) return 0;
        set_up_log(options->log_level);
        UnfinishedFiles::remove_on_signals();  // what a second signal does
        std::optional<StopSignals> signals;    // while MPI starts or ends too
        if (!options->run.checkpoints.folder.empty()) signals.emplace();
        return run_together(*options);
    });
}
