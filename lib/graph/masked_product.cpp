#include "lib/graph/masked_product.hpp"

#include <algorithm>
#include <cmath>

#include "lib/graph/join_step.hpp"
#include "lib/graph/labels.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

constexpr int deepest = 64;  // a join that is deeper is not looked through: bounds the recursion

/// A number that is neither 0 nor infinite nor nan in the type that the join runs in.
bool is_finite_number(Expr const& expr, DType compute) {
    if (expr.op() != Op::number || expr.node().value == 0.0) return false;
    if (is_exact(compute)) return std::isfinite(std::abs(expr.node().value));
    double const size = std::abs(scalar::convert(scalar::Scalar::of(expr.node().value), DType::c128, compute).number);
    return std::isfinite(size) && size != 0;
}

/// where(c, where(d, x*y/2, 0), 0)*3 taken apart: c and d, x and y, 3, and 2.
class Links {
public:
    Expr condition, factor, divisor;
    std::vector<Expr> links;  // that are no constants

    explicit Links(DType compute) : compute_(compute) {}

    /// Above a `where` only numbers leave its 0 as it is, and not all of them. So one below anything else is a link
    /// like others: what it is multiplied with may be infinite.
    bool take(Expr const& expr) {
        bool const below = !condition.empty();
        auto const& args = expr.args();
        auto const may_scale = [&](Expr const& by) {
            if (is_finite_number(by, compute_)) return true;
            if (!below || !scalar::is_constant(by)) return false;
            is_multiplied_ = true;
            return true;
        };
        if (expr.op() == Op::where && !is_multiplied_) return take_choice(args);
        if (expr.op() == Op::neg) return times(factor, Expr::integer(-1)) && take(args[0]);
        if (expr.op() == Op::div && may_scale(args[1])) return times(divisor, args[1]) && take(args[0]);
        if (expr.op() == Op::mul && may_scale(args[0])) return times(factor, args[0]) && take(args[1]);
        if (expr.op() == Op::mul && may_scale(args[1])) return times(factor, args[1]) && take(args[0]);
        if (!below) return false;
        is_multiplied_ = true;
        if (expr.op() == Op::mul) return take(args[0]) && take(args[1]);
        scalar::TypeResult const type = scalar::type_of(expr, compute_, compute_);
        links.push_back(expr);
        return type.problem.empty() && type.type == compute_;
    }

    /// All but one of them, with the constants.
    Expr without(std::size_t link) const {
        Expr rest = factor;
        for (std::size_t l = 0; l < links.size(); ++l)
            if (l != link) times(rest, links[l]);
        return rest.empty() || divisor.empty() ? rest : rest / divisor;
    }

private:
    static bool times(Expr& product, Expr const& by) {
        product = product.empty() ? by : product * by;
        return true;
    }
    bool take_choice(std::vector<Expr> const& args) {
        bool const chosen_first = scalar::is_number(args[2], 0);
        if (!chosen_first && !scalar::is_number(args[1], 0)) return false;
        Expr const here = chosen_first ? args[0] : Expr::call(Op::logical_not, {args[0]});
        condition = condition.empty() ? here : Expr::call(Op::logical_and, {condition, here});
        return take(args[chosen_first ? 1 : 2]);
    }
    DType compute_;
    bool is_multiplied_ = false;
};

}  // namespace

std::optional<MaskedProduct> as_masked_product(EinSum const& einsum, DType compute) {
    bool const zeros_add_nothing = einsum.agg == scalar::Agg::sum || is_exact(compute);
    if (!zeros_add_nothing || !einsum.aggregates_any() || einsum.join.node().depth > deepest) return std::nullopt;
    Links found(compute);
    if (!found.take(einsum.join) || found.condition.empty()) return std::nullopt;
    std::vector<Expr> const& links = found.links;
    std::optional<MaskedProduct> out;
    for (std::size_t k = 0; k < links.size(); ++k) {
        if (links[k].op() != Op::operand) continue;
        Expr const rest = found.without(k);
        if (rest.empty()) continue;
        MaskedProduct here{Expr::call(Op::where, {found.condition, rest, Expr::integer(0)}), {}, links[k].node().slot};
        std::vector<int> const operands = scalar::operands_of(here.masked);
        std::vector<int> const labels = labels_that_decide(einsum, rest);
        bool const apart = !scalar::operands_of(rest).empty() && !has_label(operands, here.other) &&
                           has_labels(labels, labels_that_decide(einsum, found.condition));
        scalar::TypeResult const type = scalar::type_of(here.masked, compute, compute);
        auto const parts = scalar::arguments_first(here.masked);
        bool const ends_runs =
            std::any_of(parts.begin(), parts.end(), [](Expr const* part) { return part->op() == Op::position; });
        if (!apart || ends_runs || !type.problem.empty() || type.type != compute) continue;
        here.axes = axes_of_part(einsum, here.masked, labels);
        if (here.axes.size() >= einsum.labels.size()) continue;
        if (!out || points_of(einsum, here.axes) < points_of(einsum, out->axes)) out = std::move(here);
    }
    return out;
}

}  // namespace ein::graph
