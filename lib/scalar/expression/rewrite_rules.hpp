// The rules by which simplify.cpp shortens expressions, each by name. No rule changes a bit of a result, for no type
// and no value, signs of zeros, infinities and nans included; what two nans differ in is not looked at. A test
// evaluates both sides of every rule on special values, and names the rule that fails it. Leaves walking expressions
// to simplify.cpp. Example: "neutral" makes x of x - 0, and of x + 0 where x is an integer: of a real -0 it would not
// be -0 + 0.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lib/scalar/expression/expr.hpp"
#include "lib/scalar/expression/typing.hpp"

namespace ein::scalar {

/// An expression whose arguments are simplified already.
struct Rewritable {
    Expr const& whole;
    std::span<DType const> computes;                  // types that operands may have
    std::span<std::optional<ValueType> const> types;  // of the whole, one for each; nothing: refused
};

struct RewriteRule {
    std::string_view name;
    Expr (*apply)(Rewritable const&);  // what may stand for the whole if it has the same types; empty: nothing
};

/// In the order in which they are tried.
std::span<RewriteRule const> rewrite_rules();

}  // namespace ein::scalar
