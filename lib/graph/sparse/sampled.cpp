#include "lib/graph/sparse/sampled.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lib/graph/graph_builder.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/graph/sparse/storage.hpp"

namespace ein::graph {
namespace {

/// Elements of a tensor, those that a leaf lists at most: axis k of the tensor is axis axes[k] of the leaf.
struct Pattern {
    ValueId leaf;
    std::vector<int> axes;
    friend bool operator==(Pattern const&, Pattern const&) = default;
};

bool is_distinct(std::vector<int> labels) {
    std::sort(labels.begin(), labels.end());
    return std::adjacent_find(labels.begin(), labels.end()) == labels.end();
}

/// The pattern of a tensor whose axes have `labels`, from that of one whose axes have `known_labels`: the same labels
/// in another order.
std::optional<Pattern> carried_over(Pattern const& known, std::vector<int> const& known_labels,
                                    std::vector<int> const& labels) {
    if (labels.size() != known_labels.size() || !is_distinct(labels) || !is_distinct(known_labels)) return std::nullopt;
    Pattern out{known.leaf, {}};
    for (int label : labels) {
        auto const place = std::find(known_labels.begin(), known_labels.end(), label);
        if (place == known_labels.end()) return std::nullopt;
        out.axes.push_back(known.axes[static_cast<std::size_t>(place - known_labels.begin())]);
    }
    return out;
}

/// As one would write it.
scalar::Expr literal(scalar::Scalar const& value) {
    if (value.is_integer) return scalar::Expr::integer(value.integer);
    if (value.number == 0.0) return scalar::Expr::integer(0);
    return value.number.imag() == 0 ? scalar::Expr::number(value.number.real()) : scalar::Expr::number(value.number);
}

class Sampling {
public:
    Sampling(EinGraph graph, SampleAt const& sample_at) : graph_(std::move(graph)), sample_at_(sample_at) {
        patterns_.resize(graph_.values.size());
        carried_ = carried(graph_);
        whole_ = carried_;
        whole_.insert(graph_.outputs.begin(), graph_.outputs.end());
    }

    EinGraph run() && {
        find_patterns();
        std::vector<std::vector<NodeId>> const consumers = graph_.consumers();
        for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
            Node const& node = graph_.nodes[n];
            if (!may_be_sampled(node)) continue;
            std::optional<Pattern> const pattern = read_at(node.output, consumers[at(node.output)]);
            if (pattern) sampled_.emplace(node.output, *pattern);
        }
        return std::move(*this).with_places();
    }

private:
    struct Known {
        std::optional<Pattern> pattern;
        std::optional<scalar::Scalar> fill;  // with a pattern: of all else
    };

    /// What tensors list, of leaves and of what follows from them element by element.
    void find_patterns() {
        for (Leaf const& leaf : graph_.leaves) {
            Value const& value = graph_.value(leaf.value);
            if (!value.listing || std::isnan(value.listing->fill.number.real()) || !sample_at_(graph_, leaf)) continue;
            Pattern pattern{leaf.value, {}};
            for (std::size_t axis = 0; axis < value.shape.size(); ++axis)
                pattern.axes.push_back(static_cast<int>(axis));
            patterns_[at(leaf.value)] = {pattern, value.listing->fill};
        }
        for (Node const& node : graph_.nodes) {
            auto const* const einsum = std::get_if<EinSum>(&node.op);
            if (einsum == nullptr || !einsum->aggregated().empty() || node.storage == StorageWish::dense) continue;
            if (carried_.contains(node.output)) continue;  // another iteration has another
            IdleSets const idle = idle_sets_of(node);
            if (auto pattern = one_of(node, idle, einsum->output))
                patterns_[at(node.output)] = {*std::move(pattern), *idle.fill};
        }
    }

    IdleSets idle_sets_of(Node const& node) const {
        std::vector<DType> types;
        std::vector<std::optional<scalar::Scalar>> fills;
        for (ValueId input : node.inputs) {
            types.push_back(graph_.value(input).dtype);
            fills.push_back(patterns_[at(input)].fill);
        }
        return idle_sets(std::get<EinSum>(node.op), types, fills, graph_.value(node.output).dtype);
    }

