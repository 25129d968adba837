#include "apps/einrun/einrun_options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "apps/command_line.hpp"
#include "apps/einrun/durations.hpp"
#include "apps/inputs_below.hpp"
#include "apps/option_forms.hpp"
#include "apps/written_places.hpp"
#include "lib/base/error.hpp"

namespace ein::apps {

namespace {

/// What is turned into values after parsing.
struct Texts {
    std::string device = "auto", device_memory, gpu_aware = "auto", memory, samples, call_samples, progress = "auto";
    std::string every, stop_at;
    int threads = 0;
};

void add_options(CLI::App& app, EinrunOptions& options, Texts& texts) {
    app.add_option("SCHEDULE", options.run.schedule, "schedule that einplan wrote")->required();
    app.add_option("--out", options.run.out, "folder for the outputs, as NAME.npy, sparse ones as NAME.npz")
        ->capture_default_str();
    app.add_flag("--dense-outputs", options.run.dense_outputs, "write sparse outputs as NAME.npy too");
    app.add_option("--input", options.inputs,
                   "NAME=FILE: data for, or instead of, a tensor's (npy, npz, safetensors, mtx, tns or raw)")
        ->allow_extra_args(false);
    add_inputs_below(app);
    app.add_option("--set", options.params, "NAME=NUMBER: value of a param")->allow_extra_args(false);
    app.add_option(
           "--threads", texts.threads,
           "worker threads of each rank (default: OMP_NUM_THREADS, SLURM_CPUS_PER_TASK, or its share of the cores)")
        ->check(CLI::Range(1, 4096));
    app.add_option(
           "--device", texts.device,
           "auto (a GPU if there is one), reference, cpu or cuda; emulated: the CPU in place of a GPU, for tests")
        ->capture_default_str();
    app.add_flag("--allow-tf32", options.run.device.tf32,
                 "on GPUs, products of f32 may round their operands to 10 bits, for tensor cores");
    app.add_option(
           "--gpu-aware", texts.gpu_aware,
           "auto, on or off: messages straight from GPU to GPU, if MPI can and a test at the start arrives as it was")
        ->capture_default_str();
    app.add_option(
        "--device-memory", texts.device_memory,
        "Memory for blocks on a rank's GPU, such as 40GiB; what does not fit moves to and fro (default: what is free)");
    app.add_option("--memory", texts.memory,
                   "block budget of each rank, as 8GiB: over it blocks spill to --spill-dir; without one, exit code 4");
    app.add_option("--spill-dir", options.run.spill_dir,
                   "folder for blocks that --memory has no room for, or that einplan --memory spills; best on a local "
                   "disk of each host");
    app.add_flag("--verify{}", texts.samples,
                 "work out elements of each output in an independent way (--verify=K: K of each; default: as many as a "
                 "few seconds allow); exit code 5 when they differ, and when nothing of an output could be checked");
    app.add_flag(
        "--verify-calls{}", texts.call_samples,
        "--verify, and compute elements of kernel calls again while they run, from the blocks that they read, "
        "which --verify does alone where nothing of an output could be checked afterwards (--verify-calls=K: K "
        "of every call; default: what a share of its time affords)");
    app.add_flag("--check-finite", options.run.check_finite,
                 "look at what every task makes: NaN or infinity that comes up in a node whose inputs are finite ends "
                 "the run with exit code 1 and the node's name (otherwise they are counted in the outputs)");
    app.add_flag("--strict", options.run.strict,
                 "a graph file or input that changed since planning is an error, not a warning");
    app.add_flag("--reproducible", options.run.reproducible,
                 "the same bits at every number of ranks and threads: the schedule must be of einplan --reproducible "
                 "(exit code 2), which then is run so with or without this");
    app.add_option("--report", options.run.report, "write the run report (JSON)");
    app.add_option("--trace", options.run.trace,
                   "write what happened when, below what was predicted (for Perfetto, chrome://tracing)");
    app.add_option("--cluster", options.cluster, "machines that --trace predicts for (default: the built-in cluster)");
    app.add_option("--repeat", options.run.repeat, "run so many times on the loaded inputs and report every time")
        ->check(CLI::Range(1, 1000000));
    app.add_option("--stall", options.run.stall,
                   "seconds without an ended task on any rank after which the run is ended")
        ->check(number_from(0, true))
        ->capture_default_str();
    app.add_flag("-q,--quiet", options.run.quiet, "no progress and no summary");
    app.add_option("--log-level", options.log_level, "trace, debug, info, warn, error or off")
        ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}))
        ->capture_default_str();
    app.add_option("--progress", texts.progress, "auto, bar, plain or off")
        ->check(CLI::IsMember({"auto", "bar", "plain", "off"}))
        ->capture_default_str();
}

void add_checkpoint_options(CLI::App& app, EinrunOptions& options, Texts& texts) {
    app.add_option("--checkpoint", options.run.checkpoints.folder,
                   "folder for checkpoints: the run goes on from the newest one there, if there is one; SIGUSR1 or "
                   "SIGTERM saves one and ends with exit code 75 (resubmit)");
    app.add_option("--every", texts.every, "time between checkpoints, as 10min, 2h or 90s")->needs("--checkpoint");
    app.add_option("--stop-at", texts.stop_at,
                   "seconds (or 90min, ...) from the start by which the last checkpoint is written and the run ends "
                   "with exit code 75; auto: the end of the Slurm job")
        ->needs("--checkpoint");
    app.add_flag("--checkpoint-inputs", options.run.checkpoints.inputs,
                 "copy the files that inputs are read from into the folder before the run begins, and read those: the "
                 "folder is then enough to go on, also where the files are gone or elsewhere")
        ->needs("--checkpoint");
    app.add_flag("--checkpoint-required", options.run.checkpoints.required,
                 "a checkpoint that cannot be saved ends the run; without it, it is a warning")
        ->needs("--checkpoint");
}

