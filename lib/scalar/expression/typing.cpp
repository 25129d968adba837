#include "lib/scalar/expression/typing.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/integers.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

ValueType strong(DType type) { return {type, false, std::nullopt, false}; }
ValueType weak(DType type) { return {type, true, std::nullopt, false}; }
ValueType large_integer() { return {DType::f64, true, std::nullopt, true}; }

bool is_whole(ValueType const& value) { return value.large || is_exact(value.type); }

DType real_part(DType type) {
    if (type == DType::c64) return DType::f32;
    return type == DType::c128 ? DType::f64 : type;
}

/// What a weak value becomes beside a strong one.
DType meet(DType weak, DType strong) {
    if (kind(weak) <= kind(strong)) return strong;
    if (!is_complex(weak)) return weak;  // i64 beside bool, f64 beside integers
    return strong == DType::f32 ? DType::c64 : DType::c128;
}

ValueType common(ValueType const& a, ValueType const& b) {
    ValueType made = a.weak && b.weak ? weak(promote(a.type, b.type))
                     : a.weak         ? strong(meet(a.type, b.type))
                     : b.weak         ? strong(meet(b.type, a.type))
                                      : strong(promote(a.type, b.type));
    made.large = (a.large || b.large) && is_whole(a) && is_whole(b);
    return made;
}

Typing uniform(ValueType const& value) { return {value, value.type}; }

/// sqrt, exp, ... of integers are f64.
ValueType as_float(ValueType value) {
    value.constant.reset();
    value.chosen.reset();
    value.large = false;
    if (is_exact(value.type)) value.type = DType::f64;
    return value;
}

/// Whether the operation needs an order, as comparisons and the choice of the least do, rather than a rounding.
bool needs_order(Op op) {
    return info(op).type == TypeRule::comparison || op == Op::min || op == Op::max || op == Op::sign;
}

void refuse_complex(Op op, DType type) {
    if (is_complex(type))
        throw Refused{quoted(op) + " of complex numbers" + (needs_order(op) ? " (they have no order)" : "")};
}

/// Arithmetic of bools counts, except + and * of a graph of bools, which are "or" and "and".
ValueType arithmetic(Op op, ValueType value, DType compute) {
    bool const logic = compute == DType::boolean && (op == Op::add || op == Op::mul);
    if (value.type == DType::boolean && !logic) value.type = DType::i64;
    return value;
}

/// Known weak integers stay known; where they would overflow the result is large, as 2^100 is.
Typing weak_integers(Op op, ValueType const& a, ValueType const& b) {
    if (op == Op::pow && b.constant && *b.constant < 0) return uniform(weak(DType::f64));
    if (!a.constant || !b.constant) return uniform(weak(DType::i64));
    auto const value = exact_integer(op, *a.constant, *b.constant);
    if (!value) return uniform(large_integer());
    return uniform({DType::i64, true, value, false});
}

Typing binary_arithmetic(Op op, ValueType const& a, ValueType const& b, DType compute) {
    ValueType value = arithmetic(op, common(a, b), compute);
    if (op == Op::mod) refuse_complex(op, value.type);
    if (op == Op::div) return uniform(as_float(value));
    if (value.weak && is_exact(value.type)) return weak_integers(op, a, b);
    bool const reciprocal = op == Op::pow && b.constant && *b.constant < 0;
    return uniform(reciprocal ? as_float(value) : value);
}

/// Whether an integer beside one of `type` has a place in it: a weak 300 must not wrap before it is compared with a u8.
bool fits(ValueType const& value, DType type) {
    if (!value.weak) return promote(value.type, type) == type;
    return value.constant && !value.large && wrap(*value.constant, type) == *value.constant;
}

Typing comparison(Op op, ValueType const& a, ValueType const& b) {
    ValueType const met = common(a, b);
    DType work = met.type;
    if (op != Op::eq && op != Op::ne) refuse_complex(op, work);
    if (is_exact(work) && !(fits(a, work) && fits(b, work) && kind(work) == Kind::integer)) work = DType::i64;
    return {{DType::boolean, false, std::nullopt, met.large && !met.weak}, work};
}

Typing make_complex(ValueType const& a, ValueType const& b) {
    ValueType parts = as_float(common(a, b));
    if (is_complex(parts.type)) throw Refused{"'complex' of complex numbers"};
    DType const whole = parts.type == DType::f32 ? DType::c64 : DType::c128;
    return {{whole, parts.weak, std::nullopt, false}, parts.type};
}

Typing leaf(Node const& node, DType compute) {
    if (node.op == Op::operand) return {strong(compute), {}};
    if (node.op == Op::index) return {weak(DType::i64), {}};
    if (node.op == Op::number && node.integral) return {{DType::i64, true, node.integer, false}, {}};
    if (is_large_integer(node)) return {large_integer(), {}};
    return {weak(DType::f64), {}};  // a number, or a param: its value is not known yet
}

/// What is known of numbers that it may be.
std::optional<WholeRange> known(ValueType const& value) {
    if (!value.weak || !is_exact(value.type)) return std::nullopt;
    return value.constant ? WholeRange{*value.constant, *value.constant} : value.chosen;
}

std::optional<WholeRange> negated(std::optional<WholeRange> const& range) {
    if (!range) return std::nullopt;
    auto const minus = [](std::int64_t number) { return -std::max(number, -std::numeric_limits<std::int64_t>::max()); };
    return WholeRange{minus(range->greatest), minus(range->least)};
}

Typing negation(ValueType const& value, DType compute) {
    if (value.constant) return weak_integers(Op::sub, {DType::i64, true, 0, false}, value);
    ValueType made = arithmetic(Op::neg, value, compute);
    made.chosen = negated(value.chosen);
    return uniform(made);
}

