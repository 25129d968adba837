// What an op's reader works with: its attributes, its inputs' shapes, and the nodes that it becomes.
// A reader first reads every attribute, then asks ready(): so attributes are checked even where an input is unknown.
// Example: {"op": "softmax", "axes": [1]}: attribute axes() is {1}; normalized_axes of it for order 3 is {1}.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/graph/read/node_context.hpp"
#include "lib/scalar/expression/parse/spellings.hpp"

namespace ein::graph {

/// Axes as written, and where, for faults.
struct AxesAttribute {
    Cursor at;
    std::optional<std::vector<std::int64_t>> list;  // nothing: not given (or a fault)
};

class OpReader {
public:
    /// @param name  of the op's row: what the node says may be another spelling of it
    OpReader(NodeContext& context, std::string_view name)
        : context_(context),
          name_(name),
          build(context.graph, context.name),
          faults_before_(context.node.faults().list().size()) {}

    Cursor const& node() const { return context_.node; }
    std::string const& op_name() const { return name_; }
    DType default_dtype() const { return context_.default_dtype; }

    /// Whether every input is known and no attribute has a fault: only then may the rest of this class be asked.
    bool ready() const { return context_.inputs_known() && context_.node.faults().list().size() == faults_before_; }

    std::size_t inputs() const { return context_.inputs.size(); }
    Cursor input_at(std::size_t k) const { return context_.input_at(k); }
    ValueId input(std::size_t k) const { return *context_.inputs[k]; }
    Value const& value(std::size_t k) const { return context_.graph.value(input(k)); }
    std::size_t order(std::size_t k = 0) const { return value(k).shape.size(); }
    /// "'X' (inputs/0) of shape (4, 3)"
    std::string describe(std::size_t k) const;

    // Attributes. Each adds a fault and gives nothing when the value is of another kind.
    /// The attribute, under this key or another spelling of it; a fault when there are two.
    std::optional<Cursor> attribute(std::string const& key) const;
    /// The attribute's place for faults; the node's where it is not given.
    Cursor place_of(std::string const& key) const { return attribute(key).value_or(node()); }
    std::optional<DType> dtype() const;  // "dtype"
    AxesAttribute axes() const;          // "axes" or "axis": a number or a list
    std::optional<std::int64_t> integer(std::string const& key) const;
    std::optional<double> number(std::string const& key) const;
    bool flag(std::string const& key) const;  // false by default

    /// Sorted axes from 0 to order - 1; `otherwise` when none are given. Nothing, and a fault, when one is out of range
    /// or twice.
    std::optional<std::vector<std::size_t>> normalized(AxesAttribute const& axes, std::size_t order,
                                                       std::vector<std::size_t> otherwise) const;
    /// Those of input 0; its last axis when none are given.
    std::optional<std::vector<std::size_t>> normalized_or_last(AxesAttribute const& axes) const;
    /// The same in the order written.
    std::optional<std::vector<std::size_t>> in_order(AxesAttribute const& axes, std::size_t order) const;
    /// One axis from -order to order - 1 as 0 to order - 1.
    std::optional<std::size_t> one_axis(Cursor const& at, std::int64_t axis, std::size_t order) const;

    /// What is sound and hardly meant of this node. @param text  without its name
    void note(std::string const& text) const { context_.notes.push_back("node '" + context_.name + "': " + text); }
    /// The same of two inputs that broadcast to `result`.
    void note_broadcast(Shape const& result) const;

    /// A fault at input k.
    void fail_input(std::size_t k, std::string expected, std::string found, std::string fix) const;
    /// Refuses complex inputs: `what` has no meaning for them.
    bool check_real(std::size_t k, std::string const& what) const;

private:
    NodeContext& context_;
    std::string name_;

public:
    NodeBuilder build;

private:
    std::size_t faults_before_;
};

using OpResult = std::optional<ValueId>;

/// One op: its name, how many inputs it takes, its attributes, and its reader.
struct OpEntry {
    std::string_view name;
    std::size_t least_inputs, most_inputs;
    std::vector<std::string_view> attributes;
    OpResult (*read)(OpReader& op);
};

/// What has a row of its own: macros and structural ops, then every function of joins and every aggregation.
std::span<OpEntry const> op_table();
/// The row of an op by its name or another spelling; nothing for an unknown one.
OpEntry const* op_row(std::string_view written);

/// Other spellings of ops, and of attributes: what takes an attribute takes it under each.
std::span<scalar::Taken const> taken_ops();
std::span<scalar::Taken const> taken_attributes();
/// Names that could mean two ops.
std::span<scalar::TwoMeanings const> ambiguous_ops();

// softmax.cpp
OpResult read_softmax(OpReader& op);
OpResult read_log_softmax(OpReader& op);
// aggregate.cpp: the aggregation that the op is called after
OpResult read_aggregation(OpReader& op);
// elementwise.cpp: the function that the op is called after; min and max of one tensor aggregate
OpResult read_elementwise(OpReader& op);
OpResult read_least_or_greatest(OpReader& op);
// products.cpp
OpResult read_matmul(OpReader& op);
OpResult read_dot(OpReader& op);
OpResult read_outer(OpReader& op);
// normalize.cpp
OpResult read_rms_norm(OpReader& op);
OpResult read_layer_norm(OpReader& op);
// rearrange.cpp
OpResult read_reshape(OpReader& op);
OpResult read_squeeze(OpReader& op);
OpResult read_transpose(OpReader& op);
OpResult read_cast(OpReader& op);
OpResult read_concat(OpReader& op);
// lookup.cpp
OpResult read_gather(OpReader& op);
OpResult read_one_hot(OpReader& op);
// slice.cpp, pad.cpp
OpResult read_slice(OpReader& op);
OpResult read_pad(OpReader& op);

}  // namespace ein::graph
