#include "scheduler/ia/place_plan.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <set>

#include "lib/base/error.hpp"
#include "scheduler/ia/search.hpp"
#include "scheduler/tuning.hpp"

namespace ein::ia {
namespace {

using graph::EinSum;
using Labels = std::vector<int>;

std::size_t at(int label) { return static_cast<std::size_t>(label); }
bool has(Labels const& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

bool distinct_labels(Labels labels) {
    std::sort(labels.begin(), labels.end());
    return std::adjacent_find(labels.begin(), labels.end()) == labels.end();
}

/// Whether the algebra has the node: no diagonal, and no label of the output alone.
bool expressible(EinSum const& einsum) {
    if (einsum.operands() > scheduler::tuning::most_operands) return false;
    std::set<int> read;
    for (Labels const& labels : einsum.inputs) {
        if (!distinct_labels(labels)) return false;
        read.insert(labels.begin(), labels.end());
    }
    if (read.size() != einsum.labels.size()) return false;
    double elements = 1;
    for (Extent extent : einsum.extents) elements *= static_cast<double>(extent);
    return einsum.operands() < 3 || elements <= scheduler::tuning::most_elements;
}

/// Which axes and labels go together all through the graph: a number for each, the same for those that share labels.
class AxisClasses {
public:
    explicit AxisClasses(graph::EinGraph const& graph) {
        for (graph::Value const& value : graph.values) first_axis_.push_back(next(value.shape.size()));
        for (graph::Node const& node : graph.nodes) {
            auto const* const einsum = std::get_if<EinSum>(&node.op);
            first_label_.push_back(next(einsum ? einsum->labels.size() : 0));
            if (!einsum) continue;
            for (std::size_t k = 0; k < einsum->operands(); ++k) unite(node.inputs[k], einsum->inputs[k]);
            unite(node.output, einsum->output);
        }
    }
    std::size_t of_label(std::size_t node, int label) { return root(first_label_[node] + at(label)); }

private:
    std::size_t next(std::size_t count) {
        std::size_t const first = parent_.size();
        for (std::size_t k = 0; k < count; ++k) parent_.push_back(parent_.size());
        return first;
    }
    void unite(ValueId value, Labels const& labels) {
        for (std::size_t axis = 0; axis < labels.size(); ++axis) {
            std::size_t const a = root(first_axis_[static_cast<std::size_t>(value.value())] + axis);
            std::size_t const b = root(first_label_.back() + at(labels[axis]));
            parent_[std::max(a, b)] = std::min(a, b);
        }
    }
    std::size_t root(std::size_t k) {
        while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
        return k;
    }
    std::vector<std::size_t> parent_, first_axis_, first_label_;
};

/// A value under one cut, as a relation: key part d is the block coordinate along an axis that is cut.
struct Relation {
    tra::Expr expr;
    Labels axis_of_dim;
};
using CutValue = std::pair<ValueId, Parts>;

/// The name of the kernel of a subgraph's k-th node, by which its join is found again in what the search makes of it.
/// Subgraphs made alike are equal, and searched once.
std::string kernel_name(std::size_t k) { return "#" + std::to_string(k); }

/// The nodes of the subgraph whose kernels are in a kernel.
void nodes_in(Kernel const& kernel, std::vector<std::size_t>& nodes) {
    if (kernel.is_operand()) return;
    std::string const& name = kernel.op().name;
    if (!name.empty() && name[0] == '#') nodes.push_back(std::stoul(name.substr(1)));
    for (Kernel const& arg : kernel.args()) nodes_in(arg, nodes);
}

class Placing {
public:
    Placing(graph::EinGraph const& graph, relation::Plan const& plan, PlacingOptions const& options)
        : graph_(graph), plan_(plan), options_(options), classes_(graph), readers_(graph.consumers()) {
        placed_.ranks.resize(graph.nodes.size());
    }

    PlacedPlan run() {
        if (relation::used_ranks(plan_) == 1) return std::move(placed_);
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
            auto const* const einsum = std::get_if<EinSum>(&graph_.nodes[node].op);
            bool const there = einsum && expressible(*einsum) && plan_.nodes[node].ranks.empty();
            if (there) add(node, *einsum);
            // Where something else stands between, for layers that are alike to be cut alike.
            bool const pause = !there && 2 * stretch_.size() > options_.max_operators;
            if (pause || stretch_.size() == options_.max_operators) solve(node);
        }
        solve(graph_.nodes.size());
        return std::move(placed_);
    }

private:
    // ---- one subgraph as an expression of the algebra ----

    void add(std::size_t number, EinSum const& einsum) {
        graph::Node const& node = graph_.nodes[number];
        relation::NodePlan const& plan = plan_.nodes[number];
        std::vector<Relation> operands;
        std::vector<Labels> labels;  // of each operand's key parts
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            operands.push_back(relation_of({node.inputs[k], *relation::input_parts(node, plan, k)}));
            labels.emplace_back();
            for (int axis : operands.back().axis_of_dim) labels.back().push_back(einsum.inputs[k][at(axis)]);
        }
        auto [made, keys] = joined(einsum, operands, labels);
        join_keys_.push_back(keys);
        Labels result = keys;
        if (std::any_of(keys.begin(), keys.end(), [&](int label) { return einsum.aggregates(label); })) {
            KeyDims by;
            result.clear();
            for (int label : einsum.output)
                if (auto const dim = tra::position(keys, label)) by.push_back(*dim), result.push_back(label);
            made = tra::aggregate(by, tra::kernels::mat_add(), made);
        }
        Labels axes;
        for (int label : result) axes.push_back(*tra::position(einsum.output, label));
        stretch_.push_back(number);
        made_.insert_or_assign({node.output, relation::output_parts(node, plan)}, Relation{made, axes});
    }

