#include <cstdio>
#include <cstdlib>

#include "apps/command_line.hpp"
#include "apps/library/state.hpp"
#include "executor/engine/engine.hpp"
#include "executor/io/inputs.hpp"
#include "executor/run/host_share.hpp"
#include "executor/run/rank_device.hpp"
#include "executor/startup/agreement.hpp"
#include "executor/startup/gpu_seats.hpp"
#include "executor/startup/memory_fit.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/base/threads/mutex.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/repeat/unrolled.hpp"

namespace einloom {

using namespace ein;
using namespace ein::executor;

namespace {

/// Reads by calling the program.
class ProgramReader final : public tensor::Reader {
public:
    explicit ProgramReader(Input const& read) : read_(read) {}
    void read(Box const& box, std::span<std::byte> out) const override {
        if (!box.empty()) read_({box.begin, box.length}, out);
    }

private:
    Input const& read_;
};

/// Hands blocks to the program, one after the other.
class ProgramSink final : public OutputSink {
public:
    ProgramSink(schedule::Header const& header, std::function<void(einloom::Block const&)> const& take)
        : header_(header), take_(take) {}
    void write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) override {
        if (!take_) return;
        std::string const type(name(dtype));
        Region const region{box.begin, box.length};
        MutexLock const lock(mutex_);
        take_({header_.outputs[output].name, type, region, bytes});
    }

private:
    schedule::Header const& header_;
    std::function<void(einloom::Block const&)> const& take_;
    Mutex mutex_;
};

/// The tensor of that name that the schedule reads. @throws UsageError
schedule::Tensor const& input_of(schedule::Header const& header, std::string const& tensor) {
    for (schedule::Input const& input : header.inputs)
        if (header.tensors[input.tensor].name == tensor) return header.tensors[input.tensor];
    std::vector<std::string> const known = input_names(header);
    throw UsageError(Fault{"", "inputs", "tensors that the schedule reads", "'" + tensor + "'",
                           mend_name(tensor, known, "it reads " + (known.empty() ? "none" : one_of(known)))});
}

void check_inputs(schedule::Header const& header, RunOptions const& options) {
    for (auto const& [tensor, read] : options.inputs) {
        if (input_of(header, tensor).fill)
            throw UsageError("inputs: expected dense tensors, found '" + tensor + "', which is sparse; give a file");
        if (!read) throw UsageError("inputs: expected a function for '" + tensor + "', found an empty one; give one");
    }
}

void take_params(schedule::Header& header, std::map<std::string, double> const& params) {
    for (auto const& [param, value] : params) {
        auto const found = header.params.find(param);
        if (found == header.params.end())
            throw UsageError("params: expected those of the graph, found '" + param + "'; add it with Graph::param");
        found->second = value;
    }
}

/// This rank's part, with what the options change of it. @throws UsageError
RankSchedule own_part(schedule::Schedule const& schedule, Transport const& transport, RunOptions const& options) {
    int const wanted = schedule.header.ranks, found = transport.size();
    if (wanted != found)
        throw UsageError("expected as many ranks as the schedule is for, " + std::to_string(wanted) + ", found " +
                         std::to_string(found) + "; plan with .ranks = ranks.size()");
    RankSchedule out;
    out.header = schedule.header;
    out.section = schedule::unrolled(schedule.header, schedule.sections[transport.rank()]);
    take_params(out.header, options.params);
    check_inputs(out.header, options);
    return out;
}

void say(std::string const& text) { std::fputs(("einloom: " + text + "\n").c_str(), stderr); }

Messages messages_of(RunOptions const& options) {
    auto const hear = options.warn ? options.warn : [](std::string const& text) { say("warning: " + text); };
    return {hear, hear};
}

GivenReader given_readers(RunOptions const& options) {
    return [&options](schedule::Tensor const& tensor) -> std::unique_ptr<tensor::Reader const> {
        auto const found = options.inputs.find(tensor.name);
        return found == options.inputs.end() ? nullptr : std::make_unique<ProgramReader>(found->second);
    };
}

EngineOptions engine_options(RunOptions const& options, HostShare const& share, MemoryFit const& fit, Rank self) {
    EngineOptions how;
    how.threads = share.threads;
    how.stall = options.stall;
    how.load_each_round = fit.load_each_round;
    std::string const who = "rank " + std::to_string(self.value()) + ": ";
    how.on_failure = [who](ExitCode, std::string const& text) { say(who + text); };
    how.explain = [who](std::string const& text) { say(who + text); };
    return how;
}

/// Ranks must run the same. @throws Disagreement
void agree_on_schedule(Transport& transport, schedule::Schedule const& schedule) {
    auto const bytes = schedule::encode(schedule.header);
    std::string const hash = text_hash({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    agree_on(transport, hash, ExitCode::usage, [](std::vector<std::string> const&) {
        return "expected the same schedule on all ranks, found others; plan the same graph with the same options";
    });
}

Ran run_as_rank(Transport& transport, Access::ScheduleState const& state, RunOptions const& options) {
    RankSchedule mine;
    MemoryLimits limits{{}, options.spill_folder, 1, state.schedule.header.name};
    DeviceChoice choice;
    agree(transport, [&] {
        mine = own_part(state.schedule, transport, options);
        if (!options.memory.empty()) limits.budget = apps::memory_budget(options.memory, "memory");
        choice = choice_for(mine.header, device_choice_from_text(options.device));
        take_apart(choice, false, mine);
    });
    agree_on_schedule(transport, state.schedule);
    Messages const messages = messages_of(options);
    MemoryFit const fit = fit_memory(transport, mine.section, limits);
    HostShare const share = share_host(transport, fit.peaks, options.threads, std::getenv, messages);
    GpuSeat const seat = seat_on_gpu(transport, share.host, choice);
    RankDevice device;
    Readers readers;
    std::optional<SpillStore> spills;
    ProgramSink sink(mine.header, options.output);
    std::optional<Engine> engine;
    agree(transport, [&] {
        device = take_device(choice, seat, share.cores);
        fuse_producers(*device.device, mine, limits.budget, std::nullopt);
        readers = open_inputs(mine.header, mine.section, state.folder, given_readers(options));
        if (schedule::disk_use(mine.section).blocks > 0) spills.emplace(options.spill_folder, mine.section);
        engine.emplace(EngineParts{mine.header, mine.section, mine.header.params, transport, *device.device, readers,
                                   sink, spills ? &*spills : nullptr},
                       engine_options(options, share, fit, transport.rank()));
    });
    RunResult const result = engine->run();
    return {result.execute_seconds, result.transfers.bytes_sent, result.transfers.messages_sent,
            result.blocks.peak_bytes(), share.threads};
}

}  // namespace

Ran run(Ranks& ranks, Schedule const& schedule, RunOptions const& options) {
    return public_errors(
        [&] { return run_as_rank(Access::of(ranks).connection->transport(), Access::of(schedule), options); });
}

}  // namespace einloom
