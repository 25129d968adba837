#include "lib/scalar/evaluate/evaluate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lib/base/box.hpp"
#include "lib/base/error.hpp"
#include "lib/base/float16.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/evaluate/functions.hpp"
#include "lib/scalar/evaluate/integers.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

bool nonzero(Scalar const& value) { return value.is_integer ? value.integer != 0 : value.number != 0.0; }

/// Rounded once, from f64 or an integer.
template <class From>
double rounded(From value, DType to) {
    if (to == DType::f16) return Half(round_to_odd(value));
    if (to == DType::bf16) return BFloat16(round_to_odd(value));
    if (to == DType::f32 || to == DType::c64) return static_cast<float>(value);
    return static_cast<double>(value);
}

Scalar compared(Op op, Scalar const& a, Scalar const& b) {
    if (a.is_integer) return Scalar::of(std::int64_t{compare(op, a.integer, b.integer)});
    if (op == Op::eq) return Scalar::of(std::int64_t{a.number == b.number});
    if (op == Op::ne) return Scalar::of(std::int64_t{a.number != b.number});
    return Scalar::of(std::int64_t{compare(op, a.number.real(), b.number.real())});
}

Scalar unary(Op op, Scalar const& x, DType work) {
    if (x.is_integer) return Scalar::of(wrap(integer_function(op, x.integer), work));
    if (is_complex(work)) return Scalar::of(complex_function(op, x.number));
    return Scalar::of(std::complex<double>(real_function(op, x.number.real())));
}

