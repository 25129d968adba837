#include "lib/relation/listed_results.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "lib/graph/labels.hpp"
#include "lib/graph/lower_graph.hpp"
#include "lib/graph/sparse/moved.hpp"
#include "lib/graph/sparse/row_lookup.hpp"
#include "lib/graph/sparse/same_places.hpp"
#include "lib/relation/listed/all_counts.hpp"
#include "lib/relation/plan.hpp"
#include "lib/relation/tuning.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::relation {
namespace {

using graph::EinSum;
using graph::has_label;
using graph::IdleSets;

/// The counts of one box of a node's output.
class ResultCount {
public:
    ResultCount(EinSum const& einsum, Box const& box, OperandCounts const& counts)
        : einsum_(einsum),
          counts_(counts),
          region_(Box::whole(einsum.extents)),
          elements_(static_cast<double>(box.elements())) {
        for (std::size_t axis = 0; axis < box.order(); ++axis) {
            region_.begin[at(einsum.output[axis])] = box.begin[axis];
            region_.length[at(einsum.output[axis])] = box.length[axis];
        }
    }

    ListedCount of(std::set<std::set<std::size_t>> const& sets) const {
        double most = elements_, share = 1;  // of points that contribute
        std::vector<std::size_t> alone;
        std::set<int> labels;
        for (std::set<std::size_t> const& set : sets) {
            double bound = 0, absent = 1;
            for (std::size_t const k : set) {
                Box const box = box_of(k);
                ListedCount const count = counts_.in_box(k, box);
                bound += static_cast<double>(count.most) * lengths_of(outputs_without(k));
                absent *= 1 - count.expected / std::max(1.0, static_cast<double>(box.elements()));
                labels.insert(einsum_.inputs[k].begin(), einsum_.inputs[k].end());
            }
            most = std::min(most, bound);
            share *= 1 - absent;
            if (set.size() == 1) alone.push_back(*set.begin());
        }
        for (std::size_t a = 0; a < alone.size(); ++a)
            for (std::size_t b = a + 1; b < alone.size(); ++b) most = std::min(most, of_pair(alone[a], alone[b]));
        if (auto const lookup = counts_.is_row_lookup ? graph::as_lookup(einsum_) : std::nullopt) {
            most = std::min(most, of_lookup(*lookup));
            return {std::min(share * elements_, most), static_cast<Extent>(most)};
        }
        double terms = 1;  // of an output element
        for (int label : einsum_.aggregated())
            if (labels.contains(label)) terms *= static_cast<double>(region_.length[at(label)]);
        double const expected = share >= 1 ? elements_ : -elements_ * std::expm1(terms * std::log1p(-share));
        return {std::min(expected, most), static_cast<Extent>(std::min(most, elements_))};
    }

private:
    Box box_of(std::size_t operand) const { return projected(region_, einsum_.inputs[operand]); }
    double lengths_of(std::vector<int> const& labels) const {
        double out = 1;
        for (int label : labels) out *= static_cast<double>(region_.length[at(label)]);
        return out;
    }
    std::vector<int> outputs_without(std::size_t a, std::optional<std::size_t> b = {}) const {
        std::vector<int> out;
        for (int label : einsum_.output)
            if (!has_label(einsum_.inputs[a], label) && !(b && has_label(einsum_.inputs[*b], label)))
                out.push_back(label);
        return out;
    }

