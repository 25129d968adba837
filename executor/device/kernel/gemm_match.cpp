#include "executor/device/kernel/gemm_match.hpp"

#include <algorithm>
#include <cmath>

#include "executor/device/kernel/tuning.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;
using scalar::Op;

std::optional<double> constant(Expr const& expr, KernelTypes const& types, scalar::Params const& params) {
    if (!scalar::operands_of(expr).empty() || !scalar::labels_of(expr).empty()) return std::nullopt;
    scalar::Scalar const value = scalar::evaluate(expr, types.compute, types.compute, {}, {}, params);
    if (value.is_integer) return static_cast<double>(value.integer);
    return value.number.imag() == 0 ? std::optional(value.number.real()) : std::nullopt;
}

std::optional<OperandProduct> match(Expr const& expr, KernelTypes const& types, scalar::Params const& params) {
    if (expr.op() == Op::operand) return OperandProduct{1, {expr.node().slot}, {false}};
    if (auto const factor = constant(expr, types, params)) return OperandProduct{*factor, {}, {}};
    if (expr.op() == Op::neg) {
        auto inner = match(expr.args()[0], types, params);
        if (inner) inner->factor = -inner->factor;
        return inner;
    }
    if (expr.op() == Op::conj) {
        auto inner = match(expr.args()[0], types, params);
        if (inner && is_complex(types.compute)) inner->conjugated.flip();
        return inner;
    }
    if (expr.op() != Op::mul && expr.op() != Op::div) return std::nullopt;
    auto left = match(expr.args()[0], types, params);
    auto const right = left ? match(expr.args()[1], types, params) : std::nullopt;
    if (!right || (expr.op() == Op::div && !right->operands.empty())) return std::nullopt;
    left->factor = expr.op() == Op::mul ? left->factor * right->factor : left->factor / right->factor;
    left->operands.insert(left->operands.end(), right->operands.begin(), right->operands.end());
    left->conjugated.insert(left->conjugated.end(), right->conjugated.begin(), right->conjugated.end());
    return left;
}

}  // namespace

std::optional<OperandProduct> operand_product(scalar::Expr const& join, KernelTypes const& types,
                                              scalar::Params const& params, Conjugates conjugates) {
    if (join.node().depth > tuning::deepest_product) return std::nullopt;
    std::optional<OperandProduct> product = match(join, types, params);
    if (!product || !std::isfinite(product->factor) || product->factor == 0) return std::nullopt;
    if (conjugates == Conjugates::refused && std::ranges::count(product->conjugated, true) > 0) return std::nullopt;
    std::vector<int> once = product->operands;
    std::sort(once.begin(), once.end());
    return std::adjacent_find(once.begin(), once.end()) == once.end() ? product : std::nullopt;
}

std::optional<ScaledProduct> scaled_product(scalar::Expr const& join, KernelTypes const& types,
                                            scalar::Params const& params, Conjugates conjugates) {
    std::optional<OperandProduct> const product = operand_product(join, types, params, conjugates);
    if (!product || product->operands.size() != 2) return std::nullopt;
    return ScaledProduct{product->factor, static_cast<std::size_t>(product->operands[0]),
                         static_cast<std::size_t>(product->operands[1]), product->conjugated[0],
                         product->conjugated[1]};
}

}  // namespace ein::executor
