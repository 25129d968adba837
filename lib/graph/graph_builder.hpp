// An EinGraph while it is being made: adds leaves and nodes under unique names and notices tensors that no machine can hold.
// NodeBuilder adds what one node of the user becomes: its own value, and parts named "NODE:PART".
// Example: NodeBuilder(graph, "P").einsum("max", ...) makes the value "P:max"; einsum("", ...) makes "P".
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// The most bytes that one tensor may have: positions and byte counts stay far from overflow.
inline constexpr Extent max_tensor_bytes = Extent{1} << 62;

/// Whether a tensor of this shape and type has at most max_tensor_bytes; extents of 0 count as 1, so that
/// strides do not overflow either.
bool fits(Shape const& shape, DType dtype);

class GraphBuilder {
public:
    GraphBuilder() = default;
    /// Begins with the values, leaves and nodes of `graph`, whose names are taken.
    explicit GraphBuilder(EinGraph graph);

    /// Keeps a name that the user gave from being used for a part.
    void reserve_name(std::string const& name) { taken_.insert(name); }
    /// `wanted`, or `wanted` with a number when that is taken; the result is then taken.
    std::string fresh_name(std::string const& wanted);

    ValueId add_leaf(std::string name, Shape shape, DType dtype, tensor::Source source);
    ValueId add_node(Node node, std::string value_name, Shape shape, DType dtype);
    /// A node that makes a value which is already there.
    void append(Node node) { graph_.nodes.push_back(std::move(node)); }

    Value const& value(ValueId id) const { return graph_.value(id); }
    /// The last value that is larger than any tensor may be, told once.
    std::optional<Value> take_too_large();

    EinGraph take() { return std::move(graph_); }

private:
    ValueId add_value(std::string name, Shape shape, DType dtype);

    EinGraph graph_;
    std::unordered_set<std::string> taken_;
    std::optional<Value> too_large_;
};

class NodeBuilder {
public:
    NodeBuilder(GraphBuilder& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

    std::string const& name() const { return name_; }
    Value const& value(ValueId id) const { return graph_.value(id); }

    ValueId einsum(std::string const& part, EinSum einsum, std::vector<ValueId> inputs, DType dtype,
                   std::optional<Path> path = {}, Parts fixed = {});
    /// One Move of inputs that all have the output's dtype.
    ValueId move(std::string const& part, Move move, std::vector<ValueId> inputs, Shape shape, DType dtype);
    ValueId reshape(std::string const& part, ValueId input, Shape shape);
    /// A small tensor of the graph's own, such as positions to look up.
    ValueId leaf(std::string const& part, Shape shape, DType dtype, tensor::Source source);
    /// The same tensor in another dtype; the value itself when it has that dtype.
    ValueId cast(std::string const& part, ValueId input, DType dtype);
    /// A value that stands for one whose node has faults, so that what reads it can still be checked.
    ValueId placeholder(Shape shape, DType dtype);

private:
    std::string value_name(std::string const& part);

    GraphBuilder& graph_;
    std::string name_;
};

}  // namespace ein::graph
