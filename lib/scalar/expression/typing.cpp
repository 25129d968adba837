#include "lib/scalar/expression/typing.hpp"

#include <array>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/integers.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

bool exact(DType type) { return kind(type) == Kind::integer || kind(type) == Kind::boolean; }

ValueType strong(DType type) { return {type, false, std::nullopt}; }
ValueType weak(DType type) { return {type, true, std::nullopt}; }

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
    if (a.weak && b.weak) return weak(promote(a.type, b.type));
    if (a.weak) return strong(meet(a.type, b.type));
    if (b.weak) return strong(meet(b.type, a.type));
    return strong(promote(a.type, b.type));
}

Typing uniform(ValueType const& value) { return {value, value.type}; }

/// sqrt, exp, ... of integers are f64.
ValueType as_float(ValueType value) {
    value.constant.reset();
    if (exact(value.type)) value.type = DType::f64;
    return value;
}

void refuse_complex(Op op, DType type) {
    if (!is_complex(type)) return;
    switch (op) {
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::min:
        case Op::max:
        case Op::sign: throw Refused{quoted(op) + " of complex numbers (they have no order)"};
        default: throw Refused{quoted(op) + " of complex numbers"};
    }
}

/// Arithmetic of bools counts, except + and * of a graph of bools, which are "or" and "and".
ValueType arithmetic(Op op, ValueType value, DType compute) {
    bool const logic = compute == DType::boolean && (op == Op::add || op == Op::mul);
    if (value.type == DType::boolean && !logic) value.type = DType::i64;
    return value;
}

/// Known weak integers stay known; where they would overflow the result is a weak f64, as 2^100 is.
Typing weak_integers(Op op, ValueType const& a, ValueType const& b) {
    if (op == Op::pow && b.constant && *b.constant < 0) return uniform(weak(DType::f64));
    if (!a.constant || !b.constant) return uniform(weak(DType::i64));
    auto const value = exact_integer(op, *a.constant, *b.constant);
    if (!value) return uniform(weak(DType::f64));
    return uniform({DType::i64, true, value});
}

Typing binary_arithmetic(Op op, ValueType const& a, ValueType const& b, DType compute) {
    ValueType value = arithmetic(op, common(a, b), compute);
    if (op == Op::mod) refuse_complex(op, value.type);
    if (op == Op::div) return uniform(as_float(value));
    if (value.weak && exact(value.type)) return weak_integers(op, a, b);
    bool const reciprocal = op == Op::pow && exact(value.type) && b.constant && *b.constant < 0;
    if (reciprocal) value.type = DType::f64;
    return uniform(value);
}

Typing comparison(Op op, ValueType const& a, ValueType const& b) {
    DType work = common(a, b).type;
    if (op != Op::eq && op != Op::ne) refuse_complex(op, work);
    if (exact(work)) work = DType::i64;  // a weak 300 must not wrap before it is compared with a u8
    return {strong(DType::boolean), work};
}

Typing make_complex(ValueType const& a, ValueType const& b) {
    ValueType parts = as_float(common(a, b));
    if (is_complex(parts.type)) throw Refused{"'complex' of complex numbers"};
    DType const whole = parts.type == DType::f32 ? DType::c64 : DType::c128;
    return {{whole, parts.weak, std::nullopt}, parts.type};
}

Typing leaf(Node const& node, DType compute) {
    switch (node.op) {
        case Op::operand: return {strong(compute), {}};
        case Op::index: return {weak(DType::i64), {}};
        case Op::number:
            if (node.integral) return {{DType::i64, true, node.integer}, {}};
            return {weak(DType::f64), {}};
        default: return {weak(DType::f64), {}};  // a param: its value is not known yet
    }
}

Typing negation(ValueType const& value, DType compute) {
    if (value.constant) return weak_integers(Op::sub, {DType::i64, true, 0}, value);
    return uniform(arithmetic(Op::neg, value, compute));
}

/// Operations that leave integers integers and have no meaning for complex numbers.
Typing ordered(Op op, ValueType value) {
    refuse_complex(op, value.type);
    value.constant.reset();
    return uniform(value);
}

Typing unary(Node const& node, ValueType const& arg, DType compute) {
    ValueType plain = arg;
    plain.constant.reset();
    switch (node.op) {
        case Op::neg: return negation(arg, compute);
        case Op::logical_not: return {strong(DType::boolean), {}};
        case Op::sign:
        case Op::floor:
        case Op::ceil:
        case Op::round:
        case Op::relu: return ordered(node.op, arg);
        case Op::cbrt:
        case Op::erf:
        case Op::gelu:
        case Op::softplus: refuse_complex(node.op, arg.type); return uniform(as_float(arg));
        case Op::conj: return uniform(plain);
        case Op::abs:
        case Op::real:
        case Op::imag: return {{real_part(arg.type), arg.weak, {}}, arg.type};
        case Op::cast: {
            bool const half = node.cast_to == DType::f16 || node.cast_to == DType::bf16;
            return {strong(half ? DType::f32 : node.cast_to), {}};
        }
        default: return uniform(as_float(arg));
    }
}

Typing binary(Op op, ValueType const& a, ValueType const& b, DType compute) {
    switch (op) {
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::pow:
        case Op::mod: return binary_arithmetic(op, a, b, compute);
        case Op::min:
        case Op::max: return ordered(op, common(a, b));
        case Op::atan2: {
            ValueType const value = common(a, b);
            refuse_complex(op, value.type);
            return uniform(as_float(value));
        }
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::eq:
        case Op::ne: return comparison(op, a, b);
        case Op::logical_and:
        case Op::logical_or: return {strong(DType::boolean), {}};
        case Op::complex: return make_complex(a, b);
        case Op::position:
            if (!exact(a.type)) throw Refused{"'position' of numbers that are no integers"};
            return {strong(DType::i64), DType::i64};
        default: throw InternalError("an operation of two arguments without a type");
    }
}

}  // namespace

namespace {

Typing any_typing(Node const& node, std::span<ValueType const> args, DType compute) {
    switch (args.size()) {
        case 0: return leaf(node, compute);
        case 1: return unary(node, args[0], compute);
        case 2: return binary(node.op, args[0], args[1], compute);
        default: {  // where(condition, a, b): the condition keeps its type
            ValueType const value = common(args[1], args[2]);
            return {value, value.type};
        }
    }
}

/// A known whole number is met by its value, as in NumPy 2: 300 beside a u8 is an error, not 44.
void refuse_unfit(ValueType const& number, DType type, Node const* node) {
    if (!number.weak || !number.constant || kind(type) != Kind::integer) return;
    if (wrap(*number.constant, type) != *number.constant)
        throw Refused{std::to_string(*number.constant) + ", which " + std::string(name(type)) + " does not hold", node};
}

}  // namespace

Typing typing(Node const& node, std::span<ValueType const> args, DType compute) {
    Typing const made = any_typing(node, args, compute);
    for (std::size_t k = node.op == Op::where ? 1 : 0; made.work && !made.value.weak && k < args.size(); ++k)
        refuse_unfit(args[k], *made.work, node.args.size() == args.size() ? &node.args[k].node() : nullptr);
    return made;
}

void check_settled(TypedExpr const& types, Expr const& expr, DType type) {
    std::vector<Expr const*> open{&expr};
    while (!open.empty()) {
        Expr const& next = *open.back();
        open.pop_back();
        ValueType const& value = types.of(next).value;
        if (!value.weak) continue;
        refuse_unfit(value, type, &next.node());
        if (next.op() == Op::where) open.insert(open.end(), {&next.args()[2], &next.args()[1]});
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
