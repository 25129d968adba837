#include "planner/resident/resident_table.hpp"

#include <algorithm>
#include <set>

#include "lib/graph/sparse/stored_size.hpp"
#include "planner/costs/cost.hpp"
#include "planner/costs/data_movement.hpp"

namespace ein::planner {
namespace {

// In this table a "cut" of NodeCandidates is a set of mesh axes for each axis of a tensor; a need has one entry more,
// the axes whose ranks compute, and so has the output of a node that is replicated: the axes along which all ranks have
// it.

using AxisLabels = std::vector<std::size_t>;  // for each mesh axis the label that it cuts, or the number of labels

std::vector<AxisSet> sets_of(AxisLabels const& assignment, std::size_t labels) {
    std::vector<AxisSet> sets(labels + 1, 0);
    for (std::size_t axis = 0; axis < assignment.size(); ++axis) sets[assignment[axis]] |= AxisSet{1} << axis;
    return sets;
}

/// Every way to give mesh axes to labels that keeps as many ranks busy as the extents, and parts that are fixed (0:
/// free), allow.
std::vector<std::vector<AxisSet>> shardings(Mesh const& mesh, Shape const& extents, Parts const& fixed) {
    std::vector<std::vector<AxisSet>> out;
    std::int64_t busiest = 0;
    Parts const counts(mesh.sizes().size(), static_cast<std::int64_t>(extents.size()) + 1);
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        std::vector<AxisSet> sets = sets_of(AxisLabels(index.begin(), index.end()), extents.size());
        std::int64_t const busy = mesh.size(mesh.all() & ~sets.back());
        sets.pop_back();
        bool fits = busy >= busiest;
        for (std::size_t label = 0; label < extents.size() && fits; ++label)
            fits = mesh.size(sets[label]) <= std::max<Extent>(1, extents[label]) &&
                   (fixed.empty() || fixed[label] == 0 || fixed[label] == mesh.size(sets[label]));
        if (!fits) return;
        if (busy > busiest) out.clear();
        busiest = busy;
        out.push_back(std::move(sets));
    });
    return out;
}

AxisSet union_of(std::vector<AxisSet> const& sets) {
    AxisSet all = 0;
    for (AxisSet set : sets) all |= set;
    return all;
}

Parts at_labels(std::vector<AxisSet> const& sets, std::vector<int> const& labels) {
    Parts out;
    for (int label : labels) out.push_back(sets[static_cast<std::size_t>(label)]);
    return out;
}

/// The sets of an axis group as one: that of its first axis longer than one, when no other is cut.
std::optional<AxisSet> leading_set(Shape const& shape, Parts const& sets, std::size_t begin, std::size_t end) {
    while (begin + 1 < end && shape[begin] == 1) ++begin;
    for (std::size_t axis = begin + 1; axis < end; ++axis)
        if (sets[axis] != 0) return std::nullopt;
    return begin < end ? sets[begin] : 0;
}

/// How a node looks at an operand: which of its axes the output keeps. Readers with one view tend to want the same
/// pieces.
Form view_of(graph::Node const& node, std::size_t operand) {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    if (!einsum) return {-1 - static_cast<std::int64_t>(node.op.index())};
    Form view;
    for (int label : einsum->inputs[operand]) view.push_back(einsum->aggregates(label) ? 1 : 0);
    return view;
}

}  // namespace

ResidentTable::ResidentTable(graph::EinGraph const& graph, Mesh mesh)
    : CandidateTable(graph, Unit::bytes), mesh_(std::move(mesh)) {
    auto const consumers = graph.consumers();
    std::map<std::pair<ValueId, Form>, int> alike;  // readers of a value that look at it in the same way
    for (graph::Node const& node : graph.nodes) {
        std::set<std::pair<ValueId, Form>> views;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) views.emplace(node.inputs[k], view_of(node, k));
        for (auto const& view : views) ++alike[view];
    }
    std::vector<bool> is_leaf(graph.values.size(), false);
    for (graph::Leaf const& leaf : graph.leaves) is_leaf[static_cast<std::size_t>(leaf.value.value())] = true;

    struct Known {
        std::shared_ptr<NodeCandidates const> choices;
        std::shared_ptr<Sets const> sets;
    };
    std::map<std::pair<std::vector<std::int64_t>, std::vector<double>>, Known> known;
    for (graph::Node const& node : graph.nodes) {
        std::vector<double> shares, leaf_shares;
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
            auto const v = static_cast<std::size_t>(node.inputs[k].value());
            double const readers =
                is_leaf[v] ? static_cast<double>(consumers[v].size()) : alike.at({node.inputs[k], view_of(node, k)});
            shares.push_back(iterations_of(node.inputs[k]) / readers);
            leaf_shares.push_back(is_leaf[v] ? 1 / readers : 0);
        }
        Known& of = known[{form_of(graph, node, Unit::bytes), leaf_shares}];
        if (!of.choices) {
            auto sets = std::make_shared<Sets>();
            of.choices = std::make_shared<NodeCandidates const>(choices_of(node, leaf_shares, *sets));
            of.sets = std::move(sets);
        }
        choices_.push_back(of.choices);
        sets_.push_back(of.sets);
        shares_.push_back(std::move(shares));
    }
}