    /// The node's join, or transform of one operand, and the labels of its key parts.
    std::pair<tra::Expr, Labels> joined(EinSum const& einsum, std::vector<Relation> const& operands,
                                        std::vector<Labels> const& labels) const {
        std::string const name = kernel_name(stretch_.size());
        if (operands.size() == 1)
            return {tra::transform(kernel(name, einsum, {einsum.inputs[0]}, einsum.output), operands[0].expr),
                    labels[0]};
        tra::Expr expr = operands[0].expr;
        Labels keys = labels[0], array = einsum.inputs[0];
        for (std::size_t k = 1; k < operands.size(); ++k) {
            bool const last = k + 1 == operands.size();
            KeyDims left, right;
            for (std::size_t d = 0; d < labels[k].size(); ++d) {
                auto const there = tra::position(keys, labels[k][d]);
                if (there)
                    left.push_back(*there), right.push_back(static_cast<int>(d));
                else
                    keys.push_back(labels[k][d]);
            }
            Labels all = array;
            for (int label : einsum.inputs[k])
                if (!has(all, label)) all.push_back(label);
            Kernel const made =
                kernel(last ? name : "partly", einsum, {array, einsum.inputs[k]}, last ? einsum.output : all);
            expr = tra::join(left, right, made, expr, operands[k].expr);
            array = all;
        }
        return {expr, keys};
    }

    static Kernel kernel(std::string name, EinSum const& einsum, std::vector<Labels> inputs, Labels output) {
        std::vector<Kernel> operands;
        for (std::size_t k = 0; k < inputs.size(); ++k) operands.push_back(Kernel::operand(static_cast<int>(k)));
        tra::Contraction act{std::move(inputs), std::move(output), einsum.join, einsum.agg};
        return Kernel::apply({std::move(name), std::move(act)}, std::move(operands));
    }

    /// A value that the subgraph made under this cut, or an input.
    Relation relation_of(CutValue const& cut) {
        read_.insert(cut);
        auto const known = made_.find(cut);
        if (known != made_.end()) return known->second;
        Shape const& shape = graph_.value(cut.first).shape;
        Labels axes;
        RelationType type;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            Extent const parts = cut.second[axis];
            type.bound.push_back((shape[axis] + parts - 1) / parts);
            if (parts == 1) continue;
            type.frontier.push_back(parts);
            axes.push_back(static_cast<int>(axis));
        }
        std::string const name = "v" + std::to_string(inputs_.size());
        inputs_.emplace(name, FreeInput{std::move(type), layouts_of(cut, axes), false});
        return made_.emplace(cut, Relation{tra::input(name), std::move(axes)}).first->second;
    }

    /// As an earlier subgraph left it; else partitioned along any axis that is cut.
    std::vector<Sites> layouts_of(CutValue const& cut, Labels const& axes) const {
        auto const left = left_.find(cut);
        if (left != left_.end()) {
            KeyDims dims;
            for (int axis : left->second.dims()) dims.push_back(*tra::position(axes, axis));
            return {left->second.is_all() ? left->second : Sites::part(std::move(dims))};
        }
        std::vector<Sites> layouts;
        for (std::size_t dim = 0; dim < axes.size(); ++dim) layouts.push_back(Sites::part({static_cast<int>(dim)}));
        if (layouts.empty()) layouts.push_back(Sites::part({}));
        return layouts;
    }

    // ---- what the search finds ----

    void solve(std::size_t last) {
        std::vector<tra::Expr> roots;
        std::vector<CutValue> values;
        for (std::size_t number : stretch_) {
            graph::Node const& node = graph_.nodes[number];
            CutValue const cut{node.output, relation::output_parts(node, plan_.nodes[number])};
            auto const& readers = readers_[static_cast<std::size_t>(node.output.value())];
            bool const later = !readers.empty() && static_cast<std::size_t>(readers.back().value()) > last;
            if (read_.contains(cut) && !later) continue;
            roots.push_back(made_.at(cut).expr);
            values.push_back(cut);
        }
        if (!roots.empty())
            if (auto const& found = searched(roots)) take(*found, values);
        stretch_.clear(), made_.clear(), inputs_.clear(), read_.clear(), join_keys_.clear();
    }

