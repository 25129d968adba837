// A scalar expression in a graph file: its text as an Expr, faults with the text and a caret below the place.
// Example: "abs(x-q)" is reported as: expected an operand (x, y), found 'q'; ... with "^" below the q.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/json.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::graph {

struct ReadExpression {
    scalar::Expr expr;
    scalar::AddressGaps places;
};

/// Says more of faults than the parser knows. @param text  the expression
using MendFaults = std::function<void(std::string_view text, std::vector<scalar::ParseFault>& faults)>;

/// Reads a string as an expression of `names`. @return nothing, and a fault, when it is none
std::optional<ReadExpression> read_expression(Cursor const& at, scalar::Names const& names,
                                              MendFaults const& mend = nullptr);

/// The expression's text with a caret below what `where` was read from; "" when that is unknown.
std::string caret_below(Cursor const& at, scalar::AddressGaps const& places, scalar::Node const* where);

}  // namespace ein::graph
