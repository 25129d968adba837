// The reference interpreter: computes any value of an EinGraph in one process with plain loops, one element at a time
// (scalar::Evaluator), each value rounded to its dtype.
// Computes only what is asked: for a few elements of an output, only the elements that they depend on, and each of
// those once.
// Example: interpret(graph, read_leaf, {}).whole(output) is the tensor that a run must produce.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/scalar/evaluate/noise.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::relation {

/// Indices wanted along each axis, sorted and distinct: the product of the lists.
using IndexSets = std::vector<std::vector<Extent>>;

/// Reads a box of a leaf.
using ReadLeaf = std::function<void(graph::Leaf const& leaf, Box const& box, std::span<std::byte> out)>;

class Interpreter {
public:
    /// The graph must outlive the interpreter. `params` override the graph's.
    Interpreter(graph::EinGraph const& graph, ReadLeaf read, scalar::Params const& params = {});
    ~Interpreter();

    tensor::HostTensor whole(ValueId value);
    /// The elements of the product of index sets, C order over the sets.
    /// @param noise  rounding errors to add wherever a run rounds; without it each value is rounded once, to its dtype
    tensor::HostTensor sample(ValueId value, IndexSets const& indices, scalar::Noise* noise = nullptr);
    /// Scalar operations that sample() would do (see graph::flops), without doing them; a moved element counts one.
    double work(ValueId value, IndexSets const& indices) const;
    /// The longest chain of roundings behind an element of a value (for tolerances): along a way from a leaf each
    /// EinSum adds the elements that it aggregates, at least one.
    double reduction_length(ValueId value) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ein::relation