    /// A pattern that holds for what has these labels: of an operand without which nothing is contributed.
    std::optional<Pattern> one_of(Node const& node, IdleSets const& idle, std::vector<int> const& labels) const {
        for (std::vector<int> const& set : idle.sets) {
            if (set.size() != 1) continue;
            std::size_t const k = at(set[0]);
            auto const& own = std::get<EinSum>(node.op).inputs[k];
            if (auto pattern = carried_over(*patterns_[at(node.inputs[k])].pattern, own, labels)) return pattern;
        }
        return std::nullopt;
    }

    bool may_be_sampled(Node const& node) const {
        auto const* const einsum = std::get_if<EinSum>(&node.op);
        Value const& value = graph_.value(node.output);
        if (einsum == nullptr || whole_.contains(node.output) || node.storage != StorageWish::none || node.path ||
            node.sharding || !node.fixed.empty())
            return false;
        if (is_exact(value.dtype)) return false;
        if (!einsum->aggregated().empty() && einsum->agg != scalar::Agg::sum) return false;
        return idle_sets_of(node).sets.empty();
    }

    /// Where alone it is read; nothing where somebody reads it elsewhere.
    std::optional<Pattern> read_at(ValueId value, std::vector<NodeId> const& consumers) const {
        std::optional<Pattern> out;
        for (NodeId consumer : consumers) {
            Node const& node = graph_.node(consumer);
            auto const* const einsum = std::get_if<EinSum>(&node.op);
            if (einsum == nullptr) return std::nullopt;
            std::optional<Pattern> const own = sampled(node);
            for (std::size_t k = 0; k < node.inputs.size(); ++k) {
                if (node.inputs[k] != value) continue;
                std::optional<Pattern> const here = own ? carried_over(*own, einsum->output, einsum->inputs[k])
                                                        : one_of(node, idle_sets_of(node), einsum->inputs[k]);
                if (!here || (out && *out != *here)) return std::nullopt;
                out = here;
            }
        }
        return out;
    }

    std::optional<Pattern> sampled(Node const& node) const {
        auto const found = sampled_.find(node.output);
        return found == sampled_.end() ? std::nullopt : std::optional(found->second);
    }

    EinGraph with_places() && {
        if (sampled_.empty()) return std::move(graph_);
        std::vector<Node> nodes;
        nodes.swap(graph_.nodes);
        GraphBuilder builder(std::move(graph_));
        std::map<std::pair<ValueId, DType>, ValueId> places;  // of a leaf, in a type
        for (auto const& [value, pattern] : sampled_)
            places.emplace(std::pair(pattern.leaf, builder.value(value).dtype), ValueId{});
        for (auto& [of, value] : places) value = add_places(builder, of.first, of.second);
        for (Node& node : nodes) {
            if (auto const pattern = sampled(node))
                add_operand(node, places.at({pattern->leaf, builder.value(node.output).dtype}), *pattern);
            builder.append(std::move(node));
        }
        return builder.take();
    }

    static ValueId add_places(GraphBuilder& builder, ValueId leaf, DType dtype) {
        Value const like = builder.value(leaf);
        EinSum einsum = identity_einsum(like.shape);
        scalar::Expr is_fill =
            scalar::Expr::call(scalar::Op::eq, {std::move(einsum.join), literal(like.listing->fill)});
        einsum.join = scalar::Expr::call(scalar::Op::where,
                                         {std::move(is_fill), scalar::Expr::integer(0), scalar::Expr::integer(1)});
        return NodeBuilder(builder, like.name).einsum("places", std::move(einsum), {leaf}, dtype);
    }

    static void add_operand(Node& node, ValueId places, Pattern const& pattern) {
        auto& einsum = std::get<EinSum>(node.op);
        std::vector<int> labels(pattern.axes.size());
        for (std::size_t axis = 0; axis < labels.size(); ++axis) labels[at(pattern.axes[axis])] = einsum.output[axis];
        einsum.join = scalar::Expr::operand(static_cast<int>(einsum.operands())) * std::move(einsum.join);
        einsum.inputs.push_back(std::move(labels));
        node.inputs.push_back(places);
    }

    EinGraph graph_;
    SampleAt const& sample_at_;
    std::vector<Known> patterns_;         // by value
    std::set<ValueId> carried_, whole_;   // by loops; and what is wanted whole
    std::map<ValueId, Pattern> sampled_;  // results, and where
};

}  // namespace

std::string places_name(EinGraph const& graph, Leaf const& leaf) { return graph.value(leaf.value).name + ":places"; }

EinGraph sample_at_listed(EinGraph graph, SampleAt const& sample_at) {
    return Sampling(std::move(graph), sample_at).run();
}

}  // namespace ein::graph
