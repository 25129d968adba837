// An EinGraph while it is being made: adds leaves and nodes under unique names and notices tensors that no machine can
// hold. NodeBuilder adds what one node of the user becomes: its own value, and parts named "NODE:PART". Example:
// NodeBuilder(graph, "P").einsum("max", ...) makes the value "P:max"; einsum("", ...) makes "P".
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
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
    bool is_reserved(std::string const& name) const { return taken_.contains(name); }
    /// `wanted`, or `wanted` with a number when that is taken; the result is then taken.
    std::string fresh_name(std::string const& wanted);

    ValueId add_leaf(std::string name, Shape shape, DType dtype, tensor::Source source,
                     std::optional<Listing> const& listing = {});
    ValueId add_node(Node node, std::string value_name, Shape shape, DType dtype);
    /// A node that makes a value which is already there; it takes the place of the node that made it so far, if there
    /// is one.
    void append(Node node);
    /// The node that makes a value; nothing for a leaf. Valid until the next node is added.
    Node const* producer(ValueId value) const;
    /// Fixes into how many parts the node that makes `value` is cut (Node::fixed).
    void fix_parts(ValueId value, Parts parts);
    /// The same for an identity, with the ranks that its blocks are on (Node::sharding).
    void shard(ValueId value, Sharding sharding, bool replicated);
    /// A value is kept sparse.
    void set_listing(ValueId value, Listing const& listing);
    /// How the node that makes `value` must keep it. @param where  the graph file says so, a JSON pointer
    void set_storage(ValueId value, StorageWish wish, std::string where);
    /// Parts that the graph fixes for `value` are those of the node that makes `inside`, which has all labels of the
    /// user's node.
    void cut_at(ValueId value, ValueId inside) { cut_at_.insert_or_assign(value, inside); }
    ValueId cut_of(ValueId value) const {
        auto const inside = cut_at_.find(value);
        return inside == cut_at_.end() ? value : inside->second;
    }
    /// Gives a value's name away: `part` of it is its own from now on.
    void rename(ValueId value, std::string const& part);
    void set_mesh(Mesh mesh) { graph_.mesh = std::move(mesh); }
    Mesh const& mesh() const { return graph_.mesh; }
    /// Of the nodes from `first` on, those that contract so many operands are to be sliced over the labels that they
    /// have; at_once 0 says that the file asks for it, and how many at once is chosen when ranks are known.
    void slice_contractions(std::size_t first, std::size_t operands, std::vector<std::string> const& labels);
    /// Says that what reads `value` would give the same whatever it were, as softmax does of the maximum that it
    /// subtracts: gradients need not go there.
    void hold_constant(ValueId value) { constant_.insert(value); }
    bool is_held_constant(ValueId value) const { return constant_.count(value) > 0; }

    /// Nodes that are added from now on are in a loop, to end_loop.
    void begin_loop(std::string name);
    void end_loop(std::int64_t iterations, std::optional<ValueId> condition, std::vector<Loop::Carry> carries);
    /// Whether nodes that are added now are in the loop; they are in -1, the graph.
    bool is_open(std::int32_t loop) const;
    bool in_loop() const { return loop_ >= 0; }
    /// Nodes that are added from now on are in this loop, which is there already. @return the one that they were in
    std::int32_t go_to_loop(std::int32_t loop) { return std::exchange(loop_, loop); }

    Value const& value(ValueId id) const { return graph_.value(id); }
    /// The last value that is larger than any tensor may be, reported once.
    std::optional<Value> take_too_large();

    /// What there is so far; nodes need not be in order yet.
    EinGraph const& graph() const { return graph_; }
    EinGraph take() { return std::move(graph_); }

private:
    ValueId add_value(std::string name, Shape shape, DType dtype);

    EinGraph graph_;
    std::vector<std::optional<std::size_t>> producer_;  // by value: the position of its node
    std::unordered_set<ValueId> constant_;
    std::unordered_map<ValueId, ValueId> cut_at_;
    std::unordered_set<std::string> taken_;
    std::optional<Value> too_large_;
    std::int32_t loop_ = -1;  // of nodes that are added
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
    /// Without these axes, each of extent 1; the value itself when there are none.
    ValueId drop_axes(std::string const& part, ValueId input, std::vector<std::size_t> const& axes);
    /// A small tensor of the graph's own, such as positions to look up.
    ValueId leaf(std::string const& part, Shape shape, DType dtype, tensor::Source source);
    /// The same tensor in another dtype; the value itself when it has that dtype.
    ValueId cast(std::string const& part, ValueId input, DType dtype);
    void hold_constant(ValueId value) { graph_.hold_constant(value); }
    void cut_at(ValueId value, ValueId inside) { graph_.cut_at(value, inside); }
    /// A value that stands for one whose node has faults, so that what reads it can still be checked.
    ValueId placeholder(Shape shape, DType dtype);

private:
    std::string value_name(std::string const& part);

    GraphBuilder& graph_;
    std::string name_;
};

}  // namespace ein::graph