    /// What both list contributes: pairs of their elements with equal common labels.
    double of_pair(std::size_t a, std::size_t b) const {
        std::vector<int> axes_a, axes_b;
        for (std::size_t axis = 0; axis < einsum_.inputs[a].size(); ++axis) {
            int const label = einsum_.inputs[a][axis];
            auto const other = std::find(einsum_.inputs[b].begin(), einsum_.inputs[b].end(), label);
            bool const first = std::find(einsum_.inputs[a].begin(), einsum_.inputs[a].end(), label) ==
                               einsum_.inputs[a].begin() + static_cast<std::ptrdiff_t>(axis);
            if (other == einsum_.inputs[b].end() || !first) continue;
            axes_a.push_back(static_cast<int>(axis));
            axes_b.push_back(static_cast<int>(other - einsum_.inputs[b].begin()));
        }
        std::vector<Extent> const in_a = fibres(a, axes_a), in_b = fibres(b, axes_b);
        double const repeated = lengths_of(outputs_without(a, b));
        if (!in_a.empty() && !in_b.empty())
            return repeated * std::inner_product(
                                  in_a.begin(), in_a.end(), in_b.begin(), 0.0, std::plus<>(),
                                  [](Extent x, Extent y) { return static_cast<double>(x) * static_cast<double>(y); });
        auto const all_times_longest = [&](std::size_t all, std::vector<Extent> const& each) {
            return repeated * static_cast<double>(counts_.in_box(all, box_of(all)).most) *
                   static_cast<double>(*std::max_element(each.begin(), each.end()));
        };
        double most = elements_;
        if (!in_a.empty()) most = std::min(most, all_times_longest(b, in_a));
        if (!in_b.empty()) most = std::min(most, all_times_longest(a, in_b));
        return most;
    }

    /// Each position takes what is listed at one index, at most where that is most.
    double of_lookup(graph::Lookup const& lookup) const {
        auto const data = at(lookup.data);
        std::vector<int> const& labels = einsum_.inputs[data];
        auto const axis = static_cast<int>(std::find(labels.begin(), labels.end(), lookup.label) - labels.begin());
        std::vector<Extent> const in_each = fibres(data, {axis});
        auto longest = static_cast<double>(counts_.in_box(data, box_of(data)).most);
        if (!in_each.empty()) longest = static_cast<double>(*std::max_element(in_each.begin(), in_each.end()));
        return longest * lengths_of(outputs_without(data));
    }

    /// Nothing where they are not known, or would be too many.
    std::vector<Extent> fibres(std::size_t operand, std::vector<int> const& axes) const {
        Box const box = box_of(operand);
        double number = 1;
        for (int axis : axes) number *= static_cast<double>(box.length[at(axis)]);
        return counts_.fibres && number <= tuning::most_fibres ? counts_.fibres(operand, box, axes)
                                                               : std::vector<Extent>();
    }

    EinSum const& einsum_;
    OperandCounts const& counts_;
    Box region_;  // by label
    double elements_;
};

/// Whether a sparse result takes less room than a dense one, with what kernels on it cost in mind.
bool is_worth_it(graph::Value const& value, ListedCount const& count) {
    double const elements = static_cast<double>(element_count(value.shape));
    return static_cast<double>(count.most) <= tuning::most_listed_share * elements &&
           tensor::sparse_bytes(tensor::in_order(value.shape.size()), value.shape, value.dtype, count.most) <
               value.bytes();
}

/// The same of a node that moves elements: else its inputs are made dense as well as its result.
bool is_worth_moving(graph::EinGraph const& graph, graph::Node const& node, ListedCount const& count) {
    graph::Value const& value = graph.value(node.output);
    auto dense = static_cast<double>(value.bytes());
    for (ValueId input : std::set<ValueId>(node.inputs.begin(), node.inputs.end()))
        dense += static_cast<double>(graph.value(input).bytes());
    return static_cast<double>(tensor::sparse_bytes(tensor::in_order(value.shape.size()), value.shape, value.dtype,
                                                    count.most)) < dense;
}

}  // namespace

ListedCount count_result(EinSum const& einsum, std::vector<ValueId> const& inputs, IdleSets const& idle, Box const& box,
                         OperandCounts const& counts) {
    auto const first_alike = [&](std::size_t k) {
        for (std::size_t other = 0; other < k; ++other)
            if (inputs[other] == inputs[k] && einsum.inputs[other] == einsum.inputs[k]) return other;
        return k;
    };
    std::set<std::set<std::size_t>> sets;
    for (std::vector<int> const& set : idle.sets) {
        std::set<std::size_t> operands;
        for (int k : set) operands.insert(first_alike(at(k)));
        sets.insert(std::move(operands));
    }
    return ResultCount(einsum, box, counts).of(sets);
}

