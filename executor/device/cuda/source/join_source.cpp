#include "executor/device/cuda/source/join_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "executor/device/cuda/source/text.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/typing.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/scalar/program/power_form.hpp"

namespace ein::executor::cuda {
namespace {

using scalar::Expr;
using scalar::Form;
using scalar::Node;
using scalar::Op;
using scalar::PowerForm;
using scalar::Scalar;

struct Value {
    std::string text;
    DType type = DType::f32;
    std::optional<Scalar> constant = {};
};

/// op_<name>; operators are called by words there.
std::string function_of(Op op) {
    static constexpr std::array<std::pair<Op, std::string_view>, 12> operators{{{Op::neg, "neg"},
                                                                                {Op::add, "add"},
                                                                                {Op::sub, "sub"},
                                                                                {Op::mul, "mul"},
                                                                                {Op::div, "div"},
                                                                                {Op::pow, "pow"},
                                                                                {Op::lt, "lt"},
                                                                                {Op::le, "le"},
                                                                                {Op::gt, "gt"},
                                                                                {Op::ge, "ge"},
                                                                                {Op::eq, "eq"},
                                                                                {Op::ne, "ne"}}};
    for (auto const& [known, word] : operators)
        if (known == op) return "op_" + std::string(word);
    return "op_" + std::string(scalar::info(op).name);
}

class Writer {
public:
    Writer(Expr const& join, KernelTypes const& types, scalar::Params const& params)
        : typed_(join, types.compute), params_(params) {
        for (Expr const* const part : scalar::arguments_first(join)) values_.emplace(&part->node(), value_of(*part));
        Value const joined = converted_to(values_.at(&join.node()), types.join);
        source_.value = converted_to(joined, types.accumulate).text;
        source_.labels = scalar::labels_of(join);
    }

    JoinSource take() { return std::move(source_); }

private:
    Value value_of(Expr const& expr) {
        Node const& node = expr.node();
        scalar::Typing const& typing = typed_.of(expr);
        DType const type = typing.value.type;
        switch (scalar::form(node.op)) {
            case Form::leaf: return leaf(node, type);
            case Form::cast: return converted_to(argument(node, 0), node.cast_to);
            case Form::logic: return stated(logic(node), type);
            case Form::choice: return where(node, type);
            case Form::position: {
                std::string const extent = std::to_string(node.args[1].node().integer);
                return stated("op_position(" + argument(node, 0, DType::i64).text + ", " + extent + ", a, " +
                                  place_of(node.args[0]) + ")",
                              type);
            }
            case Form::computed: break;
        }
        return operation(node, *typing.work, type);
    }

    Value leaf(Node const& node, DType type) const {
        if (node.op == Op::operand) return {"x" + std::to_string(node.slot), type};
        if (node.op == Op::index) return {"i" + std::to_string(node.slot), type};
        if (node.op == Op::param) return constant(Scalar::of(std::complex<double>(param(node.name))), type);
        return constant(node.integral ? Scalar::of(node.integer) : Scalar::of(node.value), type);
    }

    /// Which operand an index is, and where in it: "0, at0".
    std::string place_of(Expr const& index) {
        if (index.op() != Op::operand) return "-1, -1";
        int const slot = index.node().slot;
        if (std::ranges::find(source_.places, slot) == source_.places.end()) source_.places.push_back(slot);
        return std::to_string(slot) + ", at" + std::to_string(slot);
    }

    std::string logic(Node const& node) const {
        if (node.op == Op::logical_not) return "!" + truth(node, 0);
        return truth(node, 0) + (node.op == Op::logical_and ? " && " : " || ") + truth(node, 1);
    }

    Value where(Node const& node, DType type) {
        return stated(truth(node, 0) + " ? " + argument(node, 1, type).text + " : " + argument(node, 2, type).text,
                      type);
    }

    Value operation(Node const& node, DType work, DType type) {
        Value const first = argument(node, 0, work);
        std::string text = function_of(node.op) + "(" + first.text;
        if (node.args.size() == 2) {
            Value const second = argument(node, 1, work);
            if (node.op == Op::pow && second.constant)
                if (auto const shorter = power(first, *second.constant, work)) return *shorter;
            text += ", " + second.text;
        }
        return applied(node.op, text + ")", type);
    }

    std::optional<Value> power(Value const& base, Scalar const& exponent, DType work) {
        switch (scalar::power_form(exponent, work)) {
            case PowerForm::power: return std::nullopt;
            case PowerForm::square: return times(base, base, work);
            case PowerForm::product: return product(base, exponent, work);
            case PowerForm::reciprocal:
                return stated("op_div((" + register_name(work) + ")1, " + base.text + ")", work);
            case PowerForm::root: return stated("root(" + base.text + ")", work);
        }
        throw InternalError("a power without a form");
    }

    Value times(Value const& a, Value const& b, DType work) {
        return applied(Op::mul, "op_mul(" + a.text + ", " + b.text + ")", work);
    }

    /// Up to the fourth, which round as little as a power does.
    std::optional<Value> product(Value const& base, Scalar const& exponent, DType work) {
        double const n = is_exact(work) ? static_cast<double>(exponent.integer) : exponent.number.real();
        if (n != 3 && n != 4) return std::nullopt;
        Value const square = times(base, base, work);
        return times(square, n == 3 ? base : square, work);
    }

    Value applied(Op op, std::string const& text, DType type) {
        bool const wraps = is_exact(type) && type != DType::i64 && scalar::info(op).overflows;
        return stated(wraps ? converted(text, type) : text, type);
    }

    Value stated(std::string const& text, DType type) {
        std::string const name = "v" + std::to_string(count_++);
        source_.statements += "        " + register_name(type) + " const " + name + " = " + text + ";\n";
        return {name, type};
    }

    static Value constant(Scalar const& value, DType type) { return {literal(value, type), type, value}; }

    static Value converted_to(Value const& value, DType to) {
        DType const settled = to == DType::f16 || to == DType::bf16 ? DType::f32 : to;
        if (value.type == to) return value;
        if (value.constant) return constant(scalar::convert(*value.constant, value.type, to), settled);
        return {converted(value.text, to), settled};
    }

    Value argument(Node const& node, std::size_t k) const { return values_.at(&node.args[k].node()); }
    Value argument(Node const& node, std::size_t k, DType to) const { return converted_to(argument(node, k), to); }
    std::string truth(Node const& node, std::size_t k) const { return argument(node, k, DType::boolean).text; }

    double param(std::string const& name) const {
        auto const found = params_.find(name);
        if (found == params_.end()) scalar::refuse_missing_param(name);
        return found->second;
    }

    scalar::TypedExpr typed_;
    scalar::Params const& params_;
    std::unordered_map<Node const*, Value> values_;
    JoinSource source_;
    int count_ = 0;
};

}  // namespace

JoinSource join_source(Expr const& join, KernelTypes const& types, scalar::Params const& params) {
    return Writer(scalar::simplify(join, types.compute), types, params).take();
}

bool may_fault(Expr const& join) {
    for (Expr const* const part : scalar::arguments_first(join))
        if (part->op() == Op::position) return true;
    return false;
}

}  // namespace ein::executor::cuda
