// A graph of EinSums and structural operations, verified: an EinGraph that exists is valid. Macros (softmax, mean, ...)
// are already EinSums; nodes are in topological order; nothing is in it that no output needs. Leaves reading JSON to
// read_graph.hpp, contraction orders to contract.hpp, cutting to planner/. Example: tensors A, B and node AB =
// "ij,jk->ik": values A (0), B (1), AB (2); leaves 0 and 1; one node; outputs {2}.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/base/ids.hpp"
#include "lib/base/partition.hpp"
#include "lib/graph/einsum.hpp"
#include "lib/graph/mesh.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/source.hpp"

namespace ein::graph {

/// Of a tensor that is kept sparse: what is not listed, and how many elements are.
struct Listing {
    scalar::Scalar fill;                               // in the tensor's dtype
    std::optional<double> listed = {};                 // estimated, once leaves are counted
    Extent most = std::numeric_limits<Extent>::max();  // and no more than that; of a leaf as read: "listed"
};

/// A tensor of the graph: a leaf or the output of a node. `name` is unique; values that lowering made have ':' in it.
struct Value {
    std::string name;
    Shape shape;
    DType dtype = DType::f32;
    std::optional<Listing> listing = {};  // nothing: it is dense
    std::int64_t bytes() const { return element_count(shape) * static_cast<std::int64_t>(size_of(dtype)); }
};

/// A leaf: a value with its data.
struct Leaf {
    ValueId value;
    tensor::Source source;
};

/// The index that one axis reads: input index = start + step * position, positions counted from the beginning of a
/// Move's region (or, in a schedule's Movement, from that of the output).
struct AxisMap {
    Extent start = 0;
    Extent step = 1;  // never 0
    friend bool operator==(AxisMap const&, AxisMap const&) = default;
};

/// Elements moved without change: slice, concat and constant pad. Input k lands in regions[k] of the output (disjoint
/// boxes); what no region covers is `fill`.
struct Move {
    struct Region {
        Box box;                    // in the output's indices
        std::vector<AxisMap> axes;  // of the input, for each axis
        friend bool operator==(Region const&, Region const&) = default;
    };
    std::vector<Region> regions;  // one an input
    std::optional<scalar::Scalar> fill;
};

/// The same elements in C order under another shape.
struct Reshape {};

/// Pairs of operand positions, opt_einsum's linear format: each contracted pair is removed and its result appended.
using Path = std::vector<std::pair<int, int>>;

/// How a graph file wants the result of a node to be kept. none: as is smaller.
enum class StorageWish : std::uint8_t { none, sparse, dense };

/// Labels of a product of many operands that are run through one combination of indices after the other, in a loop
/// whose results are aggregated: results on the way are smaller by their extents. `at_once` combinations are in one
/// iteration.
struct Slicing {
    std::vector<std::string> labels;
    Extent at_once = 1;
    friend bool operator==(Slicing const&, Slicing const&) = default;
};

struct Node {
    std::string name;  // the user's node, for messages; several nodes when a macro was lowered
    std::vector<ValueId> inputs;
    ValueId output;
    std::variant<EinSum, Move, Reshape> op;
    std::optional<Path> path;  // of an n-ary EinSum whose graph file gives one; lower_contractions follows it
    Parts fixed;  // the part count that the graph file gives each label (Move, Reshape: axis), 0 where it gives none;
                  // empty: it gives none at all
    std::int32_t loop = -1;  // the innermost loop that it is in, in EinGraph::loops, or -1
    std::optional<Sharding> sharding =
        {};  // of an identity: where its blocks lie; the parts that it says are in `fixed` too
    bool replicated =
        false;  // and all ranks have them along the axes of the mesh that it does not name, not the first alone
    StorageWish storage = StorageWish::none;
    std::string storage_at = {};          // where the graph file says so, a JSON pointer
    std::optional<Slicing> slicing = {};  // of an n-ary EinSum with a path; lower_contractions makes a loop of it
};

/// Nodes that run again and again. Nothing after the loop reads what they make but what is carried.
/// Example: W -> inside; body: next = f(inside, ...), result = next; then inside is result, until `iterations` or the
/// condition end it.
struct Loop {
    static constexpr std::int64_t most_iterations = 1'000'000'000;  // that a graph may ask for
    struct Carry {
        ValueId inside;  // of a node before the loop, an identity: what the first iteration begins with
        ValueId result;  // of a node of the loop, an identity: what the next iteration begins with; in the end its last
    };
    std::string name;
    std::int32_t outer = -1;           // the loop that it is in, or -1
    std::int64_t iterations = 1;       // at most, and at least 1
    std::optional<ValueId> condition;  // a scalar of one of its nodes: no other iteration when it is 0
    std::vector<Carry> carries;
};

class EinGraph {
public:
    std::string name;
    std::vector<Value> values;  // by ValueId
    std::vector<Leaf> leaves;
    std::vector<Node> nodes;  // by NodeId, each after the producers of its inputs; those of a loop follow one another
    std::vector<Loop> loops;
    Mesh mesh;                     // that shardings name; without axes: none
    std::vector<ValueId> outputs;  // in the order of the graph file; distinct; may be leaves
    scalar::Params params;         // default values

