#include "lib/graph/graph_builder.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::graph {
namespace {}  // namespace

bool fits(Shape const& shape, DType dtype) {
    Shape extents = shape;
    std::replace(extents.begin(), extents.end(), Extent{0}, Extent{1});
    auto const count = checked_element_count(extents);
    return count && *count <= max_tensor_bytes / static_cast<Extent>(size_of(dtype));
}

GraphBuilder::GraphBuilder(EinGraph graph) : graph_(std::move(graph)) {
    for (Value const& value : graph_.values) taken_.insert(value.name);
    producer_.resize(graph_.values.size());
    for (std::size_t k = 0; k < graph_.nodes.size(); ++k) producer_[at(graph_.nodes[k].output)] = k;
}

std::string GraphBuilder::fresh_name(std::string const& wanted) {
    std::string name = wanted;
    for (int number = 2; !taken_.insert(name).second; ++number) name = wanted + ":" + std::to_string(number);
    return name;
}

ValueId GraphBuilder::add_value(std::string name, Shape shape, DType dtype) {
    Value value{std::move(name), std::move(shape), dtype};
    if (!fits(value.shape, dtype)) too_large_ = value;
    graph_.values.push_back(std::move(value));
    producer_.emplace_back();
    return ValueId{static_cast<std::int32_t>(graph_.values.size() - 1)};
}

ValueId GraphBuilder::add_leaf(std::string name, Shape shape, DType dtype, tensor::Source source,
                               std::optional<Listing> const& listing) {
    ValueId const id = add_value(std::move(name), std::move(shape), dtype);
    graph_.values.back().listing = listing;
    graph_.leaves.push_back({id, std::move(source)});
    return id;
}

namespace {

/// any and all change even what they take alone: where nothing is aggregated, their join says so, and an aggregation of
/// one element is that element for whoever reads the graph.
void ask_in_join(EinSum& einsum) {
    if (!scalar::info(einsum.agg).asks || !einsum.aggregated().empty()) return;
    einsum.join = scalar::Expr::call(scalar::Op::ne, {std::move(einsum.join), scalar::Expr::integer(0)});
    einsum.agg = scalar::Agg::sum;
}

}  // namespace

ValueId GraphBuilder::add_node(Node node, std::string value_name, Shape shape, DType dtype) {
    if (auto* einsum = std::get_if<EinSum>(&node.op)) ask_in_join(*einsum);
    node.output = add_value(std::move(value_name), std::move(shape), dtype);
    node.loop = loop_;
    ValueId const made = node.output;
    append(std::move(node));
    return made;
}

void GraphBuilder::append(Node node) {
    auto& place = producer_[at(node.output)];
    if (place) {
        graph_.nodes[*place] = std::move(node);
    } else {
        place = graph_.nodes.size();
        graph_.nodes.push_back(std::move(node));
    }
}

Node const* GraphBuilder::producer(ValueId value) const {
    auto const& place = producer_[at(value)];
    return place ? &graph_.nodes[*place] : nullptr;
}

void GraphBuilder::begin_loop(std::string name) {
    Loop loop;
    loop.name = std::move(name);
    loop.outer = loop_;
    loop_ = static_cast<std::int32_t>(graph_.loops.size());
    graph_.loops.push_back(std::move(loop));
}

bool GraphBuilder::is_open(std::int32_t loop) const {
    auto const around = graph_.loops_around(loop_);
    return loop < 0 || std::find(around.begin(), around.end(), loop) != around.end();
}

void GraphBuilder::end_loop(std::int64_t iterations, std::optional<ValueId> condition,
                            std::vector<Loop::Carry> carries) {
    Loop& loop = graph_.loops[static_cast<std::size_t>(loop_)];
    loop.iterations = iterations;
    loop.condition = condition;
    loop.carries = std::move(carries);
    loop_ = loop.outer;
}

