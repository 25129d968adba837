#include "apps/verify_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "apps/element_text.hpp"
#include "apps/graph_inputs.hpp"
#include "lib/base/error.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/sizes.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/tensor/compare.hpp"
#include "lib/tensor/npy_write.hpp"
#include "lib/tensor/read.hpp"

namespace ein::apps {

namespace {

using relation::IndexSets;
constexpr double little_work = 3e8;    // scalar operations: a few seconds of the interpreter
constexpr double bearable_work = 3e9;  // for samples that nobody asked for by number
constexpr std::int64_t default_samples = 64;

/// What the run computed and what it read.
struct Case {
    VerifySetup const& setup;
    graph::EinGraph graph;
    std::vector<std::unique_ptr<tensor::Reader const>> leaves;  // by ValueId

    explicit Case(VerifySetup const& setup_)
        : setup(setup_), graph(graph::read_graph(setup_.graph_text, setup_.graph_file)), leaves(graph.values.size()) {
        std::vector<std::string> names;
        for (graph::Leaf const& leaf : graph.leaves) names.push_back(graph.value(leaf.value).name);
        std::vector<std::string> used;  // an input that no output needs may have been given
        for (std::string const& text : setup.inputs)
            if (std::find(names.begin(), names.end(), name_and_value("--input", text).first) != names.end())
                used.push_back(text);
        for (auto const& [at, source] : given_sources(used, names)) graph.leaves[at].source = source;
    }

