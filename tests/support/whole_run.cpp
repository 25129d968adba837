#include "tests/support/whole_run.hpp"

#include <cstdlib>
#include <cstring>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "executor/device/emulated/emulated_context.hpp"
#include "executor/io/inputs.hpp"
#include "lib/graph/lower_graph.hpp"
#include "lib/graph/summation_order.hpp"
#include "lib/relation/tuning.hpp"
#include "lib/relation/verify/rounding_spread.hpp"
#include "lib/relation/verify/samples.hpp"
#include "lib/schedule/device/producer_fusion.hpp"
#include "lib/schedule/fusion/fold.hpp"
#include "lib/schedule/memory/take_over.hpp"
#include "planner/search/cut_by_weight.hpp"

namespace ein::test {

namespace {

/// Takes the blocks of every output into whole tensors.
class TensorSink final : public executor::OutputSink {
public:
    explicit TensorSink(schedule::Header const& header) : header_(header) {
        for (auto const& output : header.outputs) {
            schedule::Tensor const& t = header.tensors[output.tensor];
            tensors[output.name] = tensor::HostTensor(t.dtype, t.shape);
        }
    }
    void write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) override {
        std::lock_guard lock(mutex_);
        tensor::HostTensor& to = tensors[header_.outputs[output].name];
        auto const strides = row_major_strides(to.shape());
        std::size_t const element = size_of(dtype);
        std::size_t at = 0;
        for_each_index(box.length, [&](std::vector<Extent> const& index) {
            Extent g = 0;
            for (std::size_t axis = 0; axis < index.size(); ++axis)
                g += (box.begin[axis] + index[axis]) * strides[axis];
            std::memcpy(to.bytes().data() + static_cast<std::size_t>(g) * element, bytes.data() + at, element);
            at += element;
        });
    }

    std::map<std::string, tensor::HostTensor> tensors;

private:
    schedule::Header const& header_;
    std::mutex mutex_;
};

/// What the reference interpreter says of a graph.
struct Expected {
    std::map<std::string, tensor::HostTensor> results;
    std::map<std::string, double> reduction_length;
};

Expected expected_of(graph::EinGraph const& graph) {
    relation::Interpreter interpreter(graph, source_reader(graph), graph.params);
    Expected out;
    for (ValueId output : graph.outputs) {
        out.results[graph.value(output).name] = interpreter.whole(output);
        out.reduction_length[graph.value(output).name] = interpreter.reduction_length(output);
    }
    return out;
}

bool reads_files(graph::EinGraph const& graph) {
    return std::ranges::any_of(graph.leaves, [](graph::Leaf const& leaf) {
        return !std::holds_alternative<tensor::FillSource>(leaf.source) &&
               !std::holds_alternative<tensor::ValuesSource>(leaf.source) &&
               !std::holds_alternative<tensor::RandomSource>(leaf.source) &&
               !std::holds_alternative<tensor::SparseRandomSource>(leaf.source);
    });
}

/// Of graphs that are run several times, on other ranks or devices, the interpreter is asked once.
Expected const& expected_of(std::string const& text, graph::EinGraph const& graph) {
    static std::map<std::string, Expected> known;
    static std::size_t bytes = 0;
    constexpr std::size_t most_bytes = std::size_t{16} << 20;
    if (auto const found = known.find(text); found != known.end() && !reads_files(graph)) return found->second;
    if (bytes > most_bytes) known.clear(), bytes = 0;
    Expected& made = known[text] = expected_of(graph);
    for (auto const& [name, tensor] : made.results) bytes += tensor.bytes().size();
    return made;
}

/// To the element, so that the small tensors of random graphs have parts to leave out.
relation::ListedHull exact_hull(relation::ListedElements const& listed) {
    if (!listed.fibres) return {};
    return [fibres = listed.fibres](ValueId leaf, Box const& box) {
        Box out = box;
        for (std::size_t axis = 0; axis < box.order(); ++axis) {
            std::vector<Extent> const counts = fibres(leaf, box, {static_cast<int>(axis)});
            if (counts.empty()) return box;
            auto const lists = [](Extent count) { return count > 0; };
            auto const first = std::ranges::find_if(counts, lists);
            out.begin[axis] = box.begin[axis] + (first == counts.end() ? 0 : first - counts.begin());
            auto const last = std::find_if(counts.rbegin(), counts.rend(), lists);
            out.length[axis] = box.begin[axis] + (counts.rend() - last) - out.begin[axis];
        }
        return out;
    };
}

/// As einrun does before it fits memory.
void take_apart(schedule::Schedule& schedule, bool own_memory) {
    for (Rank rank : schedule.sections.ids()) {
        schedule::Section& section = schedule.sections[rank];
        section = schedule::with_members_apart(schedule.header, section);
        if (own_memory) schedule::keep_all(section);
        schedule.header.prediction.peak_bytes[at(rank)] = schedule::replay(section).peak;
    }
}

}  // namespace

bool tests_run_emulated() {
    char const* const device = std::getenv("EIN_TEST_DEVICE");
    return device != nullptr && std::string_view(device) == "emulated";
}

bool knows_what_it_sends(schedule::Section const& section) {
    return std::none_of(section.tasks.begin(), section.tasks.end(), [&](schedule::Task const& task) {
        return task.is<schedule::Send>() && section.blocks[section.message(task).block].is_listed();
    });
}

relation::CheckedCalls checked_calls(WholeRun const& run) {
    executor::RankCalls all;
    for (executor::RunResult const& rank : run.ranks)
        if (rank.calls) all.add(*rank.calls);
    return all.summed();
}

