#include "lib/graph/read/einsum/read_join.hpp"

#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/tuning.hpp"
#include "lib/scalar/expression/type.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;

Expr balanced_product(std::size_t first, std::size_t count) {
    if (count == 1) return Expr::operand(static_cast<int>(first));
    std::size_t const half = (count + 1) / 2;
    return balanced_product(first, half) * balanced_product(first + half, count - half);
}

}  // namespace

Expr product_of_all(std::size_t operands) {
    return operands <= tuning::longest_chain ? scalar::product(static_cast<int>(operands))
                                             : balanced_product(0, operands);
}

std::optional<Join> read_join(Cursor const& node, scalar::Names const& names, MendFaults const& mend) {
    if (!node.has("join")) return Join{product_of_all(static_cast<std::size_t>(names.operands)), {}};
    Cursor const at = node.at("join");
    if (!at.value().is_string()) return std::nullopt;  // reported by the syntax check
    auto read = read_expression(at, names, mend);
    return read ? std::optional(Join{std::move(read->expr), std::move(read->places)}) : std::nullopt;
}

std::optional<DType> check_join_type(Cursor const& node, Join const& join, std::vector<DType> const& inputs,
                                     DType output, std::optional<DType> compute) {
    return check_expression_type(node.has("join") ? node.at("join") : node, join, inputs, output, compute);
}

std::optional<DType> check_expression_type(Cursor const& at, ReadExpression const& join,
                                           std::vector<DType> const& inputs, DType output,
                                           std::optional<DType> wanted) {
    DType const compute = wanted.value_or(compute_type(join.expr, inputs, output));
    scalar::TypeResult const result = scalar::type_of(join.expr, compute, compute_dtype({}, output));
    if (result.problem.empty() && is_complex(result.type) && !is_complex(compute) && !is_complex(output)) {
        at.fail("a real join, or a complex dtype", "a complex join into " + std::string(name(output)),
                "give the node \"dtype\": \"" + std::string(name(result.type)) + "\", or take real() of it");
        return std::nullopt;
    }
    if (result.problem.empty()) return result.type;
    at.fail(
        "a join that has a type for operands of " + std::string(name(compute)), result.problem,
        (is_complex(compute) ? "take abs(), real() or imag() first" : "cast the operand, or correct the expression") +
            caret_below(at, join.places, result.where));
    return std::nullopt;
}

}  // namespace ein::graph
