// One extended Einstein summation: out[l_Z] = agg over the other labels of join(x[l_X], y[l_Y], ...).
// A value that knows labels and extents; which tensors it reads is in EinGraph, how it is cut in a Plan.
// Example: "ij,jk->ik" has labels (i, j, k), inputs ((0, 1), (1, 2)) and output (0, 2); label 1 is aggregated.
// Source: [E] section 3.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/agg.hpp"
#include "lib/scalar/expression/expr.hpp"

namespace ein::graph {

struct EinSum {
    std::vector<std::string> labels;       // names; in messages, plans and [label]
    Shape extents;                         // of each label
    std::vector<std::vector<int>> inputs;  // for each operand the label of each axis (twice the same: its diagonal)
    std::vector<int> output;               // distinct labels; one that no operand has is a broadcast
    scalar::Expr join;
    scalar::Agg agg = scalar::Agg::sum;
    std::optional<DType> compute = {};  // that the join runs in, where it is not what graph::compute_type says

    std::size_t operands() const { return inputs.size(); }
    bool aggregates(int label) const;  // the output lacks it
    bool aggregates_any() const { return output.size() < labels.size(); }
    std::vector<int> aggregated() const;  // labels that the output lacks, in order
    Shape output_shape() const;
    friend bool operator==(EinSum const&, EinSum const&) = default;
};

/// Copies one tensor: out[i...] = x[i...] (join x, no aggregation).
EinSum identity_einsum(Shape const& shape);

/// Whether it is such a copy, whatever its labels are called.
bool is_copy(EinSum const& einsum);

/// Aggregates over two operands each of which lacks what the other brings to the output: a product of matrices,
/// whatever its join.
bool is_rows_by_columns(EinSum const& einsum);

/// Scalar operations that evaluating the join and the aggregation takes over `lengths` (one for each label):
/// a multiply-add counts two; a lookup (see as_lookup, indicator.hpp) counts one an output element, a scatter or a
/// count one an element that is added; a plain copy none.
double flops(EinSum const& einsum, std::span<Extent const> lengths);

/// Whether the EinSum picks elements by position: sum over v of where(y == [v], x, 0), in either order of the
/// comparison, v an axis of x that y and the output lack. It can then run as a lookup: out = x[..., y[...], ...].
struct Lookup {
    int data = 0;       // operand that is read at a position
    int positions = 1;  // operand that holds the positions
    int label = 0;      // the label that the positions are of
};
std::optional<Lookup> as_lookup(EinSum const& einsum);
/// Its converse: sum of where(y == [v], x, 0) over labels of y, v an axis of the output that x and y lack. It can then
/// run as a scatter: out[..., y[...], ...] += x[...].
std::optional<Lookup> as_scatter(EinSum const& einsum);
/// The same under further aggregations: products, where 1 stands for what a position does not name; the least and the
/// greatest, where any number may. Example: the greatest by group is the max of where(y == [v], x, -inf).
std::optional<Lookup> as_grouping(EinSum const& einsum);

}  // namespace ein::graph
