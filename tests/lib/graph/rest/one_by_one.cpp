#include "tests/lib/graph/rest/one_by_one.hpp"

#include <cstring>
#include <functional>

#include "lib/relation/interpret.hpp"
#include "lib/tensor/read.hpp"

namespace ein::test {
namespace {

Tensor shared(tensor::HostTensor tensor) { return std::make_shared<tensor::HostTensor const>(std::move(tensor)); }

bool is_true(tensor::HostTensor const& scalar) {
    scalar::Scalar const value = scalar.at(0);
    return value.is_integer ? value.integer != 0 : value.number != 0.0;
}

/// The whole of a tensor is read at once: a node's graph asks for nothing else.
void copy_box(tensor::HostTensor const& from, Box const& box, std::span<std::byte> out) {
    std::size_t const bytes = size_of(from.dtype());
    std::vector<Extent> const strides = row_major_strides(from.shape());
    std::size_t done = 0;
    for_each_index(box.length, [&](std::vector<Extent> const& index) {
        Extent linear = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            linear += (box.begin[axis] + index[axis]) * strides[axis];
        std::memcpy(out.data() + done, from.bytes().data() + static_cast<std::size_t>(linear) * bytes, bytes);
        done += bytes;
    });
}

}  // namespace

Tensor leaf_tensor(graph::EinGraph const& graph, graph::Leaf const& leaf, Files const& files) {
    graph::Value const& value = graph.value(leaf.value);
    std::string const* const file = tensor::file_of(leaf.source);
    if (file && files.contains(*file)) return files.at(*file);
    tensor::Source source = leaf.source;
    if (file || std::holds_alternative<tensor::MissingSource>(source)) {
        double const high = kind(value.dtype) == Kind::integer ? 3 : 1;
        source = tensor::RandomSource{tensor::Distribution::uniform, 0, high, std::hash<std::string>()(value.name)};
    }
    return shared(tensor::read_all(source, value.name, value.dtype, value.shape, "."));
}

OneByOne::OneByOne(graph::EinGraph const& graph, Files const& files, Visit visit)
    : graph_(graph), visit_(std::move(visit)), values_(graph.values.size()) {
    for (graph::Leaf const& leaf : graph.leaves) values_[at(leaf.value)] = leaf_tensor(graph, leaf, files);
    run(0, graph.nodes.size(), -1);
}

std::vector<Tensor> OneByOne::outputs() const {
    std::vector<Tensor> out;
    for (ValueId output : graph_.outputs) out.push_back(values_[at(output)]);
    return out;
}

void OneByOne::visit(std::size_t done, std::int32_t loop) {
    if (visit_) visit_({{}, done, loop, iterations_}, values_, nodes_run_);
}

void OneByOne::run(std::size_t first, std::size_t end, std::int32_t loop) {
    while (first < end) {
        visit(first, loop);
        std::int32_t const inner = graph_.loop_within(loop, graph_.nodes[first].loop);
        std::size_t next = first + 1;
        while (inner >= 0 && next < end && graph_.loop_within(loop, graph_.nodes[next].loop) == inner) ++next;
        inner < 0 ? run(graph_.nodes[first]) : run_loop(inner, first, next);
        first = next;
    }
    visit(end, loop);
}

void OneByOne::run_loop(std::int32_t number, std::size_t first, std::size_t end) {
    graph::Loop const& loop = graph_.loops[static_cast<std::size_t>(number)];
    iterations_.push_back(1);
    for (std::int64_t iteration = 1; iteration <= loop.iterations; ++iteration) {
        iterations_.back() = iteration;
        if (iteration > 1) {
            std::vector<Tensor> const before = values_;
            for (graph::Loop::Carry const& carry : loop.carries) values_[at(carry.inside)] = before[at(carry.result)];
        }
        run(first, end, number);
        if (loop.condition && !is_true(*values_[at(*loop.condition)])) break;
    }
    iterations_.pop_back();
}

void OneByOne::run(graph::Node const& node) {
    graph::EinGraph one;
    one.params = graph_.params;
    std::vector<Tensor> read;
    graph::Node copy = node;
    copy.loop = -1;
    for (ValueId& input : copy.inputs) {
        graph::Value value = graph_.value(input);
        value.name = std::to_string(read.size());
        read.push_back(values_[at(input)]);
        input = ValueId{static_cast<std::int32_t>(one.values.size())};
        one.values.push_back(std::move(value));
        one.leaves.push_back({input, tensor::MissingSource{}});
    }
    copy.output = ValueId{static_cast<std::int32_t>(one.values.size())};
    one.values.push_back(graph_.value(node.output));
    one.outputs = {copy.output};
    one.nodes.push_back(std::move(copy));
    relation::Interpreter interpreter(one, [&](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
        copy_box(*read[at(leaf.value)], box, out);
    });
    values_[at(node.output)] = shared(interpreter.whole(one.outputs[0]));
    ++nodes_run_;
}

std::string difference(graph::EinGraph const& graph, std::vector<Tensor> const& expected,
                       std::vector<Tensor> const& found) {
    if (expected.size() != found.size()) return "the number of outputs";
    for (std::size_t k = 0; k < expected.size(); ++k)
        if (expected[k]->dtype() != found[k]->dtype() || expected[k]->shape() != found[k]->shape() ||
            expected[k]->bytes() != found[k]->bytes())
            return graph.value(graph.outputs[k]).name;
    return "";
}

}  // namespace ein::test
