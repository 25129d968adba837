// Runs a schedule on threads as ranks, with toy inputs and outputs in memory. Element g (C order) of every input is
// number(g). Example: run_by_threads(schedule, {}).outputs["Z"] are the elements of output Z, and .codes what each rank
// ended with.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "executor/engine/engine.hpp"
#include "tests/support/rank_threads.hpp"
#include "tests/support/toy_device.hpp"

namespace ein::test {

inline double number(Extent g) { return static_cast<double>((g * 7 + 3) % 11 - 5); }

class NumberReader final : public tensor::Reader {
public:
    explicit NumberReader(Shape shape) : strides_(row_major_strides(shape)) {}
    void read(Box const& box, std::span<std::byte> out) const override {
        std::size_t at = 0;
        for_each_index(box.length, [&](std::vector<Extent> const& index) {
            Extent g = 0;
            for (std::size_t axis = 0; axis < index.size(); ++axis)
                g += (box.begin[axis] + index[axis]) * strides_[axis];
            double const value = number(g);
            std::memcpy(out.data() + at, &value, sizeof value);
            at += sizeof value;
        });
    }

private:
    std::vector<Extent> strides_;
};

/// All ranks write to it.
class MemorySink final : public executor::OutputSink {
public:
    explicit MemorySink(schedule::Header const& header) : header_(header) {
        for (auto const& output : header.outputs)
            elements[output.name].resize(static_cast<std::size_t>(element_count(shape_of(output))));
    }
    void write(schedule::OutputId output, DType, Box const& box, std::span<std::byte const> bytes) override {
        std::lock_guard lock(mutex_);
        auto const& which = header_.outputs[output];
        auto const strides = row_major_strides(shape_of(which));
        std::size_t at = 0;
        for_each_index(box.length, [&](std::vector<Extent> const& index) {
            Extent g = 0;
            for (std::size_t axis = 0; axis < index.size(); ++axis)
                g += (box.begin[axis] + index[axis]) * strides[axis];
            std::memcpy(&elements[which.name][static_cast<std::size_t>(g)], bytes.data() + at, sizeof(double));
            at += sizeof(double);
        });
        ++writes;
    }

    std::map<std::string, std::vector<double>> elements;
    int writes = 0;

private:
    Shape const& shape_of(schedule::Output const& output) const { return header_.tensors[output.tensor].shape; }
    schedule::Header const& header_;
    std::mutex mutex_;
};

struct RunSetup {
    int threads = 1;
    int repeat = 1;
    double stall = 60;
    executor::LoopbackOptions transport;
    executor::TransferLimits limits;
    bool load_each_round = false;
    executor::Reserve reserve = executor::Reserve::peak;
    std::filesystem::path spill_dir = std::filesystem::temp_directory_path();  // for a schedule that spills
    executor::Keep keep = executor::Keep::latest;
    std::function<void(int rank, std::string const& node)> hook;  // before each launch
    std::function<void(executor::Transport&, executor::Record const&)>
        afterwards;  // on each rank, however its run ended
};

struct RunOutcome {
    std::map<std::string, std::vector<double>> outputs;
    std::vector<ExitCode> codes;                     // by rank
    std::vector<std::vector<std::string>> messages;  // by rank: reported on failure, or explained on a stall
    std::vector<executor::RunResult> results;
};

inline RunOutcome run_by_threads(schedule::Schedule const& schedule, RunSetup const& setup = {}) {
    MemorySink sink(schedule.header);
    RunOutcome outcome;
    auto const ranks = static_cast<std::size_t>(schedule.header.ranks);
    outcome.messages.resize(ranks);
    outcome.results.resize(ranks);
    outcome.codes = on_ranks(schedule.header.ranks, setup.transport, [&](executor::Transport& transport) {
        int const self = transport.rank().value();
        auto const at = static_cast<std::size_t>(self);
        schedule::Section const& section = schedule.sections[transport.rank()];
        ToyDevice device([&](std::string const& node) {
            if (setup.hook) setup.hook(self, node);
        });
        executor::Readers readers;
        for (auto const& input : schedule.header.inputs)
            readers.add(
                executor::InputReader(std::make_unique<NumberReader>(schedule.header.tensors[input.tensor].shape)));
        std::mutex mutex;
        auto keep = [&](std::string const& text) {
            std::lock_guard lock(mutex);
            outcome.messages[at].push_back(text);
        };
        executor::EngineOptions options;
        options.threads = setup.threads;
        options.repeat = setup.repeat;
        options.load_each_round = setup.load_each_round;
        options.stall = setup.stall;
        options.keep = setup.keep;
        options.limits = setup.limits;
        options.on_failure = [&](ExitCode, std::string const& text) { keep(text); };
        options.explain = keep;
        scalar::Params const params;
        try {
            std::optional<executor::SpillStore> spills;
            if (schedule::disk_use(section).blocks > 0) spills.emplace(setup.spill_dir, section, setup.reserve);
            executor::Engine engine(
                {schedule.header, section, params, transport, device, readers, sink, spills ? &*spills : nullptr},
                options);
            try {
                outcome.results[at] = engine.run();
            } catch (Error const&) {
                if (setup.afterwards) setup.afterwards(transport, engine.record());
                throw;
            }
            if (setup.afterwards) setup.afterwards(transport, engine.record());
        } catch (Error const& error) {
            return error.code();
        }
        return ExitCode::done;
    });
    outcome.outputs = std::move(sink.elements);
    return outcome;
}

/// Equal bit by bit: nan too.
inline bool same_bits(std::map<std::string, std::vector<double>> const& a,
                      std::map<std::string, std::vector<double>> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto const& x, auto const& y) {
        return x.first == y.first && x.second.size() == y.second.size() &&
               std::memcmp(x.second.data(), y.second.data(), x.second.size() * sizeof(double)) == 0;
    });
}

}  // namespace ein::test
