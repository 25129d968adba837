#include "lib/graph/best_search.hpp"

#include <limits>

#include "lib/scalar/expression/type.hpp"

namespace ein::graph {

using scalar::Expr;
using scalar::Op;

std::optional<BestSearch> as_best_search(EinSum const& einsum) {
    Expr const& join = einsum.join;
    if (join.op() != Op::where || einsum.agg != scalar::Agg::min || einsum.operands() < 2) return std::nullopt;
    Expr const &condition = join.args()[0], &index = join.args()[1], &otherwise = join.args()[2];
    bool const looks_for_it = condition.op() == Op::logical_or && condition.args()[0].op() == Op::eq &&
                              condition.args()[1].op() == Op::ne && index.op() == Op::index &&
                              otherwise.op() == Op::number && otherwise.node().integral &&
                              otherwise.node().integer == std::numeric_limits<std::int64_t>::max();
    if (!looks_for_it) return std::nullopt;
    Expr const &value = condition.args()[0].args()[0], &best = condition.args()[0].args()[1];
    Expr const& nan = condition.args()[1];
    bool const same = nan.args()[0] == value && nan.args()[1] == value && best.op() == Op::operand;
    if (!same || !scalar::labels_of(value).empty()) return std::nullopt;
    BestSearch out{value, index.node().slot, static_cast<std::size_t>(best.node().slot)};
    for (int operand : scalar::operands_of(value))
        if (static_cast<std::size_t>(operand) == out.best) return std::nullopt;
    bool const of_outputs = einsum.inputs[out.best] == einsum.output;
    return of_outputs && einsum.aggregated() == std::vector<int>{out.label} ? std::optional(out) : std::nullopt;
}

bool is_best_of(EinSum const& best, EinSum const& einsum, BestSearch const& search) {
    bool const extreme = best.agg == scalar::Agg::min || best.agg == scalar::Agg::max;
    std::vector<std::vector<int>> inputs = einsum.inputs;
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(search.best));
    std::vector<Expr> numbers;  // of the operands without that one
    for (std::size_t k = 0; k < einsum.operands(); ++k)
        numbers.push_back(Expr::operand(static_cast<int>(k > search.best ? k - 1 : k)));
    return extreme && best.output == einsum.output && best.inputs == inputs &&
           best.join == scalar::substitute(search.value, numbers);
}

}  // namespace ein::graph