std::optional<std::int64_t> samples_from(std::string const& option, std::string const& text) {
    if (text.empty() || text == "true") return std::nullopt;
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1)
        throw UsageError(Fault{"", option, "a number of elements of at least 1, or nothing behind it", "'" + text + "'",
                               "write " + option + " alone to check all elements where that is little work, or " +
                                   option + "=1000 for as many of each output"});
    return value;
}

executor::ProgressMode progress_from(std::string const& text, bool quiet) {
    if (quiet || text == "off") return executor::ProgressMode::off;
    if (text == "auto") return isatty(STDERR_FILENO) != 0 ? executor::ProgressMode::bar : executor::ProgressMode::plain;
    bool const terminal = isatty(STDERR_FILENO) != 0;  // a bar's '\r' would spoil a log, asked for or not
    return text == "bar" && terminal ? executor::ProgressMode::bar : executor::ProgressMode::plain;
}

}  // namespace

std::optional<EinrunOptions> einrun_options(int argc, char const* const* argv) {
    EinrunOptions options;
    Texts texts;
    CLI::App app{
        "Runs a schedule that einplan wrote: under mpirun or srun with as many ranks as it is for, or alone as one "
        "rank."};
    app.set_version_flag("--version", version("einrun"));
    add_options(app, options, texts);
    add_checkpoint_options(app, options, texts);
    if (parse(app, argc, argv)) return std::nullopt;
    if (app.count("--inputs-below") > 0) options.inputs_below = app["--inputs-below"]->as<std::string>();
    if (texts.threads > 0) options.run.threads = texts.threads;
    check_written({{"--report", options.run.report}, {"--trace", options.run.trace}},
                  {{"SCHEDULE", options.run.schedule}, {"--cluster", options.cluster}});
    bool const tf32 = options.run.device.tf32;
    options.run.device = executor::device_choice_from_text(texts.device);
    options.run.device.tf32 = tf32;
    options.verify = app.count("--verify") + app.count("--verify-calls") > 0;
    options.samples = samples_from("--verify", texts.samples);
    options.verify_calls = app.count("--verify-calls") > 0;
    options.run.check_calls = {options.verify_calls, samples_from("--verify-calls", texts.call_samples)};
    options.run.progress = progress_from(texts.progress, options.run.quiet);
    options.run.device_messages = executor::device_messages_from_name(texts.gpu_aware);
    if (!texts.device_memory.empty()) options.run.device_memory = memory_budget(texts.device_memory, "--device-memory");
    if (!texts.memory.empty()) options.run.memory = memory_budget(texts.memory);
    options.warnings = small_sizes({{"--memory", texts.memory}, {"--device-memory", texts.device_memory}});
    for (auto const& [text, option] : {std::pair{texts.every, "--every"}, {texts.stop_at, "--stop-at"}})
        if (std::string note = note_of_short(text, option); !note.empty()) options.warnings.push_back(std::move(note));
    options.run.version = version("einrun").substr(7);
    if (!texts.every.empty()) options.run.checkpoints.times.every = seconds_from(texts.every, "--every");
    options.stops_at_job_end = texts.stop_at == "auto";
    if (options.stops_at_job_end)
        require_slurm_job();
    else if (!texts.stop_at.empty())
        options.run.checkpoints.times.stop_at = seconds_from(texts.stop_at, "--stop-at");
    if (!options.run.checkpoints.folder.empty() && options.run.repeat > 1)
        throw UsageError("--checkpoint: expected a run of one round, found --repeat " +
                         std::to_string(options.run.repeat) + "; leave one of them out");
    return options;
}

std::vector<OptionForm> einrun_option_forms() {
    EinrunOptions options;
    Texts texts;
    CLI::App app;
    add_options(app, options, texts);
    add_checkpoint_options(app, options, texts);
    return option_forms(app);
}

std::string options_of_all_ranks(EinrunOptions const& options) {
    executor::RunSettings const& run = options.run;
    return "--repeat " + std::to_string(run.repeat) + "\n--out " + run.out.string() + "\n" +
           (run.dense_outputs ? "--dense-outputs" : "no --dense-outputs") + "\n" +
           (run.trace.empty() ? "no --trace" : "--trace") + "\n" +
           (run.report.empty() ? "no --report" : "--report " + run.report.string()) + "\n" +
           (options.verify ? "--verify" : "no --verify") + "\n" +
           (options.verify_calls ? "--verify-calls" : "no --verify-calls") + "\n" +
           (options.inputs_below.empty() ? "no --inputs-below" : "--inputs-below " + options.inputs_below) + "\n" +
           (run.check_finite ? "--check-finite" : "no --check-finite") + "\n" +
           (run.checkpoints.folder.empty() ? "no --checkpoint" : "--checkpoint " + run.checkpoints.folder.string()) +
           "\n" + (run.checkpoints.required ? "--checkpoint-required" : "no --checkpoint-required") + "\n" +
           (run.checkpoints.inputs ? "--checkpoint-inputs" : "no --checkpoint-inputs") + "\n" +
           (run.strict ? "--strict" : "no --strict") + "\n" +
           (run.reproducible ? "--reproducible" : "no --reproducible") + "\n" +
           (options.inputs.empty() ? "no --input" : "--input " + joined(options.inputs, " --input ")) + "\n" +
           (options.params.empty() ? "no --set" : "--set " + joined(options.params, " --set "));
}

}  // namespace ein::apps