void GraphBuilder::fix_parts(ValueId value, Parts parts) {
    auto const& place = producer_[at(value)];
    promise(place.has_value(), "parts of a value that no node makes");
    graph_.nodes[*place].fixed = std::move(parts);
}

void GraphBuilder::shard(ValueId value, Sharding sharding, bool replicated) {
    fix_parts(value, parts_of(graph_.mesh, sharding));
    Node& node = graph_.nodes[*producer_[at(value)]];
    node.sharding = std::move(sharding);
    node.replicated = replicated;
}

void GraphBuilder::set_listing(ValueId value, Listing const& listing) { graph_.values[at(value)].listing = listing; }

void GraphBuilder::set_storage(ValueId value, StorageWish wish, std::string where) {
    auto const& place = producer_[at(value)];
    promise(place.has_value(), "the storage of a result of no node");
    graph_.nodes[*place].storage = wish;
    graph_.nodes[*place].storage_at = std::move(where);
}

void GraphBuilder::rename(ValueId value, std::string const& part) {
    std::string& name = graph_.values[at(value)].name;
    name = fresh_name(name + ":" + part);
}

std::optional<Value> GraphBuilder::take_too_large() {
    std::optional<Value> taken;
    taken.swap(too_large_);
    return taken;
}

std::string NodeBuilder::value_name(std::string const& part) {
    return part.empty() ? name_ : graph_.fresh_name(name_ + ":" + part);
}

void GraphBuilder::slice_contractions(std::size_t first, std::size_t operands, std::vector<std::string> const& labels) {
    for (std::size_t k = first; k < graph_.nodes.size(); ++k) {
        auto const* einsum = std::get_if<EinSum>(&graph_.nodes[k].op);
        if (einsum != nullptr && einsum->operands() == operands) graph_.nodes[k].slicing = Slicing{labels, 0};
    }
}

ValueId NodeBuilder::einsum(std::string const& part, EinSum einsum, std::vector<ValueId> inputs, DType dtype,
                            std::optional<Path> path, Parts fixed) {
    Shape shape = einsum.output_shape();
    Node node{name_, std::move(inputs), ValueId{}, std::move(einsum), std::move(path), std::move(fixed)};
    return graph_.add_node(std::move(node), value_name(part), std::move(shape), dtype);
}

ValueId NodeBuilder::move(std::string const& part, Move move, std::vector<ValueId> inputs, Shape shape, DType dtype) {
    Node node{name_, std::move(inputs), ValueId{}, std::move(move), {}, {}};
    return graph_.add_node(std::move(node), value_name(part), std::move(shape), dtype);
}

ValueId NodeBuilder::reshape(std::string const& part, ValueId input, Shape shape) {
    DType const dtype = value(input).dtype;
    return graph_.add_node(Node{name_, {input}, ValueId{}, Reshape{}, {}, {}}, value_name(part), std::move(shape),
                           dtype);
}

ValueId NodeBuilder::drop_axes(std::string const& part, ValueId input, std::vector<std::size_t> const& axes) {
    if (axes.empty()) return input;
    Shape const whole = value(input).shape;
    Shape shape;
    for (std::size_t axis = 0; axis < whole.size(); ++axis)
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) shape.push_back(whole[axis]);
    return reshape(part, input, std::move(shape));
}

ValueId NodeBuilder::leaf(std::string const& part, Shape shape, DType dtype, tensor::Source source) {
    return graph_.add_leaf(value_name(part), std::move(shape), dtype, std::move(source));
}

ValueId NodeBuilder::cast(std::string const& part, ValueId input, DType dtype) {
    if (value(input).dtype == dtype) return input;
    return einsum(part, identity_einsum(value(input).shape), {input}, dtype);
}

ValueId NodeBuilder::placeholder(Shape shape, DType dtype) {
    return graph_.add_leaf(name_, std::move(shape), dtype, tensor::MissingSource{});
}

}  // namespace ein::graph