    /// The search's result, or nothing: then other placers place the subgraph. What was searched before is known.
    std::optional<Found> const& searched(std::vector<tra::Expr> const& roots) {
        for (Searched const& before : searched_)
            if (before.inputs == inputs_ && before.roots == roots) return before.found;
        SearchOptions how{relation::used_ranks(plan_), options_.max_states, options_.max_ways, true};
        std::optional<Found> found = found_by(roots, how);
        how.spread_joins = false;
        if (!found) found = found_by(roots, how);
        searched_.push_back({roots, inputs_, std::move(found)});
        return searched_.back().found;
    }

    /// Nothing where some join cannot be spread from the forms that are kept, or a relation is too large to be counted.
    std::optional<Found> found_by(std::vector<tra::Expr> const& roots, SearchOptions const& how) const {
        try {
            return search(roots, inputs_, how);
        } catch (InputError const&) {
            return std::nullopt;
        }
    }

    void take(Found const& found, std::vector<CutValue> const& values) {
        placed_.cost += found.cost;
        for (std::size_t k = 0; k < values.size(); ++k) {
            Sites const& sites = found.roots[k].type().sites;
            if (sites.kind() == Sites::Kind::scattered) continue;
            KeyDims axes;
            for (int dim : sites.dims()) axes.push_back(made_.at(values[k]).axis_of_dim[at(dim)]);
            left_.insert_or_assign(values[k], sites.is_all() ? sites : Sites::part(std::move(axes)));
        }
        for (Expr const& expr : distinct(found.roots)) {
            if (auto const* join = expr.as<Join>()) place(join->kernel, expr.type().sites.dims());
            if (auto const* map = expr.as<Map>()) place(map->array, expr.type().sites.dims());
            if (auto const* sums = expr.as<Aggregation>()) {
                place(sums->start, kept_dims(expr.input().type().sites, sums->group_by));
                place(sums->finish, expr.type().sites.dims());
            }
        }
    }

    /// A node that was merged in before the sums that it reads has the keys of the sums.
    static KeyDims kept_dims(Sites const& sites, KeyDims const& group_by) {
        KeyDims dims;
        for (int dim : sites.dims())
            if (auto const kept = tra::position(group_by, dim)) dims.push_back(*kept);
        return dims;
    }

    /// AddressGaps the nodes whose kernels are in this one where its relation is, partitioned by `dims`.
    void place(Kernel const& kernel, KeyDims const& dims) {
        std::vector<std::size_t> nodes;
        nodes_in(kernel, nodes);
        for (std::size_t k : nodes) {
            std::size_t const number = stretch_.at(k);
            if (!placed_.ranks[number].empty()) continue;
            Labels together;
            for (int dim : dims) {
                promise(at(dim) < join_keys_[k].size(), "a relation is partitioned by a key part that its node lacks");
                together.push_back(join_keys_[k][at(dim)]);
            }
            std::sort(together.begin(), together.end(),
                      [&](int a, int b) { return classes_.of_label(number, a) < classes_.of_label(number, b); });
            placed_.ranks[number] = ranks_of_calls(std::get<EinSum>(graph_.nodes[number].op), plan_.nodes[number].parts,
                                                   together, relation::used_ranks(plan_));
        }
    }

    graph::EinGraph const& graph_;
    relation::Plan const& plan_;
    PlacingOptions const& options_;
    AxisClasses classes_;
    std::vector<std::vector<NodeId>> readers_;
    PlacedPlan placed_;
    std::map<CutValue, Sites> left_;  // where earlier subgraphs left values, by axes

    std::vector<std::size_t> stretch_;  // its nodes
    std::map<CutValue, Relation> made_;
    std::set<CutValue> read_;
    std::map<std::string, FreeInput> inputs_;
    std::vector<Labels> join_keys_;  // of each node of the subgraph

    struct Searched {
        std::vector<tra::Expr> roots;
        std::map<std::string, FreeInput> inputs;
        std::optional<Found> found;
    };
    std::deque<Searched> searched_;
};

}  // namespace

std::vector<Rank> ranks_of_calls(EinSum const& einsum, Parts const& parts, std::vector<int> const& together,
                                 int ranks) {
    std::vector<int> const labels = relation::call_labels(einsum);
    Shape counts;
    for (int label : labels) counts.push_back(parts[at(label)]);
    std::vector<Extent> part;  // of each call, at `together`
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        Extent number = 0;
        for (int label : together)
            number = number * parts[at(label)] + index[static_cast<std::size_t>(*tra::position(labels, label))];
        part.push_back(number);
    });
    std::vector<std::size_t> order(part.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return part[a] < part[b]; });
    std::vector<Rank> out(part.size(), Rank{0});
    for (std::size_t k = 0; k < order.size(); ++k)
        out[order[k]] = Rank{static_cast<int>(k * static_cast<std::size_t>(ranks) / order.size())};
    return out;
}

PlacedPlan place_plan(graph::EinGraph const& graph, relation::Plan const& plan, PlacingOptions const& options) {
    return Placing(graph, plan, options).run();
}

}  // namespace ein::ia