namespace {

/// One way to keep what loops carry, until it turns out not to hold.
class Lowering {
public:
    Lowering(ListedElements const& leaves, SparseResults which) : leaves_(leaves), which_(which) {}

    graph::EinGraph run(graph::EinGraph graph, std::string const& file) {
        while (!graph.loops.empty())
            if (auto out = once(graph, file)) return std::move(*out);
        return *once(std::move(graph), file);
    }
    std::shared_ptr<AllCounts> counts() const { return counts_; }

private:
    /// Nothing where more has to be dense, or to have room for more.
    std::optional<graph::EinGraph> once(graph::EinGraph graph, std::string const& file) {
        counts_ = std::make_shared<AllCounts>(leaves_, graph, grows_);
        auto const keep = [&](graph::EinGraph const& so_far, graph::Node const& node, IdleSets const& idle) {
            return listing(so_far, node, idle);
        };
        auto const sample_at = [&](graph::EinGraph const& whole, graph::Leaf const& leaf) {
            return is_sampled_at(whole, leaf);
        };
        auto out = graph::lower_graph_with(std::move(graph), keep, file, sample_at, dense_);
        if (!out) return std::nullopt;
        std::vector<ValueId> const grows = graph::carried_elsewhere(*out);
        std::size_t const before = grows_.size();
        grows_.insert(grows.begin(), grows.end());
        if (grows_.size() > before) return std::nullopt;
        if (counts_->know_ends()) enter_counts(*out);
        return out;
    }

    std::optional<graph::Listing> listing(graph::EinGraph const& so_far, graph::Node const& node,
                                          IdleSets const& idle) {
        graph::Value const& value = so_far.value(node.output);
        Box const whole = Box::whole(value.shape);
        if (counts_->is_carried(node.output)) {
            counts_->carry(node.output, node.inputs[0]);
            ListedCount const count = counts_->count(node.output, whole);
            return graph::Listing{idle.fill.value(), count.expected, count.most};
        }
        MadeListing made{node.op,     node.inputs,
                         idle,        so_far.value(node.inputs.at(0)).shape,
                         value.shape, graph::is_row_lookup(so_far, node)};
        ListedCount const count = counts_->of(made, whole);
        bool const by_size = node.storage == graph::StorageWish::none && which_ == SparseResults::where_smaller;
        bool const smaller =
            graph::moves_elements(node) ? is_worth_moving(so_far, node, count) : is_worth_it(value, count);
        if (by_size && (value.shape.empty() || !smaller)) return std::nullopt;  // a scalar is a number to its readers
        counts_->add(node.output, std::move(made));
        return graph::Listing{idle.fill.value(), count.expected, count.most};
    }

    bool is_sampled_at(graph::EinGraph const& whole, graph::Leaf const& leaf) const {
        graph::Value const& value = whole.value(leaf.value);
        double const elements = static_cast<double>(element_count(value.shape));
        return which_ == SparseResults::where_possible ||
               (elements >= tuning::least_sampled_elements &&
                static_cast<double>(value.listing->most) <= tuning::most_sampled_share * elements);
    }

    /// Of results, now that it is known what iterations end with.
    void enter_counts(graph::EinGraph& graph) const {
        for (graph::Node const& node : graph.nodes) {
            graph::Value& value = graph.values[at(node.output)];
            if (!value.listing) continue;
            ListedCount const count = counts_->count(node.output, Box::whole(value.shape));
            value.listing->listed = count.expected;
            value.listing->most = count.most;
        }
    }

    ListedElements const& leaves_;
    SparseResults which_;
    std::set<ValueId> dense_, grows_;  // of what iterations begin with
    std::shared_ptr<AllCounts> counts_;
};

}  // namespace

graph::EinGraph lower_by_size(graph::EinGraph graph, ListedElements& listed, std::string const& file,
                              SparseResults which) {
    Lowering lowering(listed, which);
    graph::EinGraph out = lowering.run(std::move(graph), file);
    if (listed.in_box)
        listed.in_box = [counts = lowering.counts()](ValueId value, Box const& box) {
            return counts->count(value, box).most;
        };
    return out;
}

}  // namespace ein::relation
