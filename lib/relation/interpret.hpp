// The reference interpreter: computes any value of an EinGraph in one process with plain loops, one element at a time
// (scalar::Evaluator), each value rounded to its dtype.
// Where that would take too long it may contract pairwise instead (Sums::pairwise): in an order of its own, results on
// the way in double precision, shorter loops, the same values but for rounding.
// Computes only what is asked: for a few elements of an output, only the elements that they depend on, and each of
// those once.
// Example: interpret(graph, read_leaf, {}).whole(output) is the tensor that a run must produce.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lib/graph/ein_graph.hpp"
#include "lib/scalar/evaluate/noise.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::relation {

/// Indices wanted along each axis, sorted and distinct: the product of the lists.
using IndexSets = std::vector<std::vector<Extent>>;

/// Reads a box of a leaf.
using ReadLeaf = std::function<void(graph::Leaf const& leaf, Box const& box, std::span<std::byte> out)>;

/// How EinSums that distribute (sums of products, ...) are computed: term by term, or pairwise where that is faster.
enum class Sums : std::uint8_t { as_written, pairwise };

/// What pairwise contraction has come to for a value: another order than a run's somewhere, the run's own everywhere,
/// only products of two operands, or nothing, because everything was as written.
enum class Orders : std::uint8_t { none, products, of_run, another };

class Interpreter {
public:
    /// The graph must outlive the interpreter. `params` override the graph's.
    Interpreter(graph::EinGraph const& graph, ReadLeaf read, scalar::Params const& params = {},
                Sums sums = Sums::as_written);
    ~Interpreter();

    tensor::HostTensor whole(ValueId value);
    /// The elements of the product of index sets, C order over the sets.
    /// @param noise  rounding errors to add wherever a run rounds; without it each value is rounded once, to its dtype
    tensor::HostTensor sample(ValueId value, IndexSets const& indices, scalar::Noise* noise = nullptr);
    /// Scalar operations that sample() would do (see graph::flops), without doing them; a moved element counts one.
    double work(ValueId value, IndexSets const& indices) const;
    /// How long sample() would take, roughly and on every machine alike (see work_time.hpp).
    double seconds(ValueId value, IndexSets const& indices) const;
    /// The bytes of all elements that sample() would read and make.
    double bytes(ValueId value, IndexSets const& indices) const;
    Orders orders(ValueId value, IndexSets const& indices) const;
    /// The longest chain of roundings behind an element of a value (for tolerances): along a way from a leaf each
    /// EinSum adds the elements that it aggregates, at least one. Of a graph whose contractions are lowered it is what
    /// a run does.
    double reduction_length(ValueId value) const;
    /// Loops, of those in no other, that their condition has ended after the first iteration.
    std::vector<std::string> ended_at_once() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ein::relation
