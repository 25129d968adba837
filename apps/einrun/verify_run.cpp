#include "apps/einrun/verify_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "apps/element_text.hpp"
#include "apps/graph_inputs.hpp"
#include "lib/base/error.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/rounding_spread.hpp"
#include "lib/tensor/compare.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/read_back.hpp"

namespace ein::apps {

namespace {

using relation::IndexSets;
constexpr double little_work = 3e8;    // scalar operations: a few seconds of the interpreter
constexpr double bearable_work = 3e9;  // for samples that nobody asked for by number
constexpr std::int64_t default_samples = 64;

/// A doubtful element is wrong when it is further off than so many times its spread (see relation::rounding_spread).
constexpr double spreads_allowed = 8;

/// The relative error to allow in an output; results of f32 are as exact as f16 where their factors were.
double usual_tolerance(VerifySetup const& setup, DType dtype, double reduction_length) {
    bool const coarse = setup.tf32 && dtype == DType::f32;
    return tensor::tolerance(coarse ? DType::f16 : dtype, reduction_length);
}

/// What the run computed and what it read.
struct Case {
    VerifySetup const& setup;
    graph::EinGraph graph;
    std::map<std::string, std::unique_ptr<tensor::Reader const>> leaves;
    relation::Interpreter judge;
    std::optional<graph::EinGraph> lowered;  // as it was run
    std::optional<relation::Interpreter> judge_of_lowered;

    explicit Case(VerifySetup const& setup_)
        : setup(setup_), graph(graph_of(setup_)), judge(graph, reader_of(graph), setup.params) {}

    /// The judge of the graph whose roundings are the run's.
    relation::Interpreter& as_run() {
        if (lowered) return *judge_of_lowered;
        lowered = graph::lower_contractions(graph);
        return judge_of_lowered.emplace(*lowered, reader_of(*lowered), setup.params);
    }

private:
    static graph::EinGraph graph_of(VerifySetup const& setup) {
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

    relation::ReadLeaf reader_of(graph::EinGraph const& of) {
        return [this, &of](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
            graph::Value const& value = of.value(leaf.value);
            auto& reader = leaves[value.name];
            if (!reader) reader = tensor::open(leaf.source, value.name, value.dtype, value.shape, setup.data_folder);
            reader->read(box, out);
        };
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
    auto const reader = tensor::open_written(file, value.name, dtype, value.shape);
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

/// By position: how far those of `doubtful` may be apart although it is more than usual, since rounding can move them
/// so far; 0 elsewhere.
std::vector<double> allowed_by_rounding(Case& each, std::size_t output, IndexSets const& indices,
                                        tensor::HostTensor const& expected, std::vector<Extent> const& doubtful) {
    std::vector<double> allowed(static_cast<std::size_t>(expected.elements()), 0);
    relation::Interpreter& judge = each.as_run();  // makes `lowered`
    std::vector<double> const spread =
        relation::rounding_spread(judge, each.lowered->outputs[output], indices, expected, doubtful, each.setup.tf32);
    for (std::size_t i = 0; i < doubtful.size(); ++i)
        allowed[static_cast<std::size_t>(doubtful[i])] = spreads_allowed * spread[i];
    return allowed;
}

std::string mismatch_text(graph::Value const& value, IndexSets const& indices, tensor::HostTensor const& found,
                          tensor::HostTensor const& expected, tensor::Difference const& difference) {
    char tail[160];
    std::snprintf(tail, sizeof tail,
                  " (relative difference %.3g, tolerance %.3g; %lld of %lld elements checked differ)",
                  difference.worst_rel, difference.worst_tolerance, static_cast<long long>(difference.count),
                  static_cast<long long>(found.elements()));
    return "output '" + value.name + "' " + place_text(indices, difference.worst) + ": expected " +
           element_text(expected, difference.worst) + ", found " + element_text(found, difference.worst) + tail;
}

void check_output(Case& each, std::size_t at, bool all, executor::Verification& result) {
    ValueId const output = each.graph.outputs[at];
    graph::Value const& value = each.graph.value(output);
    auto const indices = choose_indices(each.judge, output, value.shape, all, each.setup.samples);
    if (!indices) {
        result.skipped.push_back("output '" + value.name +
                                 "' is not verified: one element takes the reference interpreter " +
                                 format_count(each.judge.work(output, sampled_indices(value.shape, 1))) +
                                 " operations; ask for it with --verify=1");
        return;
    }
    std::string name = value.name;
    std::replace(name.begin(), name.end(), '/', '.');
    std::filesystem::path const file = each.setup.output_folder / (name + ".npy");
    tensor::HostTensor const found = read_output(file, value, *indices);
    tensor::HostTensor const expected = each.judge.sample(output, *indices);
    double const usual = usual_tolerance(each.setup, value.dtype, each.judge.reduction_length(output));
    tensor::Difference difference = tensor::compare(found, expected, usual);
    Extent const doubtful = difference.count;
    if (doubtful > 0)
        difference = tensor::compare(found, expected, usual,
                                     allowed_by_rounding(each, at, *indices, expected, difference.differing));
    result.outputs.push_back({.name = value.name,
                              .elements = found.elements(),
                              .of = element_count(value.shape),
                              .differ = difference.count,
                              .ill_conditioned = doubtful - difference.count,
                              .max_rel = difference.max_rel,
                              .tolerance = difference.largest_tolerance});
    if (difference.count > 0 || !difference.same_shape)
        result.mismatches.push_back(mismatch_text(value, *indices, found, expected, difference));
}

}  // namespace

IndexSets sampled_indices(Shape const& shape, std::int64_t count) {
    IndexSets out(shape.size());
    std::int64_t left = std::max<std::int64_t>(1, count);
    std::vector<double> behind(shape.size() + 1, 1);  // elements of the axes from here on
    for (std::size_t axis = shape.size(); axis-- > 0;)
        behind[axis] = behind[axis + 1] * static_cast<double>(shape[axis]);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        // The axes that follow share what is left: its root of as many as they are, or more where those that follow are
        // short.
        double const share = std::pow(static_cast<double>(left), 1.0 / static_cast<double>(shape.size() - axis)),
                     needed = behind[axis + 1] == 0 ? 1 : static_cast<double>(left) / behind[axis + 1];
        auto const wanted = std::min<std::int64_t>(
            shape[axis],
            std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(std::max(share, needed) - 1e-9))));
        std::set<Extent> chosen;
        std::uint64_t state = mix64(axis + 1) ^ static_cast<std::uint64_t>(shape[axis]);
        if (wanted >= 2) chosen.insert(0), chosen.insert(shape[axis] - 1);
        while (static_cast<std::int64_t>(chosen.size()) < wanted)
            chosen.insert(static_cast<Extent>((state = mix64(state + 0x9e3779b97f4a7c15u)) %
                                              static_cast<std::uint64_t>(shape[axis])));
        out[axis].assign(chosen.begin(), chosen.end());
        left = wanted == 0 ? left : (left + wanted - 1) / wanted;
    }
    return out;
}

executor::Verification verify_run(VerifySetup const& setup) {
    Case each(setup);
    executor::Verification result;
    double work = 0;
    for (ValueId output : each.graph.outputs)
        work += each.judge.work(output, all_indices(each.graph.value(output).shape));
    bool const all = !setup.samples && work <= little_work;
    for (std::size_t output = 0; output < each.graph.outputs.size(); ++output) check_output(each, output, all, result);
    return result;
}

}  // namespace ein::apps
