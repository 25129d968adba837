#include "lib/scalar/evaluate/evaluate.hpp"

#include <cmath>

#include "lib/base/error.hpp"
#include "lib/base/float16.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/evaluate/functions.hpp"
#include "lib/scalar/evaluate/integers.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

bool exact(DType type) { return kind(type) == Kind::integer || kind(type) == Kind::boolean; }
bool nonzero(Scalar const& value) { return value.is_integer ? value.integer != 0 : value.number != 0.0; }

double rounded(double value, DType to) {
    auto const narrow = static_cast<float>(value);
    if (to == DType::f16) return Half(narrow);
    if (to == DType::bf16) return BFloat16(narrow);
    return to == DType::f32 || to == DType::c64 ? narrow : value;
}

std::int64_t integer_function(Op op, std::int64_t x) {
    switch (op) {
        case Op::neg: return wrapping_sub(0, x);
        case Op::abs: return x < 0 ? wrapping_sub(0, x) : x;
        case Op::sign: return (x > 0) - (x < 0);
        case Op::relu: return x > 0 ? x : 0;
        case Op::imag: return 0;
        default: return x;  // floor, ceil, round, conj and real leave integers as they are
    }
}

std::int64_t integer_function(Op op, std::int64_t a, std::int64_t b) {
    switch (op) {
        case Op::add: return wrapping_add(a, b);
        case Op::sub: return wrapping_sub(a, b);
        case Op::mul: return wrapping_mul(a, b);
        case Op::mod: return integer_mod(a, b);
        case Op::pow: return integer_pow(a, b);
        case Op::min: return a < b ? a : b;
        case Op::max: return a > b ? a : b;
        case Op::position: return checked_position(a, b);
        default: throw InternalError("no integer function of two arguments");
    }
}

bool integer_compare(Op op, std::int64_t a, std::int64_t b) {
    switch (op) {
        case Op::lt: return a < b;
        case Op::le: return a <= b;
        case Op::gt: return a > b;
        case Op::ge: return a >= b;
        case Op::eq: return a == b;
        default: return a != b;
    }
}

bool is_comparison(Op op) { return op >= Op::lt && op <= Op::ne; }

Scalar compared(Op op, Scalar const& a, Scalar const& b) {
    if (a.is_integer) return Scalar::of(std::int64_t{integer_compare(op, a.integer, b.integer)});
    if (op == Op::eq) return Scalar::of(std::int64_t{a.number == b.number});
    if (op == Op::ne) return Scalar::of(std::int64_t{a.number != b.number});
    return Scalar::of(std::int64_t{compare(op, a.number.real(), b.number.real())});
}

Scalar unary(Op op, Scalar const& x, DType work) {
    if (x.is_integer) return Scalar::of(wrap(integer_function(op, x.integer), work));
    if (!is_complex(work)) return Scalar::of(std::complex<double>(real_function(op, x.number.real())));
    if (op == Op::abs) return Scalar::of(std::complex<double>(std::abs(x.number)));
    if (op == Op::real) return Scalar::of(std::complex<double>(x.number.real()));
    if (op == Op::imag) return Scalar::of(std::complex<double>(x.number.imag()));
    return Scalar::of(complex_function(op, x.number));
}

Scalar binary(Op op, Scalar const& a, Scalar const& b, DType work) {
    if (is_comparison(op)) return compared(op, a, b);
    if (op == Op::complex) return Scalar::of(std::complex<double>(a.number.real(), b.number.real()));
    if (a.is_integer) return Scalar::of(wrap(integer_function(op, a.integer, b.integer), work));
    if (is_complex(work)) return Scalar::of(complex_function(op, a.number, b.number));
    return Scalar::of(std::complex<double>(real_function(op, a.number.real(), b.number.real())));
}

}  // namespace

void refuse_missing_param(std::string const& name) {
    throw InputError(Fault{"", "", "a value for param '" + name + "'", "none",
                           "give it in \"params\" or with --set " + name + "=VALUE"});
}

void refuse_type(std::string const& problem) {
    throw InputError(
        Fault{"", "", "an expression that its operands' type allows", problem, "change the expression or the dtype"});
}

std::int64_t checked_position(std::int64_t index, std::int64_t extent) {
    std::int64_t const place = index < 0 ? wrapping_add(index, extent) : index;
    if (place >= 0 && place < extent) return place;
    throw InputError(Fault{"", "", "an index from " + std::to_string(-extent) + " to " + std::to_string(extent - 1),
                           std::to_string(index), "correct the tensor of indices"});
}