relation::ReadLeaf source_reader(graph::EinGraph const& graph) {
    return [&graph](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
        graph::Value const& value = graph.value(leaf.value);
        tensor::open(leaf.source, value.name, value.dtype, value.shape, "",
                     value.listing ? value.listing->fill : scalar::Scalar{})
            ->read(box, out);
    };
}

bool rounding_explains(WholeRun const& run, std::string const& output, std::vector<Extent> const& positions) {
    if (positions.empty()) return true;
    tensor::HostTensor const &expected = run.expected.at(output), &found = run.results.at(output);
    if (is_exact(expected.dtype())) return false;
    ValueId const value =
        *std::ranges::find(run.graph.outputs, output, [&](ValueId id) { return run.graph.value(id).name; });
    relation::Interpreter interpreter(run.graph, source_reader(run.graph), run.graph.params);
    auto const outcomes =
        relation::rounding_spread(interpreter, value, relation::all_indices(expected.shape()), expected, positions);
    for (std::size_t k = 0; k < positions.size(); ++k)
        if (!outcomes[k].allow(found.at(positions[k]), relation::tuning::spreads_allowed)) return false;
    return true;
}

void execute(WholeRun& run, WholeRunSetup const& setup) {
    bool const own_memory = executor::has_own_memory(setup.device);
    if (own_memory || setup.check_finite) take_apart(run.schedule, own_memory);
    TensorSink sink(run.schedule.header);
    std::mutex mutex;
    run.ranks.resize(static_cast<std::size_t>(setup.ranks));
    executor::LoopbackOptions transport_options = setup.transport;
    if (!transport_options.check_access) transport_options.check_access = executor::check_emulated_access;
    on_ranks(setup.ranks, transport_options, [&](executor::Transport& transport) {
        auto const self = static_cast<std::size_t>(transport.rank().value());
        auto const report = [&](std::string const& text) {
            std::lock_guard lock(mutex);
            run.failures.push_back("rank " + std::to_string(self) + ": " + text);
        };
        try {
            std::unique_ptr<executor::Device> device = executor::make_device(setup.device);
            if (setup.spoilt) device = setup.spoilt(std::move(device));
            schedule::Section section = run.schedule.sections[transport.rank()];
            schedule::Header header = run.schedule.header;
            if (device->accelerator() != nullptr && setup.fuses_producers && !setup.check_finite)
                schedule::fuse_producers(header, section, {.one_kernel = setup.device_memory});
            executor::Readers const readers = executor::open_inputs(header, section, "");
            executor::EngineOptions options;
            options.threads = setup.threads;
            options.stall = 60;
            options.device_messages = setup.device_messages;
            options.device_memory = setup.device_memory;
            if (setup.device_memory == 0) options.device_memory = schedule::largest_working_set(section).bytes;
            options.check_finite = setup.check_finite;
            options.check_calls = setup.check_calls;
            options.on_failure = [&](ExitCode, std::string const& text) { report(text); };
            options.explain = report;
            std::optional<executor::SpillStore> spills;
            if (schedule::disk_use(section).blocks > 0) spills.emplace(std::filesystem::temp_directory_path(), section);
            executor::Engine engine(
                {header, section, header.params, transport, *device, readers, sink, spills ? &*spills : nullptr},
                options);
            run.ranks[self] = engine.run();
        } catch (executor::RunAborted const&) {
        } catch (std::exception const& error) {
            report(error.what());
            try {
                transport.abort(ExitCode::failure);  // before the run too, where einrun's ranks agree first
            } catch (executor::RunAborted const&) {
            }
        }
        return 0;
    });
    run.results = std::move(sink.tensors);
}

WholeRun whole_run(graph::EinGraph const& read, WholeRunSetup const& setup) {
    WholeRun run;
    if (setup.compared) {
        Expected expected = expected_of(read);
        run.expected = std::move(expected.results), run.reduction_length = std::move(expected.reduction_length);
    }
    run.graph = graph::make_what_is_read(read);
    relation::ListedElements listed = relation::count_listed(run.graph, "");
    run.graph = relation::lower_by_size(std::move(run.graph), listed, "random.json", setup.sparse_results);
    if (setup.reproducible) run.graph = graph::keep_summation_order(std::move(run.graph), "random.json");
    planner::PlannerOptions const how{
        .ranks = setup.ranks, .calls = setup.calls, .decompose = setup.decompose, .column_work = 0};
    std::vector<relation::Plan> plans{planner::plan(run.graph, how)};
    for (relation::Plan& other : planner::other_plans(run.graph, how, plans[0])) plans.push_back(std::move(other));
    for (std::size_t k = 0, evenly = plans.size(); k < evenly; ++k)
        if (auto weighted = planner::cut_by_weight(run.graph, plans[k], listed.in_box))
            plans.push_back(std::move(*weighted));
    run.schedule = scheduler::make_schedule(run.graph, plans[setup.alternative % plans.size()],
                                            {.place = setup.place,
                                             .inputs = setup.inputs,
                                             .subblock_bytes = setup.subblock_bytes,
                                             .staging = setup.staging,
                                             .split = setup.split,
                                             .messages = setup.messages,
                                             .listed = listed.in_box,
                                             .hull = exact_hull(listed),
                                             .fusion = setup.fused_groups,
                                             .take_over = setup.take_over,
                                             .reproducible = setup.reproducible});
    execute(run, setup);
    return run;
}

WholeRun whole_run(Json const& json, WholeRunSetup const& setup) {
    std::string const text = json.dump();
    graph::EinGraph const graph = graph::read_graph(text, "random.json");
    WholeRunSetup without = setup;
    without.compared = false;
    WholeRun run = whole_run(graph, without);
    if (setup.compared) {
        Expected const& expected = expected_of(text, graph);
        run.expected = expected.results, run.reduction_length = expected.reduction_length;
    }
    return run;
}

}  // namespace ein::test