/// Operations that leave integers integers and have no meaning for complex numbers.
Typing ordered(Op op, ValueType value) {
    refuse_complex(op, value.type);
    value.constant.reset();
    value.chosen.reset();
    return uniform(value);
}

Typing of_reals(Op op, ValueType const& value) {
    refuse_complex(op, value.type);
    return uniform(as_float(value));
}

Typing cast(DType to) {
    bool const half = to == DType::f16 || to == DType::bf16;
    return {strong(half ? DType::f32 : to), {}};
}

Typing same(ValueType value) {
    value.constant.reset();
    value.chosen.reset();
    return uniform(value);
}

Typing position(ValueType const& index) {
    if (!is_exact(index.type)) throw Refused{"'position' of numbers that are no integers"};
    return {strong(DType::i64), DType::i64};
}

/// where(condition, a, b): the condition keeps its type.
Typing choice(ValueType const& a, ValueType const& b) {
    ValueType value = common(a, b);
    if (value.weak && is_exact(value.type)) {
        std::optional<WholeRange> const first = known(a), second = known(b);
        value.chosen = first ? first : second;
        if (first && second)
            value.chosen = {std::min(first->least, second->least), std::max(first->greatest, second->greatest)};
    }
    return {value, value.type};
}

Typing any_typing(Node const& node, std::span<ValueType const> args, DType compute) {
    Op const op = node.op;
    auto const met = [&] { return args.size() == 1 ? args[0] : common(args[0], args[1]); };
    switch (info(op).type) {
        case TypeRule::leaf: return leaf(node, compute);
        case TypeRule::cast: return cast(node.cast_to);
        case TypeRule::truth: return {strong(DType::boolean), {}};
        case TypeRule::choice: return choice(args[1], args[2]);
        case TypeRule::negation: return negation(args[0], compute);
        case TypeRule::same: return same(args[0]);
        case TypeRule::part: return {{real_part(args[0].type), args[0].weak, {}, args[0].large}, args[0].type};
        case TypeRule::ordered: return ordered(op, met());
        case TypeRule::real: return of_reals(op, met());
        case TypeRule::analytic: return uniform(as_float(args[0]));
        case TypeRule::arithmetic: return binary_arithmetic(op, args[0], args[1], compute);
        case TypeRule::comparison: return comparison(op, args[0], args[1]);
        case TypeRule::make_complex: return make_complex(args[0], args[1]);
        case TypeRule::position: return position(args[0]);
    }
    throw InternalError("an operation without a type");
}

[[noreturn]] void refuse_unheld(std::string const& number, DType type, Node const* node) {
    throw Refused{number + ", which " + std::string(name(type)) + " does not hold", node};
}

/// A known whole number is met by its value, as in NumPy 2: 300 beside a u8 is an error, not 44.
void refuse_unfit(ValueType const& number, DType type, Node const* node) {
    std::optional<WholeRange> const range = known(number);
    if (!range || kind(type) != Kind::integer) return;
    for (std::int64_t const end : {range->least, range->greatest})
        if (wrap(end, type) != end) refuse_unheld(std::to_string(end), type, node);
}

/// One that no i64 holds is met beside no integer.
void refuse_large(ValueType const& number, DType type, Node const* node) {
    if (!number.weak || !number.large || !is_exact(type)) return;
    bool const literal = node != nullptr && is_large_integer(*node);
    constexpr std::size_t most = 40;
    std::string const digits = literal ? node->name : "";
    std::string const shown = digits.size() > most ? digits.substr(0, most) + "..." : digits;
    refuse_unheld(literal ? shown : "a whole number beyond 64 bits", type == DType::boolean ? DType::i64 : type, node);
}

}  // namespace

Typing typing(Node const& node, std::span<ValueType const> args, DType compute) {
    Typing const made = any_typing(node, args, compute);
    std::size_t const first = node.op == Op::where ? 1 : 0;
    auto const at = [&](std::size_t k) { return node.args.size() == args.size() ? &node.args[k].node() : nullptr; };
    for (std::size_t k = first; made.work && !made.value.weak && k < args.size(); ++k) {
        refuse_unfit(args[k], *made.work, at(k));
        for (std::size_t other = first; made.value.large && other < args.size(); ++other)
            if (!args[other].weak) refuse_large(args[k], args[other].type, at(k));
    }
    return made;
}

void check_settled(TypedExpr const& types, Expr const& expr, DType type) {
    std::vector<Expr const*> open{&expr};
    while (!open.empty()) {
        Expr const& next = *open.back();
        open.pop_back();
        ValueType const& value = types.of(next).value;
        if (!value.weak) continue;
        if (next.op() == Op::where) {
            open.insert(open.end(), {&next.args()[2], &next.args()[1]});
            continue;
        }
        refuse_unfit(value, type, &next.node());
        refuse_large(value, type, &next.node());
    }
}

DType settled(ValueType const& value, DType weak) { return value.weak ? meet(value.type, weak) : value.type; }

TypedExpr::TypedExpr(Expr const& expr, DType compute) : TypedExpr(arguments_first(expr), compute) {}

TypedExpr::TypedExpr(std::vector<Expr const*> const& parts, DType compute) : types_(parts.size()) {
    for (Expr const* const part : parts) {
        std::array<ValueType, 3> args;
        std::size_t count = 0;
        for (Expr const& arg : part->args()) args[count++] = types_.at(&arg.node()).value;
        try {
            types_.set(&part->node(), typing(part->node(), std::span(args).first(count), compute));
        } catch (Refused& refused) {
            if (refused.node == nullptr) refused.node = &part->node();
            throw;
        }
    }
}

}  // namespace ein::scalar
