#include "lib/graph/einsum.hpp"

#include <algorithm>
#include <numeric>

#include "lib/graph/indicator.hpp"
#include "lib/graph/labels.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

constexpr std::size_t few_labels = 16;  // are looked through faster than sorted

bool all_distinct(std::vector<int> labels) {
    std::sort(labels.begin(), labels.end());
    return std::adjacent_find(labels.begin(), labels.end()) == labels.end();
}

/// Operations of an expression, each shared subexpression once.
double operations(Expr const& expr) {
    auto const parts = scalar::arguments_first(expr);
    return static_cast<double>(
        std::count_if(parts.begin(), parts.end(), [](Expr const* part) { return !part->args().empty(); }));
}

/// The operand and label of "operand == [label]", in either order.
std::optional<std::pair<int, int>> operand_equals_label(Expr const& expr) {
    if (expr.op() != Op::eq) return std::nullopt;
    Expr const& left = expr.args()[0];
    Expr const& right = expr.args()[1];
    if (left.op() == Op::operand && right.op() == Op::index) return std::pair{left.node().slot, right.node().slot};
    if (left.op() == Op::index && right.op() == Op::operand) return std::pair{right.node().slot, left.node().slot};
    return std::nullopt;
}

/// Whether a number adds nothing to an aggregation, or to the least or greatest what any number does.
bool stands_for_nothing(Expr const& expr, scalar::Agg agg) {
    if (agg == scalar::Agg::sum) return scalar::is_number(expr, 0);
    if (agg == scalar::Agg::prod) return scalar::is_number(expr, 1);
    bool const compares = agg == scalar::Agg::min || agg == scalar::Agg::max;
    return compares && expr.op() == Op::number && expr.node().value == expr.node().value;
}

/// where(y == [v], x, 0) under a sum, and its likes under others.
std::optional<Lookup> chosen_by_position(EinSum const& einsum) {
    if (einsum.operands() != 2 || einsum.join.op() != Op::where) return std::nullopt;
    auto const& args = einsum.join.args();
    auto const comparison = operand_equals_label(args[0]);
    if (!comparison || args[1].op() != Op::operand || !stands_for_nothing(args[2], einsum.agg)) return std::nullopt;
    Lookup const found{args[1].node().slot, comparison->first, comparison->second};
    bool const distinct =
        found.data != found.positions && all_distinct(einsum.inputs[0]) && all_distinct(einsum.inputs[1]);
    return distinct ? std::optional(found) : std::nullopt;
}

/// Whether the output has a label, besides `own`, that no operand has.
bool broadcasts(EinSum const& einsum, int own) {
    return std::any_of(einsum.output.begin(), einsum.output.end(), [&](int label) {
        return label != own && !has_label(einsum.inputs[0], label) && !has_label(einsum.inputs[1], label);
    });
}

}  // namespace

bool EinSum::aggregates(int label) const { return !has_label(output, label); }

std::vector<int> EinSum::aggregated() const {
    std::vector<int> lacking;
    if (!aggregates_any()) return lacking;
    lacking.reserve(labels.size() - output.size());
    std::vector<int> kept;
    if (output.size() > few_labels) {
        kept = output;
        std::sort(kept.begin(), kept.end());
    }
    for (int label = 0; label < static_cast<int>(labels.size()); ++label)
        if (kept.empty() ? aggregates(label) : !std::binary_search(kept.begin(), kept.end(), label))
            lacking.push_back(label);
    return lacking;
}

Shape EinSum::output_shape() const {
    Shape shape;
    for (int label : output) shape.push_back(extents[static_cast<std::size_t>(label)]);
    return shape;
}

EinSum identity_einsum(Shape const& shape) {
    EinSum einsum;
    einsum.extents = shape;
    einsum.output.resize(shape.size());
    std::iota(einsum.output.begin(), einsum.output.end(), 0);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) einsum.labels.push_back("axis" + std::to_string(axis));
    einsum.inputs = {einsum.output};
    einsum.join = Expr::operand(0);
    return einsum;
}

bool is_copy(EinSum const& einsum) {
    return einsum.operands() == 1 && einsum.inputs[0] == einsum.output && einsum.join.op() == Op::operand &&
           einsum.labels.size() == einsum.output.size();
}

bool is_rows_by_columns(EinSum const& einsum) {
    auto const lacks_output_label = [&](std::vector<int> const& axes) {
        return std::any_of(einsum.output.begin(), einsum.output.end(),
                           [&](int label) { return std::count(axes.begin(), axes.end(), label) == 0; });
    };
    return einsum.inputs.size() == 2 && einsum.aggregates_any() && lacks_output_label(einsum.inputs[0]) &&
           lacks_output_label(einsum.inputs[1]);
}

double flops(EinSum const& einsum, std::span<Extent const> lengths) {
    if (looks_up(einsum)) {
        double elements = 1;
        for (int label : einsum.output) elements *= static_cast<double>(lengths[static_cast<std::size_t>(label)]);
        return elements;
    }
    double const aggregation = einsum.aggregates_any() ? 1 : 0;
    double points = 1;
    for (Extent length : lengths) points *= static_cast<double>(length);
    auto const without = [&](int label) {
        return points / static_cast<double>(std::max<Extent>(1, lengths[static_cast<std::size_t>(label)]));
    };
    if (auto const scatter = scatters(einsum)) return without(scatter->label);
    if (auto const grouping = as_grouping(einsum)) return without(grouping->label);
    if (auto const count = as_count(einsum)) return without(count->label);
    return points * (operations(einsum.join) + aggregation);
}

std::optional<Lookup> as_lookup(EinSum const& einsum) {
    std::optional<Lookup> const lookup = chosen_by_position(einsum);
    if (!lookup || einsum.agg != scalar::Agg::sum || einsum.aggregated() != std::vector<int>{lookup->label})
        return std::nullopt;
    auto const& data = einsum.inputs[static_cast<std::size_t>(lookup->data)];
    auto const& positions = einsum.inputs[static_cast<std::size_t>(lookup->positions)];
    bool const labels_fit = has_label(data, lookup->label) && !has_label(positions, lookup->label);
    return labels_fit && !broadcasts(einsum, -1) ? lookup : std::nullopt;
}

std::optional<Lookup> as_scatter(EinSum const& einsum) {
    return einsum.agg == scalar::Agg::sum ? as_grouping(einsum) : std::nullopt;
}

std::optional<Lookup> as_grouping(EinSum const& einsum) {
    std::optional<Lookup> const scatter = chosen_by_position(einsum);
    if (!scatter || !has_label(einsum.output, scatter->label)) return std::nullopt;
    auto const& data = einsum.inputs[static_cast<std::size_t>(scatter->data)];
    auto const& positions = einsum.inputs[static_cast<std::size_t>(scatter->positions)];
    std::vector<int> const aggregated = einsum.aggregated();
    bool const over_positions =
        !aggregated.empty() &&
        std::all_of(aggregated.begin(), aggregated.end(), [&](int label) { return has_label(positions, label); });
    bool const labels_fit = !has_label(data, scatter->label) && !has_label(positions, scatter->label);
    return over_positions && labels_fit && !broadcasts(einsum, scatter->label) ? scatter : std::nullopt;
}

}  // namespace ein::graph