    Value const& value(ValueId id) const { return values[static_cast<std::size_t>(id.value())]; }
    Node const& node(NodeId id) const { return nodes[static_cast<std::size_t>(id.value())]; }
    /// For each value the node that makes it, or nothing for a leaf.
    std::vector<std::optional<NodeId>> producers() const;
    /// The loops that a node of `loop` is in, the innermost first.
    std::vector<std::int32_t> loops_around(std::int32_t loop) const;
    /// The loop directly within `outer` (-1: the graph) that `loop` is, or is in; -1 where it is in none.
    std::int32_t loop_within(std::int32_t outer, std::int32_t loop) const;
    /// For each value the loop in whose iterations it changes, or -1: that of the node that makes it; of what is
    /// carried, the loop that it is inside of, or the one around it for what is there afterwards.
    std::vector<std::int32_t> loops_of_values() const;
    /// How often a node of `loop` runs: the iterations of the loops around it, as many as there may be.
    std::int64_t iterations(std::int32_t loop) const;
    /// The same for each value: how often it changes.
    std::vector<std::int64_t> iterations_of_values() const;
    /// For each value the nodes that read it, in order, each once.
    std::vector<std::vector<NodeId>> consumers() const;
};

/// What a node is cut along: an EinSum's extents by label, else the output's shape; and what each is called (the label,
/// or the axis as "0", "1", ...).
Shape const& cut_extents(EinGraph const& graph, Node const& node);
std::string cut_name(Node const& node, std::size_t k);

/// The type that a join runs in: see ein::compute_dtype; but real operands of a complex output stay real where the join
/// has no type for complex ones (complex(x, y), max, floor, ...), and an i64 that is only converted stays i64: by way
/// of f64 it would be rounded twice.
DType compute_type(scalar::Expr const& join, std::span<DType const> inputs, DType output);

/// The type that a node's join runs in, and the one that its partial results are kept in.
struct EinSumTypes {
    DType compute;
    DType accumulate;
};
EinSumTypes types_of(EinGraph const& graph, Node const& node);
/// The same from the types of the operands and of the output. @throws InternalError when the join has no type for them
EinSumTypes types_of(EinSum const& einsum, std::span<DType const> inputs, DType output);

/// The type that partial results are kept in. Sums and products of comparisons (bool) or of other exact values count in
/// the output's type when that is of a wider kind: sum of x > y into f32 is a count, into bool it is "any". An i64 of
/// which nothing is aggregated stays one until it is stored.
DType accumulate_type(EinSum const& einsum, DType join, DType output);

/// @throws InternalError when an EinGraph breaks one of its promises; called after every pass. `pass` is named in the
/// message.
void verify(EinGraph const& graph, std::string const& pass);

}  // namespace ein::graph
