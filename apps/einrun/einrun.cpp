// mpirun -n RANKS einrun SCHEDULE: runs a schedule on as many ranks as it is for, or alone as one rank.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

#include "apps/command_line.hpp"
#include "apps/einrun/einrun_options.hpp"
#include "apps/einrun/forecast.hpp"
#include "apps/einrun/verify_run.hpp"
#include "apps/graph_inputs.hpp"
#include "apps/report_errors.hpp"
#include "executor/engine/engine.hpp"
#include "executor/health/crash_handler.hpp"
#include "executor/io/inputs.hpp"
#include "executor/io/output_files.hpp"
#include "executor/report/report.hpp"
#include "executor/report/verification.hpp"
#include "executor/startup/agreement.hpp"
#include "executor/startup/core_sets.hpp"
#include "executor/startup/host_memory.hpp"
#include "executor/startup/memory_fit.hpp"
#include "executor/startup/threads.hpp"
#include "executor/trace/flight_record.hpp"
#include "executor/trace/trace.hpp"
#include "executor/transport/launcher.hpp"
#include "lib/base/json.hpp"
#include "lib/base/replaced_file.hpp"
#include "lib/schedule/device/producer_fusion.hpp"
#include "lib/schedule/file/file.hpp"

namespace {

using namespace ein;
using namespace ein::executor;
namespace fs = std::filesystem;

std::string hex(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

/// Message on stderr in one piece, since other ranks write there too.
void tell(std::string const& message) { std::fputs(("einrun: " + message + "\n").c_str(), stderr); }

/// --log-level error and off leave it out.
void warn(std::string const& message) {
    if (spdlog::should_log(spdlog::level::warn)) tell("warning: " + message);
}

/// One run from the schedule file to the report, as one rank sees it.
class Run {
public:
    Run(apps::EinrunOptions const& options, Transport& transport) : options_(options), transport_(transport) {}

    int go() {
        agree(transport_, [&] { open_schedule(); });
        agree_on(transport_, hash_, ExitCode::bad_input, [&](auto const& hashes) { return different_files(hashes); });
        agree_on(transport_, options_of_all_ranks(), ExitCode::usage, different_options);
        agree(transport_, [&] { take_inputs_and_params(); });
        fit_ = fit_memory(transport_, section_,
                          {options_.memory, options_.spill_dir, options_.repeat, options_.schedule.string()});
        share_hosts();
        std::string const name = transport_.all_gather(name_of_this_run(hash_)).front();
        agree(transport_, [&] { prepare(name); });
        tell_places();
        warn_of_spills_in_memory();
        agree(transport_, [&] {
            if (!first()) return;
            outputs_->create();
            sweep_flight_records(flight_folder(options_.out));
            for (fs::path const& path : outputs_->in_doubt())
                warn(path.string() +
                     " was left by another run or is being written by it on another host; "
                     "remove it if that run has ended");
        });
        ClockReading const before = read_clock();
        run_watched();
        clock_ = {before, read_clock()};
        agree(transport_, [&] {
            if (first()) outputs_->publish();
        });
        return finish();
    }

private:
    bool first() const { return transport_.rank() == Rank{0}; }

    /// Reads header and own section; both are verified where they are read.
    void open_schedule() {
        file_.emplace(options_.schedule);
        header_ = file_->header();
        if (std::string const hint = launcher_hint(transport_.size(), header_.ranks, std::getenv); !hint.empty())
            throw UsageError("schedule is for " + std::to_string(header_.ranks) +
                             (header_.ranks == 1 ? " rank: " : " ranks: ") + hint);
        if (header_.ranks != transport_.size()) throw UsageError(wrong_rank_count());
        section_ = file_->section(transport_.rank(), header_);
        hash_ = hex(file_->hash());
    }

    std::string wrong_rank_count() const {
        std::string const wanted = std::to_string(header_.ranks), found = std::to_string(transport_.size());
        std::string const started = transport_.size() == 1 && !launched_by_mpi(std::getenv)
                                        ? "einrun was started alone, without mpirun"
                                        : launcher_name(std::getenv) + " started " + found;
        return "schedule is for " + wanted + (header_.ranks == 1 ? " rank, " : " ranks, ") + started + "; run " +
               launcher_name(std::getenv) + " -n " + wanted + " or plan again with einplan -n " + found;
    }

    /// Parts of one mpirun command may have options of their own (-n 1 einrun ... : -n 2 einrun ...), but not these.
    /// A line each.
    std::string options_of_all_ranks() const {
        return "--repeat " + std::to_string(options_.repeat) + "\n--out " + options_.out.string() + "\n" +
               (options_.trace.empty() ? "no --trace" : "--trace") + "\n" +
               (options_.report.empty() ? "no --report" : "--report " + options_.report.string()) + "\n" +
               (options_.verify ? "--verify" : "no --verify") + "\n" +
               (options_.inputs.empty() ? "no --input" : "--input " + joined(options_.inputs, " --input ")) + "\n" +
               (options_.params.empty() ? "no --set" : "--set " + joined(options_.params, " --set "));
    }

    static std::string different_options(std::vector<std::string> const& by_rank) {
        std::size_t other = 0;
        while (by_rank[other] == by_rank[0]) ++other;
        std::istringstream first(by_rank[0]), second(by_rank[other]);
        std::string mine, theirs;
        while (mine == theirs && (first || second)) std::getline(first, mine), std::getline(second, theirs);
        return "expected " + mine + " for all ranks as for rank 0, found " + theirs + " for rank " +
               std::to_string(other) + "; give it to every part of the mpirun command alike";
    }

    std::string different_files(std::vector<std::string> const& hashes) const {
        std::size_t other = 0;
        while (hashes[other] == hashes[0]) ++other;
        return options_.schedule.string() + ": expected the same schedule on all ranks, found " + hashes[0] +
               " on rank 0 and " + hashes[other] + " on rank " + std::to_string(other) +
               "; give all ranks one file on a shared file system";
    }

    /// Without those for tensors of the graph that no output needs.
    std::vector<std::string> needed_inputs() const {
        std::vector<std::string> const read = input_names(header_);
        std::vector<std::string> out;
        Json tensors;  // of the graph, once one is asked for that is not read
        for (std::string const& text : options_.inputs) {
            std::string const name = apps::name_and_file(text, read).first;
            bool const is_read = std::find(read.begin(), read.end(), name) != read.end();
            if (!is_read && tensors.is_null())
                tensors = Json::parse(header_.graph_text).value("tensors", Json::object());
            if (is_read || !tensors.contains(name))
                out.push_back(text);
            else if (first())
                warn("--input " + name + ": no output needs this tensor; the file is not read");
        }
        return out;
    }

    void take_inputs_and_params() {
        for (auto& [at, source] : apps::given_sources(needed_inputs(), input_names(header_)))
            header_.inputs[schedule::InputId{static_cast<std::int32_t>(at)}].source = source;
        params_ = apps::given_params(options_.params, header_.params);
    }

    /// Ranks tell one another where they run: what each host's ranks need must be there, and cores are shared out.
    void share_hosts() {
        std::vector<Seat> const seats = all_seats(transport_);
        host_ = seats[static_cast<std::size_t>(transport_.rank().value())].host;
        cores_ = seats[static_cast<std::size_t>(transport_.rank().value())].cores;
        agree(transport_, [&] { check_host_memory(seats, fit_.peaks, transport_.rank(), memory_of_this_host()); });
        ThreadChoice choice;
        agree(transport_, [&] { choice = choose_threads(options_.threads, std::getenv, seats, transport_.rank()); });
        threads_ = choice.threads;
        bool warned = false;  // once for the run, for the first rank that has cause
        for (std::string const& warning : transport_.all_gather(choice.warning))
            if (first() && !warned && !warning.empty()) warn(warning), warned = true;
    }

    /// What --device auto took.
    void tell_choice() {
        if (device_->accelerator() != nullptr)
            tell("--device auto: " + std::string(device_->name()) + ", on " + device_->description());
        else if (std::string const why = why_gpu_is_idle(options_.device); !why.empty())
            warn("--device auto takes the CPU though there is a GPU: " + why);
    }

    void prepare(std::string const& run) {
        if (first() && !options_.report.empty()) ReplacedFile("--report", options_.report).check();
        if (first() && !options_.trace.empty()) ReplacedFile("--trace", options_.trace).check();
        if (first()) cluster_ = apps::forecast_cluster(options_.cluster, threads_);
        device_ = make_device(options_.device);
        if (Accelerator const* const device = device_->accelerator()) {
            cores_ = settle_near(cores_from_list(device->nearest_cores()), cores_,
                                 static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
            schedule::inline_joins(
                header_, section_,
                {.peak = options_.memory, .one_kernel = options_.device_memory.value_or(device->free_memory())});
        }
        if (first() && options_.device.kind == DeviceKind::automatic) tell_choice();
        readers_ = open_inputs(header_, section_, data_folder());
        outputs_.emplace(header_, options_.out, run);
        if (schedule::disk_use(section_).blocks > 0) spills_.emplace(options_.spill_dir, section_);
        progress_.emplace(options_.progress, std::cerr);
        EngineOptions how;
        how.threads = threads_;
        how.repeat = options_.repeat;
        how.device_messages = options_.device_messages;
        how.device_memory = options_.device_memory;
        how.load_each_round = fit_.load_each_round;
        how.stall = options_.stall;
        how.keep = options_.trace.empty() ? Keep::latest : Keep::all;
        how.progress = first() && options_.progress != ProgressMode::off ? &*progress_ : nullptr;
        std::string const rank = "rank " + std::to_string(transport_.rank().value()) + ": ";
        how.on_failure = [this, rank](ExitCode, std::string const& message) {
            tell(rank + message);
            outputs_->discard();
            if (last_words_) last_words_->say(message);
        };
        how.explain = [rank](std::string const& text) { tell(rank + text); };
        engine_.emplace(EngineParts{header_, section_, params_, transport_, *device_, readers_, *outputs_,
                                    spills_ ? &*spills_ : nullptr},
                        how);
        if (first())
            spdlog::info("{} schedule={} hash={} ranks={} threads={} device={}", apps::version("einrun"),
                         options_.schedule.string(), hash_, transport_.size(), threads_, device_->description());
    }

    /// Where ranks compute, if some do on devices with memory of their own; told once for the run.
    void tell_places() {
        auto const is_on_device = [](std::string const& place) { return place.starts_with('*'); };
        std::vector<std::string> const places = transport_.all_gather(
            (device_->accelerator() != nullptr ? "*" : " ") + host_ + ": " + std::string(device_->name()) +
            (device_->description() == device_->name() ? "" : ", " + device_->description()) + "; cores " +
            list_of_cores(cores_));
        if (!first()) return;
        if (std::none_of(places.begin(), places.end(), is_on_device)) {
            if (options_.device_memory)
                warn("--device-memory says nothing to ranks that compute in their host's memory");
            return;
        }
        constexpr std::size_t most_told = 16;
        for (std::size_t rank = 0; rank < std::min(places.size(), most_told) && !options_.quiet; ++rank)
            tell("rank " + std::to_string(rank) + " on " + places[rank].substr(1));
        if (places.size() > most_told && !options_.quiet)
            tell("and " + std::to_string(places.size() - most_told) + " more ranks");
    }

    /// A spill folder on a file system in memory saves none; told once for the run.
    void warn_of_spills_in_memory() {
        if (!fit_.spills) return;
        std::vector<std::string> const in_memory = transport_.all_gather(spills_ && spills_->in_memory() ? host_ : "");
        auto const host =
            std::find_if(in_memory.begin(), in_memory.end(), [](auto const& each) { return !each.empty(); });
        if (first() && host != in_memory.end())
            warn("--spill-dir " + options_.spill_dir.string() + " is kept in memory on host " + *host +
                 " (tmpfs): what spills there takes the memory that it should save; give a folder on a disk");
    }

    /// The run itself. When it ends abnormally, however that is, this rank writes down what it did last.
    void run_watched() {
        last_words_.emplace([this](Ending const& ending) { write_flight_record_of(ending); });
        try {
            result_ = engine_->run();
        } catch (std::exception const& error) {
            last_words_->say(error.what());
            outputs_->discard();
            throw;
        }
        last_words_.reset();
    }

    /// Told by the rank that failed; where a launcher ends all ranks, by the first.
    void write_flight_record_of(Ending const& ending) {
        int const rank = transport_.rank().value();
        std::string const who = "rank " + std::to_string(rank) + ": ";
        if (ending.is_crash()) outputs_->discard();
        fs::path const folder = flight_folder(options_.out);
        Json const about{{"why", ending.why},
                         {"rank", rank},
                         {"ranks", header_.ranks},
                         {"graph", header_.graph_file},
                         {"host", host_},
                         {"schedule_hash", hash_},
                         {"einrun", apps::version("einrun").substr(7)}};
        try {
            fs::path const path =
                write_flight_record(folder, transport_.rank(), header_, section_, engine_->record(), about);
            if (ending.signal == 0 || ending.is_crash() || first())
                tell(who + (ending.signal != 0 ? ending.why + "; " : "") + "its last tasks are in " + path.string() +
                     (transport_.size() > 1 ? ", those of other ranks beside it" : ""));
        } catch (std::exception const& error) {
            tell(who + "warning: no flight record: " + error.what());
        }
    }

    /// For a trace.
    ClockReading read_clock() {
        return options_.trace.empty() ? ClockReading{} : read_clock_of_rank_0(transport_, clock_of_this_machine());
    }

    fs::path data_folder() const { return fs::absolute(options_.schedule).parent_path() / header_.folder; }

    /// Trace, report, verification and summary of a run whose outputs are in place. A trace or report that cannot be
    /// written is told at once and ends the run with its code when everything else is done.
    int finish() {
        std::optional<Error> unwritten;
        try {
            if (!options_.trace.empty())
                write_trace(options_.trace, transport_, {header_, section_, engine_->record(), clock_}, [this] {
                    return apps::forecast(
                        options_.schedule, cluster_,
                        options_.cluster.empty() ? "the built-in cluster" : options_.cluster.string());
                });
        } catch (Disagreement const& error) {
            if (first()) tell(error.what());
            unwritten = error;
        }
        RunFacts const facts{apps::version("einrun").substr(7),
                             header_.graph_file,
                             options_.schedule.string(),
                             hash_,
                             std::string(device_->name()),
                             device_->description(),
                             host_,
                             device_->allows_tf32(),
                             threads_};
        Json report = gather_report(transport_, header_, facts, result_);
        agree(transport_, [&] {
            if (!first()) return;
            Verification verified;
            if (options_.verify) verified = verify(report["tf32"].get<bool>());
            if (options_.verify) report["verify"] = to_json(verified);
            try {
                if (!options_.report.empty()) ReplacedFile("--report", options_.report).write(report.dump(2) + "\n");
            } catch (RunError const& error) {
                tell(error.what());
                unwritten = error;
            }
            if (!options_.quiet &&
                (std::fputs(summary(report, verified).c_str(), stdout) < 0 || std::fflush(stdout) != 0)) {
                warn(std::string("the summary cannot be written to stdout: ") + std::strerror(errno));
                std::clearerr(stdout);
            }
            for (std::string const& message : verified.skipped) warn(message);
            if (!verified.mismatches.empty()) throw MismatchError(joined(verified.mismatches, "\n"));
        });
        agree(transport_, [&] {
            if (unwritten) throw Error(unwritten->code(), "");  // told
        });
        return 0;
    }

    Verification verify(bool tf32) const {
        return apps::verify_run({header_.graph_text, header_.graph_file, data_folder(), options_.out, options_.inputs,
                                 params_, options_.samples, tf32});
    }

    std::string summary(Json const& report, Verification const& verified) const {
        std::string out = report_summary(report);
        if (options_.verify) out += verified_line(verified);
        for (std::size_t i = 0; i < header_.outputs.size() && i < 8; ++i)
            out += "  output     " + outputs_->final_path(i).string() + "\n";
        if (header_.outputs.size() > 8)
            out += "  output     and " + std::to_string(header_.outputs.size() - 8) + " more\n";
        return out;
    }

    apps::EinrunOptions const& options_;
    Transport& transport_;
    std::optional<schedule::File> file_;
    schedule::Header header_;
    schedule::Section section_;
    scalar::Params params_;
    MemoryFit fit_;
    std::string hash_, host_;
    std::vector<int> cores_;  // that this rank may use
    int threads_ = 1;
    scheduler::Cluster cluster_;
    std::unique_ptr<Device> device_;
    Readers readers_;
    std::optional<OutputFiles> outputs_;
    std::optional<SpillStore> spills_;
    std::optional<Progress> progress_;
    std::optional<Engine> engine_;
    RunResult result_;
    ClockLine clock_;
    std::optional<CrashHandler> last_words_;
};

void set_up_log(std::string const& level) {
    auto log = spdlog::stderr_color_mt("einrun");
    log->set_pattern("%H:%M:%S.%e [%n] %l: %v");
    log->set_level(spdlog::level::from_str(level));
    spdlog::set_default_logger(log);
}

/// Runs together with the other ranks; an error that they do not know of ends them too.
int run_together(apps::EinrunOptions const& options) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write, which tells
    Connection connection(std::getenv);
    Transport& transport = connection.transport();
    ExitCode code = ExitCode::failure;
    try {
        return Run(options, transport).go();
    } catch (Disagreement const& error) {
        apps::say("einrun", error.what());  // before any rank leaves: mpirun ends the others when the first one has
        throw Disagreement(error.code(), "");
    } catch (std::exception const& error) {
        if (auto const* known = dynamic_cast<Error const*>(&error)) code = known->code();
        tell("rank " + std::to_string(transport.rank().value()) + ": " + error.what());
    }
    transport.abort(code);
    return static_cast<int>(code);  // not reached; GCC overlooks [[noreturn]] of virtual functions
}

}  // namespace

int main(int argc, char** argv) {
    return apps::report_errors("einrun", [&] {
        auto const options = apps::einrun_options(argc, argv);
        if (!options) return 0;
        set_up_log(options->log_level);
        return run_together(*options);
    });
}
