#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>

#include "apps/command_line.hpp"
#include "apps/eintool/commands.hpp"
#include "apps/graph_file.hpp"
#include "apps/graph_inputs.hpp"
#include "apps/inputs_below.hpp"
#include "apps/report_errors.hpp"
#include "apps/written_places.hpp"
#include "executor/startup/host_memory.hpp"
#include "lib/base/files/output_place.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/graph/lower_graph.hpp"
#include "lib/relation/interpret.hpp"
#include "lib/tensor/element_text.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/formats/other_form.hpp"
#include "lib/tensor/non_finite.hpp"
#include "lib/tensor/read.hpp"

namespace ein::apps::tool {
namespace {

namespace fs = std::filesystem;

struct EvalOptions {
    std::string path;
    std::string out;
    std::vector<std::string> inputs, params;
    double limit = 2e11;  // scalar operations: minutes
};

std::vector<std::string> names_of_leaves(graph::EinGraph const& graph) {
    std::vector<std::string> names;
    for (graph::Leaf const& leaf : graph.leaves) names.push_back(graph.value(leaf.value).name);
    return names;
}

/// All that are missing at once.
void check_given(graph::EinGraph const& graph) {
    std::vector<Fault> faults;
    for (graph::Leaf const& leaf : graph.leaves) {
        std::string const& name = graph.value(leaf.value).name;
        if (std::holds_alternative<tensor::MissingSource>(leaf.source))
            faults.push_back(
                {"", "tensor '" + name + "'", "data for it", "none", "give it with --input " + name + "=FILE"});
    }
    if (!faults.empty()) throw InputError(std::move(faults));
}

void use_given_inputs(graph::EinGraph& graph, std::vector<std::string> const& texts) {
    std::vector<std::string> params;
    for (auto const& [name, value] : graph.params) params.push_back(name);
    for (auto const& [index, source] : given_sources(texts, names_of_leaves(graph), params))
        graph.leaves[index].source = source;
}

/// Reads leaves box by box, each file opened once.
relation::ReadLeaf leaf_reader(graph::EinGraph const& graph, fs::path const& folder) {
    auto const readers = std::make_shared<std::map<ValueId, std::unique_ptr<tensor::Reader>>>();
    return [&graph, folder, readers](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
        auto& reader = (*readers)[leaf.value];
        graph::Value const& value = graph.value(leaf.value);
        if (!reader)
            reader = tensor::open(leaf.source, value.name, value.dtype, value.shape, folder,
                                  value.listing ? value.listing->fill : scalar::Scalar{});
        reader->read(box, out);
    };
}

void print(std::string const& name, tensor::HostTensor const& tensor) {
    constexpr Extent most = 8;
    std::string elements;
    for (Extent k = 0; k < std::min(most, tensor.elements()); ++k) elements += (k ? " " : "") + element_text(tensor, k);
    std::printf("%s %s %s: %s%s\n", name.c_str(), std::string(ein::name(tensor.dtype())).c_str(),
                to_string(tensor.shape()).c_str(), elements.c_str(), tensor.elements() > most ? " ..." : "");
}

/// Whole values are held, one at least.
void check_memory(graph::EinGraph const& graph, std::string const& file) {
    auto const here = static_cast<double>(executor::memory_of_this_host());
    for (graph::Value const& value : graph.values) {
        double const bytes =
            static_cast<double>(element_count(value.shape)) * static_cast<double>(size_of(value.dtype));
        if (here > 0 && bytes > here)
            throw MemoryError(file + ": expected values that fit in the " + format_bytes(here) +
                              " of this host, found '" + value.name + "' of " + format_bytes(bytes) +
                              "; use einplan and einrun, which cut them");
    }
}

/// All elements of an axis, for each axis.
relation::IndexSets all_indices(Shape const& shape) {
    relation::IndexSets out;
    for (Extent extent : shape) {
        auto& axis = out.emplace_back(static_cast<std::size_t>(extent));
        std::iota(axis.begin(), axis.end(), Extent{0});
    }
    return out;
}

std::vector<fs::path> input_files(graph::EinGraph const& graph, fs::path const& folder) {
    std::vector<fs::path> out;
    for (graph::Leaf const& leaf : graph.leaves)
        if (std::string const* const file = tensor::file_of(leaf.source)) out.push_back(folder / *file);
    return out;
}

/// Counted before anything is computed.
void check_work(relation::Interpreter const& interpreter, graph::EinGraph const& graph, double limit,
                std::string const& file) {
    double operations = 0;
    for (ValueId output : graph.outputs) operations += interpreter.work(output, all_indices(graph.value(output).shape));
    if (operations > limit)
        throw MemoryError(file + ": expected at most " + format_count(limit) + " operations, found " +
                          format_count(operations) + "; use einplan and einrun, or give --limit");
}

fs::path place_of(std::string output, fs::path const& folder) {
    std::replace(output.begin(), output.end(), '/', '.');
    return folder / (output + ".npy");
}

/// No output replaces a file that is read, but that of a tensor which is the output itself.
/// @throws UsageError
void check_kept(graph::EinGraph const& graph, fs::path const& folder, fs::path const& out) {
    if (out.empty()) return;
    std::vector<NamedPath> written;
    for (ValueId const output : graph.outputs) {
        std::string const& name = graph.value(output).name;
        fs::path const place = place_of(name, out);
        auto const leaf = std::ranges::find(graph.leaves, output, &graph::Leaf::value);
        std::string const* const own = leaf == graph.leaves.end() ? nullptr : tensor::file_of(leaf->source);
        std::error_code error;
        if (own == nullptr || !fs::equivalent(folder / *own, place, error))
            written.emplace_back("--out, output '" + name + "'", place);
    }
    check_written(written, files_read(graph, folder));
}

int eval(EvalOptions const& options) {
    GraphFile file = read_graph_file(options.path);
    graph::EinGraph graph = graph::lower_graph(read_graph(file, options.inputs));
    check_memory(graph, file.name);
    use_given_inputs(graph, options.inputs);
    check_given(graph);
    relation::Interpreter interpreter(graph, leaf_reader(graph, file.folder),
                                      given_params(options.params, graph.params, names_of_leaves(graph)));
    check_work(interpreter, graph, options.limit, file.name);
    check_kept(graph, file.folder, options.out);
    if (!options.out.empty()) make_folder(options.out, "--out");
    for (ValueId output : graph.outputs) {
        tensor::HostTensor const tensor = interpreter.whole(output);
        std::string name = graph.value(output).name;
        print(name, tensor);
        auto const found = tensor::count_non_finite(tensor.dtype(), tensor.bytes().data(),
                                                    static_cast<std::size_t>(tensor.elements()));
        if (found.nan > 0)
            say("eintool", "note: " + std::to_string(found.nan) + " of " + std::to_string(tensor.elements()) +
                               " elements of '" + name +
                               "' are NaN; einrun --check-finite says in which node they begin");
        if (options.out.empty()) continue;
        fs::path const written = place_of(name, options.out);
        tensor::write_npy(written, tensor);
        tensor::remove_other_form(written, input_files(graph, file.folder));
    }
    for (std::string const& loop : interpreter.ended_at_once())
        say("eintool", "warning: loop '" + loop +
                           "' ended after its first iteration: its \"while\" was 0 there; it goes on as long as that "
                           "is not 0");
    return 0;
}

}  // namespace

void add_eval(CLI::App& app, Action& chosen) {
    CLI::App* command =
        app.add_subcommand("eval", "Compute a small graph with the reference interpreter, in this one process");
    auto const options = std::make_shared<EvalOptions>();
    command->add_option("GRAPH", options->path, "EinGraph JSON file; - for standard input")->required();
    command->add_option("--out", options->out, "write the outputs there as NAME.npy");
    command->add_option("--input", options->inputs, "NAME=FILE: data for a tensor")->take_all();
    add_inputs_below(*command);
    command->add_option("--set", options->params, "NAME=NUMBER: another value for a param")->take_all();
    command
        ->add_option("--limit", options->limit,
                     "operations that it may take (default: 2e11, some minutes); more are refused before computing")
        ->check(number_from(0, true));
    command->callback([options, &chosen] { chosen = [options] { return eval(*options); }; });
}

}  // namespace ein::apps::tool
