#include "lib/graph/indicator.hpp"

#include <algorithm>

#include "lib/graph/labels.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// The comparison in y == [v], where(y == [v], 1, 0) or a cast of either.
std::optional<Expr> comparison_of(Expr const& expr) {
    if (expr.op() == Op::cast && expr.node().cast_to != DType::boolean) return comparison_of(expr.args()[0]);
    if (expr.op() == Op::where && scalar::is_number(expr.args()[1], 1) && scalar::is_number(expr.args()[2], 0))
        return comparison_of(expr.args()[0]);
    if (expr.op() != Op::eq) return std::nullopt;
    auto const& args = expr.args();
    bool const compares = (args[0].op() == Op::operand && args[1].op() == Op::index) ||
                          (args[0].op() == Op::index && args[1].op() == Op::operand);
    return compares ? std::optional(expr) : std::nullopt;
}

}  // namespace

std::optional<int> indicated_label(Expr const& join) {
    auto const comparison = comparison_of(join);
    if (!comparison) return std::nullopt;
    Expr const& first = comparison->args()[0];
    return (first.op() == Op::index ? first : comparison->args()[1]).node().slot;
}

std::optional<IndicatorProduct> as_indicator_product(EinSum const& einsum) {
    if (einsum.agg != scalar::Agg::sum || einsum.operands() != 2 || einsum.join.op() != Op::mul) return std::nullopt;
    for (std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        Expr const& data = einsum.join.args()[1 - k];
        auto const comparison = comparison_of(einsum.join.args()[k]);
        if (!comparison || data.op() != Op::operand) continue;
        IndicatorProduct out{einsum, data.node().slot};
        out.chosen.join = Expr::call(Op::where, {*comparison, data, Expr::integer(0)});
        if (as_lookup(out.chosen) || as_scatter(out.chosen)) return out;
    }
    return std::nullopt;
}

std::optional<Lookup> looks_up(EinSum const& einsum) {
    auto const product = as_indicator_product(einsum);
    return as_lookup(product ? product->chosen : einsum);
}

std::optional<Lookup> scatters(EinSum const& einsum) {
    auto const product = as_indicator_product(einsum);
    return as_scatter(product ? product->chosen : einsum);
}

std::optional<Count> as_count(EinSum const& einsum) {
    if (einsum.agg != scalar::Agg::sum || einsum.operands() != 1) return std::nullopt;
    auto const label = indicated_label(einsum.join);
    std::vector<int> const& axes = einsum.inputs[0];
    if (!label || has_label(axes, *label) || !has_label(einsum.output, *label)) return std::nullopt;
    bool const each_read = std::all_of(einsum.output.begin(), einsum.output.end(),
                                       [&](int l) { return l == *label || has_label(axes, l); });
    std::vector<int> const summed = einsum.aggregated();
    bool const sums =
        !summed.empty() && std::all_of(summed.begin(), summed.end(), [&](int l) { return has_label(axes, l); });
    return each_read && sums ? std::optional(Count{*label}) : std::nullopt;
}

}  // namespace ein::graph
