#include "lib/scalar/derivative/pullback.hpp"

#include <unordered_map>
#include <unordered_set>

#include "lib/scalar/derivative/pullback_rules.hpp"
#include "lib/scalar/expression/typing.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::scalar {
namespace {

/// The parts of an expression through which its value depends smoothly on wanted operands.
class SmoothParts {
public:
    SmoothParts(std::vector<Expr const*> const& parts, TypedExpr const& types, std::vector<bool> const& wanted)
        : types_(types) {
        for (Expr const* const part : parts) {
            bool const operand = part->op() == Op::operand && wanted[static_cast<std::size_t>(part->node().slot)] &&
                                 is_differentiable(types.of(*part).value.type);
            bool depends = operand;
            for (std::size_t k = 0; k < part->args().size(); ++k) depends = depends || through(*part, k);
            if (depends) smooth_.insert(&part->node());
        }
    }

    bool has(Expr const& part) const { return smooth_.count(&part.node()) > 0; }
    /// Whether the part depends on something wanted by its argument k.
    bool through(Expr const& part, std::size_t k) const { return has(part.args()[k]) && passes(part, k, types_); }

private:
    TypedExpr const& types_;
    std::unordered_set<Node const*> smooth_;
};

}  // namespace

std::vector<bool> differentiable_operands(Expr const& expr, DType compute, std::size_t operands) {
    TypedExpr const types(expr, compute);
    auto const parts = arguments_first(expr);
    SmoothParts const smooth(parts, types, std::vector<bool>(operands, true));
    std::unordered_set<Node const*> reached;
    if (smooth.has(expr)) reached.insert(&expr.node());
    std::vector<bool> differentiable(operands, false);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (!reached.count(&(*part)->node())) continue;
        if ((*part)->op() == Op::operand) differentiable[static_cast<std::size_t>((*part)->node().slot)] = true;
        for (std::size_t k = 0; k < (*part)->args().size(); ++k)
            if (smooth.through(**part, k)) reached.insert(&(*part)->args()[k].node());
    }
    return differentiable;
}

std::vector<Expr> pullback(Expr const& expr, DType compute, Expr const& cotangent, std::vector<bool> const& wanted) {
    TypedExpr const types(expr, compute);
    auto const parts = arguments_first(expr);
    SmoothParts const smooth(parts, types, wanted);
    std::unordered_map<Node const*, Expr> cotangents;
    if (smooth.has(expr)) cotangents[&expr.node()] = cotangent;

    std::vector<Expr> operands(wanted.size());
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        auto const known = cotangents.find(&(*part)->node());
        if (known == cotangents.end()) continue;
        Expr const s = known->second;
        if ((*part)->op() == Op::operand) {
            Expr& sum = operands[static_cast<std::size_t>((*part)->node().slot)];
            sum = added(sum, s);
        }
        for (std::size_t k = 0; k < (*part)->args().size(); ++k) {
            if (!smooth.through(**part, k)) continue;
            Expr& sum = cotangents[&(*part)->args()[k].node()];
            sum = added(sum, pulled_back(**part, k, s, types));
        }
    }
    return operands;
}

}  // namespace ein::scalar
