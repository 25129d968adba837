#include "apps/einrun/verify_run.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <variant>

#include "lib/graph/read_graph.hpp"
#include "lib/relation/verify/verify_outputs.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/read_back.hpp"

namespace ein::apps {

namespace {

graph::EinGraph graph_of(VerifySetup const& setup) {
    std::vector<graph::ContractionOrder> orders = setup.orders;
    for (graph::ContractionOrder& order : orders) order.slicing.reset();  // the run's rounding hardly depends on it
    graph::EinGraph out = graph::with_orders(graph::read_graph(setup.graph_text, setup.graph_file), orders);
    for (graph::Leaf& leaf : out.leaves)
        if (auto const read = setup.files.find(out.value(leaf.value).name); read != setup.files.end())
            leaf.source = read->second;
    return out;
}

/// A request, and what it refers to.
class Request {
public:
    explicit Request(VerifySetup const& setup) : setup_(setup), graph_(graph_of(setup)) {
        for (ValueId output : graph_.outputs) was_written_.insert(graph_.value(output).name);
        for (graph::Leaf const& leaf : graph_.leaves) was_written_.erase(graph_.value(leaf.value).name);
    }

    relation::VerifyRequest get() {
        return {.graph = graph_,
                .params = setup_.params,
                .leaves = [this](graph::EinGraph const& of) { return leaves_of(of); },
                .written = [this](graph::Value const& value) { return written(value); },
                .samples = setup_.samples,
                .tf32 = setup_.tf32};
    }

private:
    relation::ReadLeaf leaves_of(graph::EinGraph const& of) {
        return [this, &of](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
            graph::Value const& value = of.value(leaf.value);
            auto& reader = readers_[value.name];
            if (!reader && was_written_.contains(value.name))
                reader = tensor::open_written(written(value), value.name, value.dtype, value.shape);
            if (!reader)
                reader = tensor::open(leaf.source, value.name, value.dtype, value.shape, setup_.data_folder,
                                      value.listing ? value.listing->fill : scalar::Scalar{});
            reader->read(box, out);
        };
    }

    tensor::WrittenOutput written(graph::Value const& value) const {
        std::string name = value.name;
        std::replace(name.begin(), name.end(), '/', '.');
        std::filesystem::path const file = std::filesystem::absolute(setup_.output_folder / name);
        auto const sparse = setup_.sparse_outputs.find(value.name);
        if (sparse == setup_.sparse_outputs.end()) return {file.string() + ".npy"};
        return {file.string() + ".npz", sparse->second};
    }

    VerifySetup const& setup_;
    graph::EinGraph const graph_;
    std::map<std::string, std::unique_ptr<tensor::Reader const>> readers_;  // files are opened once
    std::set<std::string> was_written_;  // by the run: outputs that are not inputs too
};

}  // namespace

relation::Verification verify_run(VerifySetup const& setup) {
    Request request(setup);
    return relation::verify_outputs(request.get());
}

std::vector<std::string> unverifiable_outputs(VerifySetup const& setup) {
    Request request(setup);
    return relation::outputs_out_of_reach(request.get());
}

}  // namespace ein::apps
