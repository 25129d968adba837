#include "lib/graph/read/pair_suspicions.hpp"

#include <algorithm>

#include "lib/graph/labels.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"

namespace ein::graph {
namespace {

using scalar::Op;

Shape without_ones(Shape shape) {
    std::erase(shape, 1);
    return shape;
}

/// Whether the file's own node brought input k to its shape.
bool was_reshaped(NodeContext const& context, std::size_t k) {
    Node const* const made_by = context.graph.producer(*context.inputs[k]);
    return made_by != nullptr && std::holds_alternative<Reshape>(made_by->op);
}

Value const& value_of(NodeContext const& context, std::size_t k) { return context.graph.value(*context.inputs[k]); }

/// Alike but for axes of extent 1, which make the result larger than both. Two of one order are written so on purpose.
std::optional<std::string> crossed(NodeContext const& context, Shape const& result) {
    Shape const shapes[]{value_of(context, 0).shape, value_of(context, 1).shape};
    std::size_t const longer = shapes[0].size() > shapes[1].size() ? 0 : 1, shorter = 1 - longer;
    Shape const common = without_ones(shapes[0]);
    bool const larger = element_count(result) > element_count(shapes[0]);
    if (common != without_ones(shapes[1]) || shapes[0].size() == shapes[1].size() || !larger) return std::nullopt;
    if (was_reshaped(context, longer)) return std::nullopt;
    std::vector<std::string> const names = context.input_names();
    return "node '" + context.name + "': '" + names[shorter] + "' of shape " + to_string(shapes[shorter]) + " and '" +
           names[longer] + "' of shape " + to_string(shapes[longer]) + " give " + to_string(result) +
           ", each element with every other; if they belong together, reshape the second: {\"op\": \"reshape\", "
           "\"inputs\": \"" +
           names[longer] + "\", \"shape\": " + Json(shapes[shorter]).dump() + "}";
}

/// Whether it is `whole`, or made of it element by element, as squares of deviations are.
bool is_made_of(NodeContext const& context, ValueId value, ValueId whole) {
    if (value == whole) return true;
    Node const* const made_by = context.graph.producer(value);
    return made_by != nullptr && context.graph.value(value).shape == context.graph.value(whole).shape &&
           std::ranges::find(made_by->inputs, whole) != made_by->inputs.end();
}

/// The axes of `whole` that a node leaves which aggregates others of them; nothing for other nodes.
std::optional<std::vector<std::size_t>> kept_axes(NodeContext const& context, Node const& node, ValueId whole) {
    auto const* const einsum = std::get_if<EinSum>(&node.op);
    if (einsum == nullptr || einsum->aggregated().empty()) return std::nullopt;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        std::vector<int> const& axes = einsum->inputs[k];
        bool const whole_order = axes.size() == context.graph.value(whole).shape.size();
        if (!whole_order || !is_made_of(context, node.inputs[k], whole)) continue;
        std::vector<std::size_t> kept;
        for (int const label : einsum->output)
            kept.push_back(static_cast<std::size_t>(std::ranges::find(axes, label) - axes.begin()));
        return kept;
    }
    return std::nullopt;
}

/// The same of what an op made of several nodes: behind what divides by a count or takes a root.
std::optional<std::vector<std::size_t>> kept_axes(NodeContext const& context, ValueId value, ValueId whole) {
    constexpr int most_steps = 4;
    for (int step = 0; step < most_steps; ++step) {
        Node const* const made_by = context.graph.producer(value);
        if (made_by == nullptr) return std::nullopt;
        if (auto found = kept_axes(context, *made_by, whole)) return found;
        auto const* const einsum = std::get_if<EinSum>(&made_by->op);
        if (einsum == nullptr || einsum->inputs[0] != einsum->output) return std::nullopt;
        value = made_by->inputs[0];
    }
    return std::nullopt;
}

/// X less its means over rows, when these meet its columns: X is a square, or it would not do.
std::optional<std::string> askew(NodeContext const& context, std::size_t whole) {
    std::size_t const mean = 1 - whole;
    auto const kept = kept_axes(context, *context.inputs[mean], *context.inputs[whole]);
    Shape const &shape = value_of(context, whole).shape, &of_mean = value_of(context, mean).shape;
    bool const lower = !of_mean.empty() && of_mean.size() < shape.size();
    if (!kept || !lower || kept->size() != of_mean.size()) return std::nullopt;
    std::size_t const lacking = shape.size() - of_mean.size();
    for (std::size_t k = 0; k < of_mean.size(); ++k) {
        if ((*kept)[k] == lacking + k || of_mean[k] < 2) continue;
        std::vector<std::string> const names = context.input_names();
        return "node '" + context.name + "': '" + names[mean] + "' has axis " + std::to_string((*kept)[k]) + " of '" +
               names[whole] + "' and meets its axis " + std::to_string(lacking + k) +
               ", since axes are aligned on the right; give '" + names[mean] +
               "' \"keepdims\": true, or write the node as an \"einsum\", whose labels say which axes belong together";
    }
    return std::nullopt;
}

bool is_summed(EinSum const& einsum, std::vector<int> const& labels) {
    return !labels.empty() && std::ranges::all_of(labels, [&](int label) { return einsum.aggregates(label); });
}

/// Whether it is a difference of the two operands, or made of one: a loss of pairs.
bool has_difference(scalar::Expr const& join) {
    return std::ranges::any_of(scalar::arguments_first(join), [](scalar::Expr const* part) {
        return part->op() == Op::sub && scalar::operands_of(*part).size() == 2;
    });
}

/// Two tensors of one shape without a label in common, whose differences are summed: over all pairs.
std::optional<std::string> all_pairs(NodeContext const& context) {
    EinSum const& einsum = context.written->einsum;
    bool const adds = context.written->agg == "sum" || context.written->agg == "mean";
    if (!adds || !context.node.has("join") || !has_difference(einsum.join)) return std::nullopt;
    Shape const& shape = value_of(context, 0).shape;
    bool const alike = shape == value_of(context, 1).shape && context.inputs[0] != context.inputs[1];
    bool const apart = std::ranges::none_of(einsum.inputs[0], [&](int label) {
        return std::ranges::find(einsum.inputs[1], label) != einsum.inputs[1].end();
    });
    bool const all = is_summed(einsum, einsum.inputs[0]) && is_summed(einsum, einsum.inputs[1]);
    if (!alike || !apart || !all || element_count(shape) < 2 || was_reshaped(context, 0) || was_reshaped(context, 1))
        return std::nullopt;
    std::vector<std::string> const names = context.input_names();
    std::string const count = std::to_string(element_count(shape));
    return "node '" + context.name + "': '" + names[0] + "' and '" + names[1] +
           "' have no label in common, so that each of " + count + " elements is compared with every one of " + count +
           "; axes that belong together need one label, as in \"i,i->\"";
}

/// A label that "sizes" alone gives, in a product of matrices: heads, it seems, that all are the same then.
std::optional<std::string> repeated(NodeContext const& context) {
    EinSum const& einsum = context.written->einsum;
    if (!context.node.has("sizes") || einsum.aggregated().empty() || context.inputs.size() < 2) return std::nullopt;
    std::vector<int> const told = scalar::labels_of(einsum.join);
    for (int const label : einsum.output) {
        Extent const extent = einsum.extents[static_cast<std::size_t>(label)];
        bool const in_input =
            std::ranges::any_of(einsum.inputs, [&](std::vector<int> const& axes) { return has_label(axes, label); });
        if (in_input || extent < 2 || has_label(told, label)) continue;
        std::string const name = "'" + einsum.labels[static_cast<std::size_t>(label)] + "'";
        return "node '" + context.name + "': no input has " + name + ", so that the result is the same " +
               std::to_string(extent) +
               " times along it; parts of an axis, as heads are, are split off before: {\"op\": " +
               "\"reshape\", ..., \"shape\": [..., " + std::to_string(extent) + ", -1]}, and then " + name +
               " is a label of the inputs too; to repeat the result, do that in a node of its own, which reads it "
               "alone";
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> broadcast_suspicions(NodeContext const& context, Shape const& result) {
    std::vector<std::string> notes;
    if (context.inputs.size() != 2 || !context.inputs_known()) return notes;
    if (auto note = crossed(context, result)) notes.push_back(std::move(*note));
    for (std::size_t const whole : {0U, 1U})
        if (auto note = askew(context, whole)) notes.push_back(std::move(*note));
    return notes;
}

std::vector<std::string> pair_suspicions(NodeContext const& context) {
    std::vector<std::string> notes;
    if (auto note = repeated(context)) notes.push_back(std::move(*note));
    if (context.inputs.size() != 2 || !context.inputs_known()) return notes;
    EinSum const& einsum = context.written->einsum;
    bool broadcasts = false;
    for (std::size_t k = 0; k < 2; ++k)
        broadcasts = broadcasts || einsum.inputs[k].size() < value_of(context, k).shape.size();
    if (broadcasts)
        if (auto note = crossed(context, einsum.output_shape())) notes.push_back(std::move(*note));
    if (auto note = all_pairs(context)) notes.push_back(std::move(*note));
    return notes;
}

}  // namespace ein::graph
