#include "lib/scalar/regions/prefix.hpp"

#include <map>

namespace ein::scalar {
namespace {

/// Whole multiples of indices, and a number.
struct Affine {
    std::map<int, Extent> of;
    Extent constant = 0;

    void add(Affine const& other, Extent times) {
        for (auto const& [label, factor] : other.of) of[label] += times * factor;
        constant += times * other.constant;
    }
};

std::optional<Affine> as_affine(Expr const& expr, int depth = 0) {
    constexpr int deepest = 40;
    constexpr std::int64_t largest = std::int64_t{1} << 40;
    Affine out;
    if (expr.op() == Op::index) {
        out.of[expr.node().slot] = 1;
        return out;
    }
    if (expr.op() == Op::number && expr.node().integral && expr.node().name.empty()) {
        out.constant = expr.node().integer;
        return out.constant > largest || out.constant < -largest ? std::nullopt : std::optional(out);
    }
    if (depth == deepest) return std::nullopt;
    bool const sums = expr.op() == Op::add || expr.op() == Op::sub;
    if (!sums && expr.op() != Op::neg) return std::nullopt;
    std::optional<Affine> const left = as_affine(expr.args()[0], depth + 1);
    std::optional<Affine> const right = sums ? as_affine(expr.args()[1], depth + 1) : Affine{};
    if (!left || !right) return std::nullopt;
    out.add(*left, expr.op() == Op::neg ? -1 : 1);
    if (sums) out.add(*right, expr.op() == Op::add ? 1 : -1);
    return out;
}

}  // namespace

std::optional<Prefix> as_prefix(Expr const& condition, int term, bool where_true) {
    if (condition.op() == Op::logical_not) return as_prefix(condition.args()[0], term, !where_true);
    Op op = condition.op();
    if (op != Op::lt && op != Op::le && op != Op::gt && op != Op::ge) return std::nullopt;
    std::optional<Affine> const left = as_affine(condition.args()[0]), right = as_affine(condition.args()[1]);
    if (!left || !right) return std::nullopt;
    Affine rest = *left;  // rest op 0
    rest.add(*right, -1);
    if (!where_true) op = op == Op::lt ? Op::ge : op == Op::le ? Op::gt : op == Op::gt ? Op::le : Op::lt;
    if (op == Op::gt || op == Op::ge) {
        Affine turned;
        turned.add(rest, -1);
        rest = turned;
        op = op == Op::gt ? Op::lt : Op::le;
    }
    if (op == Op::lt) rest.constant += 1;  // whole numbers: rest <= 0
    std::erase_if(rest.of, [](auto const& entry) { return entry.second == 0; });
    if (rest.of.size() != 2 || !rest.of.contains(term)) return std::nullopt;
    auto const output = rest.of.begin()->first == term ? std::next(rest.of.begin()) : rest.of.begin();
    Extent const of_term = rest.of.at(term);
    if (output->second != -of_term || (of_term != 1 && of_term != -1)) return std::nullopt;
    // j - i + c <= 0: j <= i - c; i - j + c <= 0: j >= i + c
    return Prefix{output->first, of_term == 1 ? -rest.constant : rest.constant, of_term == -1};
}

}  // namespace ein::scalar