bool ResidentTable::serves_all() const {
    return std::none_of(choices_.begin(), choices_.end(),
                        [](auto const& choices) { return choices->candidates.empty(); });
}

graph::Sharding ResidentTable::sharding(NodeId node, int candidate, std::vector<int> const& labels) const {
    graph::Sharding out;
    std::vector<AxisSet> const& sets =
        (*sets_[static_cast<std::size_t>(node.value())])[static_cast<std::size_t>(candidate)];
    for (int label : labels) {
        out.emplace_back();
        for (std::size_t axis = 0; axis < mesh_.sizes().size(); ++axis)
            if (sets[static_cast<std::size_t>(label)] >> axis & 1) out.back().push_back(static_cast<int>(axis));
    }
    return out;
}

/// Those that keep to what the graph fixes.
std::vector<std::vector<AxisSet>> ResidentTable::shardings_of(graph::Node const& node) const {
    if (node.sharding) {
        std::vector<AxisSet> sets;
        for (std::vector<int> const& axes : *node.sharding) {
            sets.push_back(0);
            for (int axis : axes) sets.back() |= AxisSet{1} << axis;
        }
        return {sets};
    }
    return shardings(mesh_, relation::cut_extents(graph_, node), node.fixed);
}

NodeCandidates ResidentTable::choices_of(graph::Node const& node, std::vector<double> const& leaf_shares,
                                         Sets& all) const {
    auto const* einsum = std::get_if<graph::EinSum>(&node.op);
    graph::Value const& result = graph_.value(node.output);
    NodeCandidates out;
    Distinct<Parts> outputs;
    for (auto& operands : operands_by_value(node)) out.sources.push_back({std::move(operands), {}, {}});
    std::vector<Distinct<std::vector<Parts>>> needs(out.sources.size());
    double const accumulated =
        einsum ? static_cast<double>(element_count(result.shape)) * weights(graph_, node, Unit::bytes).partial : 0;

    auto add = [&](std::vector<AxisSet> const& sets, Parts home, double work) {
        Parts parts;
        for (AxisSet set : sets) parts.push_back(mesh_.size(set));
        AxisSet const busy = node.replicated ? mesh_.all() : union_of(sets);
        if (node.replicated) home.push_back(mesh_.all() & ~union_of(sets));
        for (std::size_t s = 0; s < out.sources.size(); ++s) {
            std::vector<Parts> need;
            for (std::size_t k : out.sources[s].operands) {
                need.push_back(einsum ? at_labels(sets, einsum->inputs[k]) : Parts(sets.begin(), sets.end()));
                if (leaf_shares[k] > 0) {
                    double wanted = static_cast<double>(mesh_.size(busy));
                    for (AxisSet set : need.back()) wanted /= static_cast<double>(mesh_.size(set));
                    work +=
                        leaf_shares[k] * graph::stored_bytes(graph_.value(node.inputs[k])) * std::max(0.0, wanted - 1);
                }
                need.back().push_back(busy);
            }
            out.sources[s].need_of.push_back(needs[s].number(std::move(need)));
        }
        out.candidates.push_back(std::move(parts));
        all.push_back(sets);
        out.work.push_back(work);
        out.output_of.push_back(outputs.number(std::move(home)));
    };

    for (std::vector<AxisSet> const& sets : shardings_of(node)) {
        if (!einsum) {
            add(sets, Parts(sets.begin(), sets.end()), 0);
            continue;
        }
        AxisSet summed = 0;
        for (int label : einsum->aggregated()) summed |= sets[static_cast<std::size_t>(label)];
        Parts const made = at_labels(sets, einsum->output);
        double const work = accumulated * static_cast<double>(mesh_.size(summed) - 1);
        bool scattered = summed == 0;
        if (scattered) add(sets, made, work);
        for (std::size_t axis = 0; axis < made.size() && summed != 0; ++axis) {
            Parts home = made;
            home[axis] |= summed;
            if (mesh_.size(home[axis]) > result.shape[axis]) continue;
            add(sets, std::move(home), work);
            scattered = true;
        }
        if (!scattered) add(sets, made, work);  // too small to be scattered: one of the ranks has it
    }
    out.outputs = std::move(outputs.items);
    for (std::size_t s = 0; s < out.sources.size(); ++s) out.sources[s].needs = std::move(needs[s].items);
    return out;
}

