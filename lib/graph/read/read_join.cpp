#include "lib/graph/read/read_join.hpp"

#include "lib/graph/read/fields.hpp"
#include "lib/scalar/type.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;

constexpr std::size_t longest_chain = 64;

Expr balanced_product(std::size_t first, std::size_t count) {
    if (count == 1) return Expr::operand(static_cast<int>(first));
    std::size_t const half = (count + 1) / 2;
    return balanced_product(first, half) * balanced_product(first + half, count - half);
}

std::string indented(std::string const& lines) {
    std::string out = "\n  ";
    for (char c : lines) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
    return out;
}

}  // namespace

Expr product_of_all(std::size_t operands) {
    return operands <= longest_chain ? scalar::product(static_cast<int>(operands)) : balanced_product(0, operands);
}

std::optional<Join> read_join(Cursor const& node, scalar::Names const& names) {
    if (!node.has("join")) return Join{product_of_all(static_cast<std::size_t>(names.operands)), {}};
    Cursor const at = node.at("join");
    if (!at.value().is_string()) return std::nullopt;  // told by the syntax check
    std::string const text = at.value().get<std::string>();
    scalar::ParseResult result = scalar::parse(text, names, scalar::max_join_depth);
    for (scalar::ParseFault const& fault : result.faults)
        at.fail(fault.expected, fault.found, fault.mend + indented(scalar::with_caret(text, fault.where)));
    return result.faults.empty() ? std::optional(Join{std::move(result.expr), std::move(result.places)}) : std::nullopt;
}

namespace {

/// The join's text with a caret below what `where` was read from.
std::string caret(Cursor const& join, scalar::Places const& places, scalar::Node const* where) {
    auto const place = places.find(where);
    if (place == places.end()) return "";
    return indented(scalar::with_caret(join.value().get_ref<std::string const&>(), place->second));
}

}  // namespace

std::optional<DType> check_join_type(Cursor const& node, Join const& join, std::vector<DType> const& inputs,
                                     DType output) {
    DType const compute = compute_type(join.expr, inputs, output);
    scalar::TypeResult const result = scalar::type_of(join.expr, compute, compute_dtype({}, output));
    Cursor const at = node.has("join") ? node.at("join") : node;
    if (result.problem.empty() && is_complex(result.type) && !is_complex(compute) && !is_complex(output)) {
        at.fail("a real join, or a complex dtype", "a complex join into " + std::string(name(output)),
                "give the node \"dtype\": \"" + std::string(name(result.type)) + "\", or take real() of it");
        return std::nullopt;
    }
    if (result.problem.empty()) return result.type;
    at.fail(
        "a join that has a type for operands of " + std::string(name(compute)), result.problem,
        (is_complex(compute) ? "take abs(), real() or imag() first" : "cast the operand, or correct the expression") +
            caret(at, join.places, result.where));
    return std::nullopt;
}

}  // namespace ein::graph