Scalar convert(Scalar value, DType from, DType to) {
    if (to == DType::boolean) return Scalar::of(std::int64_t{nonzero(value)});
    if (exact(to)) return Scalar::of(wrap(exact(from) ? value.integer : to_integer(value.number.real()), to));
    if (exact(from)) {
        auto const whole = value.integer;  // straight to float: by way of double it would round twice
        bool const narrow = to != DType::f64 && to != DType::c128;
        double const number = narrow ? static_cast<double>(static_cast<float>(whole)) : static_cast<double>(whole);
        return Scalar::of(std::complex<double>(rounded(number, to)));
    }
    double const imag = is_complex(to) ? rounded(value.number.imag(), to) : 0.0;
    return Scalar::of(std::complex<double>(rounded(value.number.real(), to), imag));
}

Evaluator::Evaluator(Expr const& expr, DType compute, DType weak, Params const& params, Noise* noise)
    : expr_(expr), noise_(noise) {
    try {
        TypedExpr const types(expr, compute);
        std::vector<Expr const*> const parts = arguments_first(expr);
        NodeMap<std::size_t> places(parts.size());
        for (Expr const* const part : parts) {
            Step step{&part->node(), types.of(*part), {}, fixed_value(part->node(), params)};
            for (Expr const& arg : part->args()) step.args.push_back(places.at(&arg.node()));
            places.set(&part->node(), steps_.size());
            steps_.push_back(std::move(step));
        }
        result_ = settled(types.of(expr).value, weak);
    } catch (Refused const& refused) {
        refuse_type(refused.problem);
    }
}

/// Of a number or param; of other nodes nothing yet.
Scalar Evaluator::fixed_value(Node const& node, Params const& params) {
    if (node.op == Op::number) return node.integral ? Scalar::of(node.integer) : Scalar::of(node.value);
    if (node.op != Op::param) return {};
    auto const param = params.find(node.name);
    if (param == params.end()) refuse_missing_param(node.name);
    return Scalar::of(std::complex<double>(param->second));
}

/// Rounds only where a type is met or a cast asks for it: a strong f32 stays as exact as the judge can have it.
Scalar Evaluator::converted(std::size_t arg, DType to) const {
    Step const& from = steps_[arg];
    DType const type = from.typing.value.type;
    return type == to ? from.value : convert(from.value, type, to);
}

bool Evaluator::truth(std::size_t arg) const { return nonzero(steps_[arg].value); }

Scalar Evaluator::compute(Step const& step) const {
    Op const op = step.node->op;
    auto const& args = step.args;
    DType const type = step.typing.value.type;
    switch (op) {
        case Op::logical_not: return Scalar::of(std::int64_t{!truth(args[0])});
        case Op::logical_and: return Scalar::of(std::int64_t{truth(args[0]) && truth(args[1])});
        case Op::logical_or: return Scalar::of(std::int64_t{truth(args[0]) || truth(args[1])});
        case Op::where: return converted(args[truth(args[0]) ? 1 : 2], type);
        case Op::cast: return convert(steps_[args[0]].value, steps_[args[0]].typing.value.type, step.node->cast_to);
        default: break;
    }
    DType const work = *step.typing.work;
    if (args.size() == 1) return unary(op, converted(args[0], work), work);
    Scalar left = converted(args[0], work), right = converted(args[1], work);
    if (noise_ != nullptr && op == Op::mul)
        for (Scalar* const factor : {&left, &right})
            if (!factor->is_integer) factor->number = noise_->factor(factor->number, work);
    return binary(op, left, right, work);
}

void Evaluator::add_noise(Step& step) const {
    if (!step.value.is_integer) step.value.number = noise_->rounded(step.value.number, step.typing.value.type);
}

Scalar Evaluator::operator()(std::span<Scalar const> operands, std::span<std::int64_t const> labels) {
    for (Step& step : steps_) {
        auto const slot = static_cast<std::size_t>(step.node->slot);
        switch (step.node->op) {
            case Op::number:
            case Op::param: break;
            case Op::operand:
                promise(slot < operands.size(), "an expression has fewer operands than it names");
                step.value = operands[slot];
                break;
            case Op::index:
                promise(slot < labels.size(), "an expression has fewer labels than it names");
                step.value = Scalar::of(labels[slot]);
                break;
            default:
                step.value = compute(step);
                if (noise_ != nullptr && rounds(step.node->op)) add_noise(step);
        }
    }
    Step const& last = steps_.back();
    return last.typing.value.type == result_ ? last.value : convert(last.value, last.typing.value.type, result_);
}

Scalar evaluate(Expr const& expr, DType compute, DType weak, std::span<Scalar const> operands,
                std::span<std::int64_t const> labels, Params const& params) {
    return Evaluator(expr, compute, weak, params)(operands, labels);
}

}  // namespace ein::scalar
