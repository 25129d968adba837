// The join of an EinSum node: its text as an Expr, faults with the text and a caret below the place, and the check of
// its types. Example: "abs(x-q)" is reported as: expected an operand (x, y), found 'q'; ... with "^" below the q.
#pragma once

#include <optional>

#include "lib/base/json.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/graph/read/einsum/read_expression.hpp"

namespace ein::graph {

using Join = ReadExpression;  // no places without a "join"

/// @param node  the node; without a "join" the join is the product of all operands
/// @return nothing when it has a fault
std::optional<Join> read_join(Cursor const& node, scalar::Names const& names, MendFaults const& mend = nullptr);

/// The type of a join of operands of `inputs` under an output type; nothing, and a fault, when it has none.
/// @param compute  that it runs in, where that is not what graph::compute_type says
std::optional<DType> check_join_type(Cursor const& node, Join const& join, std::vector<DType> const& inputs,
                                     DType output, std::optional<DType> compute = {});

/// The same of any expression in the file, at its place.
std::optional<DType> check_expression_type(Cursor const& at, ReadExpression const& expression,
                                           std::vector<DType> const& inputs, DType output,
                                           std::optional<DType> compute = {});

/// x0 * x1 * ..., as a balanced tree where a chain would be too deep.
scalar::Expr product_of_all(std::size_t operands);

}  // namespace ein::graph
