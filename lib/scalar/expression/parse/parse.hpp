// Text to Expr and back; size(label) becomes a number. The grammar is NumPy's and C's where they agree: || then && then
// comparisons then + - then * / then unary - + ! then ^ (right-associative, binds tighter than unary minus on its left:
// -x^2 is -(x^2)). What Python's and NumPy's users write otherwise is taken too (spellings.hpp) and printed as ours.
// Example: parse("abs(x-y)", {2 operands}) prints as "abs(x - y)"; constants print so that they read back the same
// bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// The names that an expression may use.
struct Names {
    int operands = 0;
    std::vector<std::string> labels;  // position in this list is Op::index's slot
    std::vector<std::string> params;
    std::vector<std::int64_t> extents = {};  // of the labels, for size(label); empty: not known
    std::vector<std::string> tensors = {};   // what each operand is called too; empty: nothing
};

/// Faults that who knows the node has more to say of: an aggregation in a join, an operand with an index.
enum class FaultKind : std::uint8_t { other, aggregation, indexed };

/// What is wrong with an expression; `where` is the offset in the text, `caret()` the text with a caret line below the
/// place.
struct ParseFault {
    std::size_t where = 0;
    std::string expected;
    std::string found;
    std::string fix;
    FaultKind kind = FaultKind::other;
};

/// Where in the text an operation or number stands, by node of the expression.
using AddressGaps = std::unordered_map<Node const*, std::size_t>;

struct ParseResult {
    Expr expr;                       // empty when there are faults
    AddressGaps places;              // for faults that are found later
    std::vector<ParseFault> faults;  // the first fault, and every unknown name after it
};

/// @param most_depth  operations that may stand upon one another
ParseResult parse(std::string_view text, Names const& names, int most_depth = max_depth);

/// The text on one line with "^" under offset `where`: two lines.
std::string with_caret(std::string_view text, std::size_t where);

/// Reads back to an equal Expr with the same names. Operands print as x, y, z up to three, else x0, x1, ...
std::string print(Expr const& expr, Names const& names);

}  // namespace ein::scalar
