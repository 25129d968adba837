#include "lib/graph/update.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lib/graph/labels.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// Conditions cost as much as so many elements that are copied.
constexpr double elements_a_condition = 16;

/// Adds the conditions that decide whether the expression is an operand. @return whether it may be
bool add_conditions(Expr const& expr, int operand, std::vector<Expr const*>& conditions) {
    if (expr.op() == Op::operand) return expr.node().slot == operand;
    if (expr.op() != Op::where) return false;
    bool const first = add_conditions(expr.args()[1], operand, conditions);
    bool const second = add_conditions(expr.args()[2], operand, conditions);
    if (first || second) conditions.push_back(&expr.args()[0]);
    return first || second;
}

/// Whether integers of a type never wrap on the way to the condition's value: it compares what they are, or sums of a
/// few small ones.
bool is_plain(Expr const& condition, DType compute) {
    bool const is_wide = compute == DType::i32 || compute == DType::i64;
    constexpr double small = 1 << 24;
    auto const parts = scalar::arguments_first(condition);
    return std::all_of(parts.begin(), parts.end(), [&](Expr const* part) {
        switch (part->op()) {
            case Op::number: return std::abs(part->node().value.real()) <= (is_wide ? small : 1.0);
            case Op::index:
            case Op::add:
            case Op::sub: return is_wide;
            case Op::operand:
            case Op::eq:
            case Op::ne:
            case Op::lt:
            case Op::le:
            case Op::gt:
            case Op::ge:
            case Op::logical_and:
            case Op::logical_or:
            case Op::logical_not: return true;
            default: return false;
        }
    });
}

double elements(std::vector<int> const& labels, std::span<Extent const> lengths) {
    double count = 1;
    for (int label : std::set<int>(labels.begin(), labels.end()))
        count *= static_cast<double>(lengths[static_cast<std::size_t>(label)]);
    return count;
}

}  // namespace

std::optional<Update> as_update(EinSum const& einsum, std::size_t operand, std::span<Extent const> lengths,
                                DType compute) {
    std::vector<Expr const*> conditions;
    bool const may_be = einsum.join.op() == Op::where && einsum.inputs[operand] == einsum.output &&
                        einsum.aggregated().empty() &&
                        add_conditions(einsum.join, static_cast<int>(operand), conditions);
    if (!may_be || kind(compute) == Kind::complex) return std::nullopt;
    std::set<int> asked, labels;
    for (Expr const* const condition : conditions) {
        if (is_exact(compute) && !is_plain(*condition, compute)) return std::nullopt;
        for (int k : scalar::operands_of(*condition)) asked.insert(k);
        for (int label : scalar::labels_of(*condition)) labels.insert(label);
    }
    double looked_at = 0;
    for (int k : asked) {
        std::vector<int> const& axes = einsum.inputs[static_cast<std::size_t>(k)];
        if (std::set<int>(axes.begin(), axes.end()).size() < axes.size()) return std::nullopt;  // a diagonal
        looked_at += elements(axes, lengths);
        labels.insert(axes.begin(), axes.end());
    }
    if (asked.empty() || asked.contains(static_cast<int>(operand)) ||
        looked_at * elements_a_condition > elements(einsum.output, lengths))
        return std::nullopt;
    Update out{{asked.begin(), asked.end()}, {labels.begin(), labels.end()}, 1};
    for (int label : out.labels) {
        bool written = false;  // by a value that has the label
        for (int k : scalar::operands_of(einsum.join))
            written = written || (k != static_cast<int>(operand) && !asked.contains(k) &&
                                  has_label(einsum.inputs[static_cast<std::size_t>(k)], label));
        if (!written) out.share /= static_cast<double>(std::max<Extent>(1, lengths[static_cast<std::size_t>(label)]));
    }
    return out;
}

}  // namespace ein::graph