Scalar binary(Op op, Scalar const& a, Scalar const& b, DType work) {
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

Fault PositionError::fault_at(std::string where, std::span<std::int64_t const> at, std::int64_t index,
                              std::int64_t extent) {
    return {"", std::move(where), "an index from " + std::to_string(-extent) + " to " + std::to_string(extent - 1),
            std::to_string(index) + (at.empty() ? "" : " at " + index_text(at)),
            "correct the tensor of indices: they count from 0, negative ones from the end, " + std::to_string(extent) +
                " elements in all"};
}

PositionError::PositionError(std::int64_t index, std::int64_t extent)
    : InputError(fault_at("", {}, index, extent)), index_(index), extent_(extent) {}

std::optional<std::int64_t> position_of(std::int64_t index, std::int64_t extent) {
    std::int64_t const place = index < 0 ? wrapping_add(index, extent) : index;
    return place >= 0 && place < extent ? std::optional(place) : std::nullopt;
}

std::int64_t checked_position(std::int64_t index, std::int64_t extent) {
    if (auto const place = position_of(index, extent)) return *place;
    throw PositionError(index, extent);
}

std::vector<IndexedOperand> indexed_operands(Expr const& join) {
    std::vector<IndexedOperand> out;
    if (join.empty()) return out;
    for (Expr const* const part : arguments_first(join)) {
        if (part->op() != Op::position || part->args()[0].op() != Op::operand) continue;
        IndexedOperand const found{part->args()[0].node().slot, part->args()[1].node().integer};
        if (std::ranges::find(out, found) == out.end()) out.push_back(found);
    }
    return out;
}

bool same_value(Scalar const& a, Scalar const& b) {
    if (a.is_integer != b.is_integer) return false;
    if (a.is_integer) return a.integer == b.integer;
    auto const same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return same(a.number.real(), b.number.real()) && same(a.number.imag(), b.number.imag());
}

bool same_bits(Scalar const& a, Scalar const& b) {
    auto const same = [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    };
    return a.is_integer == b.is_integer && a.integer == b.integer && same(a.number.real(), b.number.real()) &&
           same(a.number.imag(), b.number.imag());
}

Scalar convert(Scalar value, DType from, DType to) {
    switch (to) {
        case DType::boolean: return Scalar::of(std::int64_t{nonzero(value)});
        case DType::i8:
        case DType::i16:
        case DType::i32:
        case DType::i64:
        case DType::u8: return Scalar::of(wrap(is_exact(from) ? value.integer : to_integer(value.number.real()), to));
        case DType::f16:
        case DType::bf16:
        case DType::f32:
        case DType::f64:
            if (is_exact(from)) return Scalar::of(std::complex<double>(rounded(value.integer, to)));
            return Scalar::of(std::complex<double>(rounded(value.number.real(), to)));
        case DType::c64:
        case DType::c128:
            if (is_exact(from)) return Scalar::of(std::complex<double>(rounded(value.integer, to)));
            return Scalar::of({rounded(value.number.real(), to), rounded(value.number.imag(), to)});
    }
    throw InternalError("unknown dtype");
}

Evaluator::Evaluator(Expr const& expr, DType compute, DType weak, Params const& params, Noise* noise)
    : expr_(expr), noise_(noise) {
    try {
        TypedExpr const types(expr, compute);
        std::vector<Expr const*> const parts = arguments_first(expr);
        NodeMap<std::size_t> places(parts.size());
        steps_.reserve(parts.size());
        for (Expr const* const part : parts) {
            Typing const& typing = types.of(*part);
            Node const& node = part->node();
            Step step;
            step.node = &node;
            step.value = fixed_value(node, params);
            step.form = form(node.op), step.rule = info(node.op).type;
            step.type = typing.value.type, step.work = typing.work;
            step.is_noisy = noise_ != nullptr && info(node.op).rounds;
            for (std::size_t k = 0; k < node.args.size(); ++k) step.args.at(k) = places.at(&node.args[k].node());
            step.way = way_of(step);
            if (step.way == Way::real_of_one) step.of_one = RealOfOne(node.op);
            if (step.way == Way::real_of_two) step.of_two = RealOfTwo(node.op);
            places.set(&node, steps_.size());
            steps_.push_back(step);
        }
        result_ = settled(types.of(expr).value, weak);
    } catch (Refused const& refused) {
        refuse_type(refused.problem);
    }
}

Evaluator::Way Evaluator::way_of(Step const& step) const {
    Op const op = step.node->op;
    if (op == Op::operand) return Way::operand;
    if (op == Op::index) return Way::label;
    if (step.node->args.empty()) return Way::stays;
    bool const gives_parts = step.rule == TypeRule::comparison || step.rule == TypeRule::make_complex;
    if (step.form != Form::computed || gives_parts || kind(*step.work) != Kind::real) return Way::by_form;
    if (noise_ != nullptr && op == Op::mul) return Way::by_form;
    return step.node->args.size() == 1 ? Way::real_of_one : Way::real_of_two;
}

/// Of a number or param; of other nodes nothing yet.
Scalar Evaluator::fixed_value(Node const& node, Params const& params) {
    if (node.op == Op::number) return node.integral ? Scalar::of(node.integer) : Scalar::of(node.value);
    if (node.op != Op::param) return {};
    auto const param = params.find(node.name);
    if (param == params.end()) refuse_missing_param(node.name);
    return Scalar::of(std::complex<double>(param->second));
}

/// Rounds only where a type is met or a cast asks for it: a strong f32 stays as exact as the reference can have it.
Scalar Evaluator::converted(std::size_t arg, DType to) const {
    Step const& from = steps_[arg];
    return from.type == to ? from.value : convert(from.value, from.type, to);
}

/// An argument of a step that works on reals.
double Evaluator::real(Step const& step, std::size_t arg) const {
    Step const& from = steps_[step.args[arg]];
    return from.type == *step.work ? from.value.number.real()
                                   : convert(from.value, from.type, *step.work).number.real();
}

bool Evaluator::truth(std::size_t arg) const { return nonzero(steps_[arg].value); }

Scalar Evaluator::logic(Step const& step) const {
    auto const& args = step.args;
    if (step.node->op == Op::logical_not) return Scalar::of(std::int64_t{!truth(args[0])});
    bool const both = step.node->op == Op::logical_and;
    return Scalar::of(std::int64_t{both ? truth(args[0]) && truth(args[1]) : truth(args[0]) || truth(args[1])});
}

/// An operation whose arguments meet in one type first.
Scalar Evaluator::of_work(Step const& step) const {
    Op const op = step.node->op;
    auto const& args = step.args;
    DType const work = *step.work;
    if (step.node->args.size() == 1) return unary(op, converted(args[0], work), work);
    Scalar left = converted(args[0], work), right = converted(args[1], work);
    if (step.rule == TypeRule::comparison) return compared(op, left, right);
    if (step.rule == TypeRule::make_complex) return Scalar::of({left.number.real(), right.number.real()});
    if (step.rule == TypeRule::position) return Scalar::of(checked_position(left.integer, right.integer));
    if (noise_ != nullptr && op == Op::mul && !left.is_integer)
        return Scalar::of(noise_->product(left.number, right.number, work));
    return binary(op, left, right, work);
}

Scalar Evaluator::computed(Step const& step) const {
    switch (step.form) {
        case Form::leaf: break;
        case Form::cast: return convert(steps_[step.args[0]].value, steps_[step.args[0]].type, step.node->cast_to);
        case Form::logic: return logic(step);
        case Form::choice: return converted(step.args[truth(step.args[0]) ? 1 : 2], step.type);
        case Form::position:
        case Form::computed: return of_work(step);
    }
    throw InternalError("a leaf is not computed");
}

void Evaluator::add_noise(Step& step) const {
    if (!step.value.is_integer) step.value.number = noise_->rounded(step.value.number, step.type);
}

Scalar Evaluator::operator()(std::span<Scalar const> operands, std::span<std::int64_t const> labels) {
    for (Step& step : steps_) {
        auto const slot = static_cast<std::size_t>(step.node->slot);
        switch (step.way) {
            case Way::stays: break;
            case Way::operand:
                promise(slot < operands.size(), "an expression has fewer operands than it names");
                step.value = operands[slot];
                break;
            case Way::label:
                promise(slot < labels.size(), "an expression has fewer labels than it names");
                step.value = Scalar::of(labels[slot]);
                break;
            case Way::real_of_one: step.value.number = step.of_one(real(step, 0)); break;
            case Way::real_of_two: step.value.number = step.of_two(real(step, 0), real(step, 1)); break;
            case Way::by_form: step.value = computed(step); break;
        }
        if (step.is_noisy) add_noise(step);
    }
    Step const& last = steps_.back();
    return last.type == result_ ? last.value : convert(last.value, last.type, result_);
}

Scalar evaluate(Expr const& expr, DType compute, DType weak, std::span<Scalar const> operands,
                std::span<std::int64_t const> labels, Params const& params) {
    return Evaluator(expr, compute, weak, params)(operands, labels);
}

}  // namespace ein::scalar
