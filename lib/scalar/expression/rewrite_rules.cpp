#include "lib/scalar/expression/rewrite_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

/// With as many digits as f64 tells; nothing for one that f64 takes for infinite.
Expr large_literal(double value) {
    std::array<char, 330> digits{};
    std::snprintf(digits.data(), digits.size(), "%.0f", value);
    return std::isfinite(value) ? Expr::large_integer(digits.data(), value) : Expr{};
}

/// A weak real value of numbers alone, as a number. The reference computes it: what numbers alone give does not depend
/// on the device.
Expr numbers(Rewritable const& at) {
    auto const& args = at.whole.args();
    bool const known = std::all_of(args.begin(), args.end(), [](Expr const& arg) { return arg.op() == Op::number; });
    auto const& type = at.types.front();
    if (args.empty() || !known || !type || !type->weak || is_complex(type->type) || at.whole.op() == Op::position)
        return {};
    Scalar const value = evaluate(at.whole, at.computes.front(), type->type, {}, {}, {});
    if (type->large) return large_literal(value.number.real());
    return value.is_integer ? Expr::integer(value.integer) : Expr::number(value.number.real());
}

/// A cast to the type that the argument has already. f16 and bf16 are computed as f32, so only their own cast shows
/// them.
Expr same_cast(Rewritable const& at) {
    Node const& node = at.whole.node();
    if (node.op != Op::cast) return {};
    Node const& argument = node.args.front().node();
    bool const half = node.cast_to == DType::f16 || node.cast_to == DType::bf16;
    bool const same = !half || (argument.op == Op::cast && argument.cast_to == node.cast_to);
    return same ? node.args.front() : Expr{};
}

bool may_throw(Expr const& expr) {
    auto const parts = arguments_first(expr);
    return std::any_of(parts.begin(), parts.end(), [](Expr const* part) { return part->op() == Op::position; });
}

Expr chosen(Rewritable const& at) {
    auto const& args = at.whole.args();
    if (at.whole.op() != Op::where || args[0].op() != Op::number) return {};
    bool const first = !is_number(args[0], 0);  // nan counts as true
    return may_throw(args[first ? 2 : 1]) ? Expr{} : args[first ? 1 : 2];
}

Expr double_negation(Rewritable const& at) {
    bool const twice = at.whole.op() == Op::neg && at.whole.args().front().op() == Op::neg;
    return twice ? at.whole.args().front().args().front() : Expr{};
}

/// Whether the literal is this number where it meets a type: of reals, with the sign of a zero.
bool is_value(Expr const& literal, double value, DType type) {
    if (!is_number(literal, value)) return false;
    return kind(type) <= Kind::integer || std::signbit(literal.node().value.real()) == std::signbit(value);
}

/// Whether `literal` changes no x of this type: x + -0, but x + 0 of integers alone; never a complex factor, since
/// (a + bi)(1 + 0i) is not a + bi where a or b is infinite, nor a complex term -0, which is -0 + 0i.
bool is_neutral(Op op, Expr const& literal, DType type) {
    std::optional<Neutral> const neutral = info(op).neutral;
    if (!neutral || !is_value(literal, neutral->value, type)) return false;
    return !is_complex(type) || op == Op::sub || op == Op::pow;
}

template <class Holds>
bool under_every_type(Rewritable const& at, Holds const& holds) {
    return std::all_of(at.types.begin(), at.types.end(), [&](auto const& type) { return !type || holds(type->type); });
}

Expr neutral(Rewritable const& at) {
    Op const op = at.whole.op();
    if (!info(op).neutral) return {};
    auto const& args = at.whole.args();
    auto const neutral = [&](Expr const& literal) {
        return under_every_type(at, [&](DType type) { return is_neutral(op, literal, type); });
    };
    if (neutral(args[1])) return args[0];
    return info(op).neutral->left && neutral(args[0]) ? args[1] : Expr{};
}

/// 0 - x is -x of integers; of reals -0 - x is.
Expr from_zero(Rewritable const& at) {
    if (at.whole.op() != Op::sub) return {};
    auto const& args = at.whole.args();
    bool const negates =
        under_every_type(at, [&](DType type) { return !is_complex(type) && is_value(args[0], -0.0, type); });
    return negates ? Expr::call(Op::neg, {args[1]}) : Expr{};
}

constexpr std::array<RewriteRule, 6> rules{{{"numbers", numbers},
                                            {"same cast", same_cast},
                                            {"choice by a number", chosen},
                                            {"neutral", neutral},
                                            {"double negation", double_negation},
                                            {"from zero", from_zero}}};

}  // namespace

std::span<RewriteRule const> rewrite_rules() { return rules; }

}  // namespace ein::scalar
