// The table of operations: what each is called in text and how many arguments it takes.
// Leaves precedence to parse.cpp and print.cpp, types to typing.hpp.
// Example: info(Op::where) is {"where", 3, Spelling::function}; function_from_name("where") is Op::where.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

inline constexpr int op_count = static_cast<int>(Op::where) + 1;

enum class Spelling : std::uint8_t { leaf, prefix, infix, function };

struct OpInfo {
    std::string_view name;  // "+" or "where"
    int arity = 0;
    Spelling spelling = Spelling::leaf;
};

OpInfo const& info(Op op);

/// "'<'" or "'floor'": for messages.
std::string quoted(Op op);

/// The function called `name` (pow is Op::pow); nothing for cast_<dtype>, which needs its dtype, and for unknown names.
std::optional<Op> function_from_name(std::string_view name);

/// Every name that may stand before '(' (cast_<dtype> for each dtype included), for suggesting the nearest.
std::span<std::string const> function_names();

}  // namespace ein::scalar