    void read(graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
        auto& reader = leaves[static_cast<std::size_t>(leaf.value.value())];
        graph::Value const& value = graph.value(leaf.value);
        if (!reader) reader = tensor::open(leaf.source, value.name, value.dtype, value.shape, setup.data_folder);
        reader->read(box, out);
    }
};

IndexSets all_indices(Shape const& shape) {
    IndexSets out;
    for (Extent extent : shape) {
        out.emplace_back(static_cast<std::size_t>(extent));
        std::iota(out.back().begin(), out.back().end(), Extent{0});
    }
    return out;
}

Shape counts_of(IndexSets const& indices) {
    Shape out;
    for (auto const& set : indices) out.push_back(static_cast<Extent>(set.size()));
    return out;
}

/// The elements of an output file at a product of index sets.
tensor::HostTensor read_output(std::filesystem::path const& file, graph::Value const& value, IndexSets const& indices) {
    DType const dtype = tensor::npy_dtype(value.dtype);
    auto const reader = tensor::open(tensor::NpySource{file.string()}, value.name, dtype, value.shape, "");
    tensor::HostTensor out(dtype, counts_of(indices));
    if (counts_of(indices) == value.shape) {
        reader->read(Box::whole(value.shape), out.bytes());
        return out;
    }
    std::size_t at = 0;
    for_each_index(out.shape(), [&](std::vector<Extent> const& position) {
        Box box{{}, Shape(position.size(), 1)};
        for (std::size_t axis = 0; axis < position.size(); ++axis)
            box.begin.push_back(indices[axis][static_cast<std::size_t>(position[axis])]);
        reader->read(box, std::span(out.bytes()).subspan(at * size_of(dtype), size_of(dtype)));
        ++at;
    });
    return out;
}

/// Which elements to check: all, or samples that are bearable; nothing when even one element is too much.
std::optional<IndexSets> choose_indices(relation::Interpreter const& judge, ValueId output, Shape const& shape,
                                        bool all, std::optional<std::int64_t> asked) {
    if (all) return all_indices(shape);
    if (asked) return sampled_indices(shape, *asked);
    for (std::int64_t count = default_samples; count >= 1; count /= 4) {
        IndexSets indices = sampled_indices(shape, count);
        if (judge.work(output, indices) <= bearable_work) return indices;
    }
    return std::nullopt;
}

std::string place_text(IndexSets const& indices, Extent linear) {
    std::string out;
    for (std::size_t axis = indices.size(); axis-- > 0;) {
        auto const count = static_cast<Extent>(indices[axis].size());
        out = std::to_string(indices[axis][static_cast<std::size_t>(linear % count)]) + (out.empty() ? "" : ", ") + out;
        linear /= count;
    }
    return "[" + out + "]";
}

void check_output(Case& each, relation::Interpreter& judge, ValueId output, bool all, VerifyResult& result) {
    graph::Value const& value = each.graph.value(output);
    auto const indices = choose_indices(judge, output, value.shape, all, each.setup.samples);
    if (!indices) {
        result.skipped.push_back("output '" + value.name +
                                 "' is not verified: one element takes the reference interpreter " +
                                 format_count(judge.work(output, sampled_indices(value.shape, 1))) +
                                 " operations; ask for it with --verify=1");
        return;
    }
    std::string name = value.name;
    std::replace(name.begin(), name.end(), '/', '.');
    std::filesystem::path const file = each.setup.output_folder / (name + ".npy");
    tensor::HostTensor const found = read_output(file, value, *indices);
    tensor::HostTensor const expected = judge.sample(output, *indices);
    double const tolerance = tensor::tolerance(value.dtype, judge.reduction_length(output));
    tensor::Difference const difference = tensor::compare(found, expected, tolerance);
    result.report["outputs"].push_back({{"name", value.name},
                                        {"elements", found.elements()},
                                        {"of", element_count(value.shape)},
                                        {"differ", difference.count},
                                        {"max_rel", difference.max_rel},
                                        {"tolerance", tolerance}});
    result.report["elements"] = result.report["elements"].get<std::int64_t>() + found.elements();
    result.report["mismatches"] = result.report["mismatches"].get<std::int64_t>() + difference.count;
    if (difference.count == 0 && difference.same_shape) return;
    char tail[160];
    std::snprintf(tail, sizeof tail,
                  " (relative difference %.3g, tolerance %.3g; %lld of %lld elements checked differ)",
                  difference.max_rel, tolerance, static_cast<long long>(difference.count),
                  static_cast<long long>(found.elements()));
    result.mismatches.push_back("output '" + value.name + "' " + place_text(*indices, difference.worst) +
                                ": expected " + element_text(expected, difference.worst) + ", found " +
                                element_text(found, difference.worst) + tail);
}

}  // namespace

IndexSets sampled_indices(Shape const& shape, std::int64_t count) {
    IndexSets out(shape.size());
    std::int64_t left = std::max<std::int64_t>(1, count);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        // The axes that follow share what is left: its root of as many as they are, or less where an axis is short.
        double const share = std::pow(static_cast<double>(left), 1.0 / static_cast<double>(shape.size() - axis));
        auto const wanted =
            std::min<std::int64_t>(shape[axis], std::max<std::int64_t>(1, static_cast<std::int64_t>(share + 1e-9)));
        std::set<Extent> chosen;
        std::uint64_t state = mix64(axis + 1) ^ static_cast<std::uint64_t>(shape[axis]);
        if (wanted >= 2) chosen.insert(0), chosen.insert(shape[axis] - 1);
        while (static_cast<std::int64_t>(chosen.size()) < wanted)
            chosen.insert(static_cast<Extent>((state = mix64(state + 0x9e3779b97f4a7c15u)) %
                                              static_cast<std::uint64_t>(shape[axis])));
        out[axis].assign(chosen.begin(), chosen.end());
        left /= std::max<std::int64_t>(1, wanted);
    }
    return out;
}

VerifyResult verify_run(VerifySetup const& setup) {
    Case each(setup);
    relation::Interpreter judge(
        each.graph,
        [&](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) { each.read(leaf, box, out); },
        setup.params);
    VerifyResult result;
    result.report = {{"elements", std::int64_t{0}}, {"mismatches", std::int64_t{0}}, {"outputs", Json::array()}};
    double work = 0;
    for (ValueId output : each.graph.outputs) work += judge.work(output, all_indices(each.graph.value(output).shape));
    bool const all = !setup.samples && work <= little_work;
    for (ValueId output : each.graph.outputs) check_output(each, judge, output, all, result);
    result.report["skipped"] = result.skipped;
    return result;
}

}  // namespace ein::apps
