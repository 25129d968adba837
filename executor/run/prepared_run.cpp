#include "executor/run/prepared_run.hpp"

#include <cstdlib>
#include <iostream>

#include "executor/io/inputs.hpp"
#include "executor/report/clock.hpp"
#include "executor/startup/agreement.hpp"
#include "executor/trace/flight_record.hpp"
#include "lib/tensor/formats/other_form.hpp"

namespace ein::executor {

namespace {

bool is_first(RunParts const& parts) { return parts.transport.rank() == Rank{0}; }

RankDevice fitting_device(RunParts const& parts) {
    RunSettings const& settings = parts.settings;
    DeviceChoice const choice = choice_for(parts.schedule.header, settings.device);
    RankDevice out = take_device(choice, settings.gpu_seat, parts.share.cores);
    if (!settings.check_finite) fuse_producers(*out.device, parts.schedule, settings.memory, settings.device_memory);
    if (is_first(parts)) report_choice(*out.device, choice, parts.messages);
    if (is_first(parts)) report_cache(*out.device, std::getenv, parts.messages);
    return out;
}

std::optional<SpillStore> room_on_disk(RunParts const& parts) {
    schedule::Section const& section = parts.schedule.section;
    if (schedule::disk_use(section).blocks == 0) return {};
    return std::optional<SpillStore>(std::in_place, parts.settings.spill_dir, section);
}

EngineOptions engine_options(RunParts const& parts, double opened_seconds, Progress& progress) {
    RunSettings const& settings = parts.settings;
    EngineOptions how;
    how.threads = parts.share.threads;
    how.repeat = settings.repeat;
    how.opened_seconds = opened_seconds;
    how.device_messages = settings.device_messages;
    how.device_memory = settings.device_memory;
    how.load_each_round = parts.fit.load_each_round;
    how.check_finite = settings.check_finite;
    how.check_calls = settings.check_calls;
    how.checkpoints = parts.checkpoints;
    how.stall = settings.stall;
    how.keep = settings.trace.empty() ? Keep::latest : Keep::all;
    how.progress = is_first(parts) && settings.progress != ProgressMode::off ? &progress : nullptr;
    return how;
}

ReadsOf reads_of(RunParts const& parts) {
    return parts.checkpoints != nullptr && parts.checkpoints->resumed_at() ? ReadsOf::held : ReadsOf::loads;
}

FlightFacts flight_facts(RunParts const& parts) {
    return {parts.settings.out, parts.share.host, parts.schedule.hash, parts.settings.version};
}

}  // namespace

PreparedRun::PreparedRun(RunParts const& parts)
    : parts_(parts),
      device_(fitting_device(parts)),
      began_(seconds_now()),
      readers_(open_inputs(parts.schedule.header, parts.schedule.section, parts.schedule.data_folder, {},
                           reads_of(parts), parts.fit.load_each_round ? parts.settings.repeat : 1)),
      opened_seconds_(seconds_now() - began_),
      outputs_(parts.schedule.header, parts.settings.out, parts.name, parts.settings.dense_outputs),
      counted_(parts.schedule.header, outputs_),
      spills_(room_on_disk(parts)),
      progress_(parts.settings.progress, std::cerr),
      watched_({parts.schedule.header, parts.schedule.section, parts.schedule.header.params, parts.transport,
                *device_.device, readers_, counted_, spills_ ? &*spills_ : nullptr},
               engine_options(parts, opened_seconds_, progress_), outputs_, flight_facts(parts), parts.messages) {}

RunFacts PreparedRun::facts() const {
    Device const& device = *device_.device;
    return {.version = parts_.settings.version,
            .graph = parts_.schedule.header.graph_file,
            .schedule = parts_.settings.schedule.string(),
            .schedule_hash = parts_.schedule.hash,
            .device = std::string(device.name()),
            .device_description = device.description(),
            .host = parts_.share.host,
            .tf32 = device.allows_tf32(),
            .threads = parts_.share.threads,
            .shared_cores = parts_.share.oversubscribed,
            .changed = parts_.schedule.changed};
}

void PreparedRun::create_outputs() {
    outputs_.create();
    sweep_flight_records(flight_folder(parts_.settings.out));
    for (std::filesystem::path const& path : outputs_.in_doubt())
        parts_.messages.warn(path.string() +
                             " was left by another run or is being written by it on another host; "
                             "remove it if that run has ended");
}

void PreparedRun::complete_outputs() {
    if (!outputs_.any_listed()) return;
    Transport& transport = parts_.transport;
    ListedOutputs& listed = outputs_.listed();
    std::vector<std::string> const counts = transport.all_gather(listed.counts());
    agree(transport, [&] {
        listed.place(counts, outputs_.temporary());
        if (is_first(parts_)) outputs_.make_listed();
    });
    agree(transport, [&] { listed.write(); });
    std::vector<std::string> const sums = transport.all_gather(listed.sums());
    agree(transport, [&] {
        if (is_first(parts_)) listed.finish(sums);
    });
}

void PreparedRun::publish_outputs() {
    std::vector<std::filesystem::path> inputs;
    for (schedule::Input const& input : parts_.schedule.header.inputs)
        if (std::string const* const file = tensor::file_of(input.source))
            inputs.push_back(parts_.schedule.data_folder / *file);
    for (std::filesystem::path const& old : outputs_.publish(inputs))
        parts_.messages.report("removed " + old.string() + " of an earlier run: " +
                               tensor::other_form(old).filename().string() + " is in its place");
}

Ran PreparedRun::run() {
    ClockReading const before = read_clock();
    RunResult result = watched_.run();
    return {std::move(result), {before, read_clock()}};
}

NonFiniteReport PreparedRun::non_finite(RunResult const& result) {
    return report_non_finite(parts_.transport, parts_.schedule.header, parts_.schedule.section, readers_,
                             {counted_.counts(), result.non_finite});
}

/// Only a trace needs other ranks' clocks.
ClockReading PreparedRun::read_clock() {
    if (parts_.settings.trace.empty()) return {};
    return read_clock_of_rank_0(parts_.transport, clock_of_this_machine());
}

std::vector<std::filesystem::path> PreparedRun::output_files() const {
    std::vector<std::filesystem::path> out;
    for (std::size_t i = 0; i < parts_.schedule.header.outputs.size(); ++i) out.push_back(outputs_.final_path(i));
    return out;
}

}  // namespace ein::executor
