#include "lib/graph/contract/chain.hpp"

#include <algorithm>
#include <span>

#include "lib/graph/join_step.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

/// min of min, any of ||, ...: a factor that lacks the label is repeated, which changes nothing unless it is repeated
/// no times.
bool same_operation(Agg agg, Op op) {
    return (agg == Agg::min && op == Op::min) || (agg == Agg::max && op == Op::max) ||
           (agg == Agg::any && op == Op::logical_or) || (agg == Agg::all && op == Op::logical_and);
}

bool distributes(Agg agg, Op op) {
    switch (agg) {
        case Agg::sum: return op == Op::mul;
        case Agg::min:
        case Agg::max: return op == Op::add || op == Op::min || op == Op::max;
        case Agg::any:
        case Agg::all: return op == Op::logical_and || op == Op::logical_or;
        case Agg::logsumexp: return op == Op::add;
        case Agg::prod: return false;  // prod of x_k * y is prod x_k times a power of y
    }
    return false;
}

bool aggregates_nothing_empty(EinSum const& einsum) {
    for (int label : einsum.aggregated())
        if (einsum.extents[static_cast<std::size_t>(label)] == 0) return false;
    return true;
}

}  // namespace

Expr JoinChain::combine(Expr left, Expr right) const {
    if (left.empty()) return right;
    if (right.empty()) return left;
    return Expr::call(op, {std::move(left), std::move(right)});
}

std::optional<JoinChain> as_chain(EinSum const& einsum) {
    JoinChain chain;
    chain.op = einsum.join.op() == Op::sub ? Op::add : einsum.join.op();
    if (einsum.operands() < 2 || !distributes(einsum.agg, chain.op)) return std::nullopt;
    if (same_operation(einsum.agg, chain.op) && !aggregates_nothing_empty(einsum)) return std::nullopt;
    chain.factors.resize(einsum.operands());
    std::vector<Expr> const as_first(einsum.operands(), Expr::operand(0));
    for (Expr const& link : links_of(einsum.join, chain.op)) {
        auto const operands = scalar::operands_of(link);
        if (operands.size() > 1 || !scalar::labels_of(link).empty()) return std::nullopt;
        Expr& place = operands.empty() ? chain.constant : chain.factors[static_cast<std::size_t>(operands.front())];
        place = chain.combine(place, operands.empty() ? link : scalar::substitute(link, as_first));
    }
    bool const whole =
        std::none_of(chain.factors.begin(), chain.factors.end(), [](Expr const& factor) { return factor.empty(); });
    return whole ? std::optional(std::move(chain)) : std::nullopt;
}

}  // namespace ein::graph