/// The part of an operand that a computing rank wants and holds, on average: 1 would be all of the tensor.
double ResidentTable::overlap(graph::Node const& node, std::size_t operand, Parts const& home,
                              Parts const& need) const {
    Shape const& from = graph_.value(node.inputs[operand]).shape;
    auto together = [&](AxisSet a, AxisSet b) { return 1 / static_cast<double>(mesh_.size(a | b)); };
    auto apart = [&](AxisSet a, AxisSet b) { return 1 / static_cast<double>(mesh_.size(a) * mesh_.size(b)); };
    double part = 1;
    if (auto const* move = std::get_if<graph::Move>(&node.op)) {
        Shape const& to = graph_.value(node.output).shape;
        for (std::size_t axis = 0; axis < from.size(); ++axis) {
            double const in_line =
                share_in_line(move->regions[operand], axis, from[axis], to[axis], mesh_.size(home[axis] | need[axis]));
            part *= std::max(apart(home[axis], need[axis]), in_line * together(home[axis], need[axis]));
        }
    } else if (std::holds_alternative<graph::Reshape>(node.op)) {
        Shape const& to = graph_.value(node.output).shape;
        for (AxisGroup const& group : axis_groups(from, to)) {
            auto const a = leading_set(from, home, group.from_begin, group.from_end),
                       b = leading_set(to, need, group.to_begin, group.to_end);
            if (a && b) {
                part *= together(*a, *b);
            } else {
                for (std::size_t axis = group.from_begin; axis < group.from_end; ++axis) part *= apart(home[axis], 0);
                for (std::size_t axis = group.to_begin; axis < group.to_end; ++axis) part *= apart(need[axis], 0);
            }
        }
    } else {
        for (std::size_t axis = 0; axis < from.size(); ++axis) part *= together(home[axis], need[axis]);
    }
    AxisSet held = 0;
    for (AxisSet set : home) held |= set;            // those over which it is replicated too
    AxisSet const only_first = need.back() & ~held;  // along these axes only the first ranks hold anything
    return part / static_cast<double>(mesh_.size(only_first));
}

double ResidentTable::edge(NodeId id, SourceNeeds const& source, std::size_t need, Parts const& output) const {
    graph::Node const& node = graph_.node(id);
    double sum = 0;
    for (std::size_t k = 0; k < source.operands.size(); ++k) {
        Parts const& wanted = source.needs[need][k];
        if (std::find(source.needs[need].begin(), source.needs[need].begin() + static_cast<std::ptrdiff_t>(k),
                      wanted) != source.needs[need].begin() + static_cast<std::ptrdiff_t>(k))
            continue;  // the same region again
        std::size_t const operand = source.operands[k];
        bool const is_einsum = std::holds_alternative<graph::EinSum>(node.op);
        double const bytes = is_einsum ? graph::stored_bytes(graph_.value(node.inputs[operand]))
                                       : static_cast<double>(moved_elements(graph_, node, operand)) *
                                             graph::bytes_a_place(graph_.value(node.inputs[operand]));
        double share = 1;
        for (std::size_t axis = 0; axis + 1 < wanted.size(); ++axis)
            share /= static_cast<double>(mesh_.size(wanted[axis]));
        double const missing = std::max(0.0, share - overlap(node, operand, output, wanted));
        sum += bytes * missing * static_cast<double>(mesh_.size(wanted.back())) *
               shares_[static_cast<std::size_t>(id.value())][operand];
    }
    return sum;
}

}  // namespace ein::planner
