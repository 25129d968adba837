#include "apps/einrun/verify_run.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <variant>

#include "apps/graph_inputs.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/verify/verify_outputs.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/read_back.hpp"

namespace ein::apps {

namespace {

graph::EinGraph graph_of(VerifySetup const& setup) {
    graph::EinGraph out = graph::read_graph(setup.graph_text, setup.graph_file);
    std::vector<std::string> names;
    for (graph::Leaf const& leaf : out.leaves) names.push_back(out.value(leaf.value).name);
    std::vector<std::string> used;  // an input that no output needs may have been given
    for (std::string const& text : setup.inputs)
        if (std::find(names.begin(), names.end(), name_and_file(text, names).first) != names.end())
            used.push_back(text);
    for (auto const& [at, source] : given_sources(used, names)) out.leaves[at].source = source;
    return out;
}

}  // namespace

relation::Verification verify_run(VerifySetup const& setup) {
    graph::EinGraph const graph = graph_of(setup);
    std::map<std::string, std::unique_ptr<tensor::Reader const>> readers;  // files are opened once
    std::set<std::string> was_written;  // by the run: outputs that are not inputs too
    for (ValueId output : graph.outputs) was_written.insert(graph.value(output).name);
    for (graph::Leaf const& leaf : graph.leaves) was_written.erase(graph.value(leaf.value).name);
    auto const leaves = [&](graph::EinGraph const& of) {
        return [&](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
            graph::Value const& value = of.value(leaf.value);
            auto& reader = readers[value.name];
            if (!reader && was_written.contains(value.name))
                reader = tensor::open_written(std::get<tensor::NpySource>(leaf.source).file, value.name, value.dtype,
                                              value.shape);
            if (!reader) reader = tensor::open(leaf.source, value.name, value.dtype, value.shape, setup.data_folder);
            reader->read(box, out);
        };
    };
    auto const written = [&](graph::Value const& value) {
        std::string name = value.name;
        std::replace(name.begin(), name.end(), '/', '.');
        return tensor::NpySource{std::filesystem::absolute(setup.output_folder / (name + ".npy")).string()};
    };
    return relation::verify_outputs({.graph = graph,
                                     .params = setup.params,
                                     .leaves = leaves,
                                     .written = written,
                                     .samples = setup.samples,
                                     .tf32 = setup.tf32});
}

}  // namespace ein::apps
