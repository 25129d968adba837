// The table of operations as everybody reads it: info(op) is the op's row.
// Leaves the rows to operations/table.hpp, grammar to parse.cpp and print.cpp.
// Example: info(Op::where) has the name "where" and three arguments; function_from_name("where") is Op::where.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/scalar/operations/operation.hpp"

namespace ein::scalar {

inline constexpr int op_count = static_cast<int>(Op::where) + 1;

Operation const& info(Op op);
/// Whether its values are 0 and 1: comparisons, and, or, not.
bool is_truth(Op op);

Form form(Op op);

/// "'<'" or "'floor'": for messages.
std::string quoted(Op op);

/// The function called `name` (pow is Op::pow); nothing for cast_<dtype>, which needs its dtype, and for unknown names.
std::optional<Op> function_from_name(std::string_view name);

/// An operator between two arguments, and how tight it binds: tighter is larger.
struct Infix {
    Op op;
    int binds;
};
/// The operator that is written so, "and", "or" and "%" among them; ^ is none, it binds tighter than a minus before it.
std::optional<Infix> infix_from_text(std::string_view text);

/// Every name that may stand before '(' (cast_<dtype> for each dtype included), for suggesting the nearest.
std::span<std::string const> function_names();

}  // namespace ein::scalar
