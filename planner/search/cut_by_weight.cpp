#include "planner/search/cut_by_weight.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/graph/labels.hpp"
#include "lib/graph/sparse/stored_size.hpp"
#include "planner/costs/cost.hpp"
#include "planner/strategies/axis_classes.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

using Loads = std::vector<double>;  // listed elements by rank

/// The busiest rank beside the mean.
double imbalance(Loads const& loads) {
    double all = 0, most = 0;
    for (double load : loads) all += load, most = std::max(most, load);
    return all > 0 ? most * static_cast<double>(loads.size()) / all : 1;
}

/// A label cut in many cells, neighbouring ones on one rank.
struct WeightedCut {
    Extent extent = 0;
    std::int64_t cells = 1;
    std::vector<Rank> ranks;  // of the cells, ascending
};

class Weighing {
public:
    Weighing(graph::EinGraph const& graph, relation::Plan const& plan, relation::ListedBound const& listed)
        : graph_(graph), plan_(plan), listed_(listed), classes_(graph) {}

    std::optional<relation::Plan> run() {
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) weigh(n);
        if (cuts_.empty()) return std::nullopt;
        relation::Plan even = plan_;  // for its costs
        std::map<std::size_t, Cut> const cuts = cuts_of_nodes();
        for (auto const& [n, cut] : cuts) {
            even.nodes[n].parts.assign(even.nodes[n].parts.size(), 1);
            even.nodes[n].parts[cut.label] = std::min<std::int64_t>(relation::used_ranks(plan_), cut.weighted->extent);
        }
        price(graph_, even);
        for (auto const& [n, cut] : cuts) {
            even.nodes[n].parts[cut.label] = cut.weighted->cells;
            even.nodes[n].ranks = cut.weighted->ranks;
        }
        even.gap = std::nullopt;
        return even;
    }

private:
    struct Cut {
        std::size_t label;
        WeightedCut const* weighted;
    };

    /// By node. What a loop carries is cut alike in the beginning and at the end.
    std::map<std::size_t, Cut> cuts_of_nodes() const {
        std::map<std::size_t, Cut> out;
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
            if (auto const label = label_to_cut(n)) out[n] = {*label, &cut_of(n, *label)};
        auto const producers = graph_.producers();
        for (graph::Loop const& loop : graph_.loops)
            for (graph::Loop::Carry const& carry : loop.carries) {
                std::size_t const inside = at(*producers[at(carry.inside)]), result = at(*producers[at(carry.result)]);
                if (out.contains(result))
                    out[inside] = out[result];
                else if (out.contains(inside))
                    out[result] = out[inside];
            }
        return out;
    }

    graph::EinSum const* einsum_of(std::size_t n) const { return std::get_if<graph::EinSum>(&graph_.nodes[n].op); }
    int class_of(std::size_t n, std::size_t label) const { return classes_.of(graph_.nodes[n])[label]; }
    WeightedCut const& cut_of(std::size_t n, std::size_t label) const { return cuts_.at(class_of(n, label)); }
    bool is_sparse(std::size_t n, std::size_t k) const {
        return graph_.value(graph_.nodes[n].inputs[k]).listing.has_value();
    }

    /// Listed elements of a node's sparse operands in a region of its labels.
    double listed_in(std::size_t n, Box const& region) const {
        graph::EinSum const& einsum = *einsum_of(n);
        double sum = 0;
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            if (!is_sparse(n, k)) continue;
            Box const box = projected(region, einsum.inputs[k]);
            sum += static_cast<double>(listed_(graph_.nodes[n].inputs[k], box));
        }
        return sum;
    }
    double listed_in(std::size_t n, std::size_t label, Extent begin, Extent end) const {
        Box region = Box::whole(einsum_of(n)->extents);
        region.begin[label] = begin;
        region.length[label] = end - begin;
        return listed_in(n, region);
    }

    /// As the plan cuts a node, a call on each rank.
    double planned_imbalance(std::size_t n) const {
        graph::EinSum const& einsum = *einsum_of(n);
        Parts const& parts = plan_.nodes[n].parts;
        Loads loads(static_cast<std::size_t>(relation::used_ranks(plan_)), 0);
        std::size_t call = 0;
        for_each_index(parts, [&](std::vector<Extent> const& index) {
            loads[call++ % loads.size()] += listed_in(n, block_box(einsum.extents, parts, index));
        });
        return imbalance(loads);
    }

    /// Where a prefix lists `wanted` elements, by interpolation between prefixes that are counted, in whole cells.
    std::int64_t boundary(std::size_t n, std::size_t label, WeightedCut const& cut, double wanted, double near,
                          std::map<std::int64_t, double>& counted) const {
        for (int step = 0; step < tuning::most_counts_of_a_boundary; ++step) {
            auto const above =
                std::find_if(counted.begin(), counted.end(), [&](auto const& point) { return point.second >= wanted; });
            if (above == counted.begin() || above == counted.end()) break;
            auto const below = std::prev(above);
            if (above->second - wanted <= near || wanted - below->second <= near || above->first - below->first <= 1)
                break;
            // In turn by interpolation and by halving, so that a steep end cannot hold it up.
            double const share = step % 2 == 0 ? (wanted - below->second) / (above->second - below->second) : 0.5;
            auto const width = static_cast<double>(above->first - below->first);
            std::int64_t const cell = std::clamp<std::int64_t>(below->first + std::llround(share * width),
                                                               below->first + 1, above->first - 1);
            counted[cell] = listed_in(n, label, 0, part_begin(cut.extent, cut.cells, cell));
        }
        auto const nearest = std::min_element(counted.begin(), counted.end(), [&](auto const& a, auto const& b) {
            return std::abs(a.second - wanted) < std::abs(b.second - wanted);
        });
        return nearest->first;
    }

    /// The label cut in runs of cells that list about as much. `found` gets how uneven they still are.
    WeightedCut weighted(std::size_t n, std::size_t label, double& found) const {
        WeightedCut cut;
        cut.extent = einsum_of(n)->extents[label];
        cut.cells = std::min<std::int64_t>(cut.extent, tuning::cells_of_a_rank * relation::used_ranks(plan_));
        // What an operand without the label lists, every rank goes through.
        double const always = listed_in(n, label, 0, 0);
        double const all = listed_in(n, label, 0, cut.extent) - always;
        std::map<std::int64_t, double> counted{{0, 0}, {cut.cells, all}};
        double const share = all / relation::used_ranks(plan_);
        std::vector<std::int64_t> ends;
        for (int rank = 1; rank < relation::used_ranks(plan_); ++rank)
            ends.push_back(boundary(n, label, cut, rank * share, tuning::boundary_error * share, counted));
        ends.push_back(cut.cells);
        Loads loads;
        std::int64_t begin = 0;
        for (int rank = 0; rank < relation::used_ranks(plan_); ++rank) {
            std::int64_t const end = std::max(begin, ends[static_cast<std::size_t>(rank)]);
            loads.push_back(always + counted.at(end) - counted.at(begin));
            cut.ranks.insert(cut.ranks.end(), static_cast<std::size_t>(end - begin), Rank{rank});
            begin = end;
        }
        found = imbalance(loads);
        return cut;
    }

    /// The graph may say that labels are not cut, but not how they are.
    bool may_change(std::size_t n) const {
        Parts const& fixed = graph_.nodes[n].fixed;
        return einsum_of(n) != nullptr && !graph_.nodes[n].sharding &&
               std::all_of(fixed.begin(), fixed.end(), [](std::int64_t parts) { return parts <= 1; });
    }
    bool is_free(std::size_t n, std::size_t label) const {
        Parts const& fixed = graph_.nodes[n].fixed;
        return fixed.empty() || fixed[label] == 0;
    }

    void weigh(std::size_t n) {
        if (!may_change(n)) return;
        graph::EinSum const& einsum = *einsum_of(n);
        bool sparse = false;
        for (std::size_t k = 0; k < einsum.operands(); ++k) sparse = sparse || is_sparse(n, k);
        if (!sparse) return;
        double const planned = planned_imbalance(n);
        if (planned <= tuning::uneven_listed) return;
        uneven_.push_back(n);
        double best = (1 - tuning::worth_weighing) * planned;
        std::optional<WeightedCut> taken;
        int taken_class = -1;
        for (int output : einsum.output) {
            auto const label = static_cast<std::size_t>(output);
            if (cuts_.contains(class_of(n, label))) return;  // as the node before
            if (einsum.extents[label] <= plan_.calls || !is_free(n, label) || !lists_along(n, output)) continue;
            double found = 0;
            WeightedCut cut = weighted(n, label, found);
            if (cut.cells <= plan_.calls || found >= best) continue;
            best = found;
            taken = std::move(cut);
            taken_class = class_of(n, label);
        }
        if (taken) cuts_.emplace(taken_class, std::move(*taken));
    }

    bool lists_along(std::size_t n, int label) const {
        graph::EinSum const& einsum = *einsum_of(n);
        for (std::size_t k = 0; k < einsum.operands(); ++k)
            if (is_sparse(n, k) && graph::has_label(einsum.inputs[k], label)) return true;
        return false;
    }

    /// The label of a node that is cut by weight now: of an uneven one, and of one that is cut along it alone.
    std::optional<std::size_t> label_to_cut(std::size_t n) const {
        if (!may_change(n)) return std::nullopt;
        graph::EinSum const& einsum = *einsum_of(n);
        bool const uneven = std::find(uneven_.begin(), uneven_.end(), n) != uneven_.end();
        for (int output : einsum.output) {
            auto const label = static_cast<std::size_t>(output);
            auto const cut = cuts_.find(class_of(n, label));
            if (cut == cuts_.end() || cut->second.extent != einsum.extents[label] || !is_free(n, label)) continue;
            Parts const& parts = plan_.nodes[n].parts;
            if (uneven || parts[label] == element_count(parts)) return label;
        }
        return std::nullopt;
    }

    graph::EinGraph const& graph_;
    relation::Plan const& plan_;
    relation::ListedBound const& listed_;
    AxisClasses const classes_;
    std::map<int, WeightedCut> cuts_;  // by class of axes
    std::vector<std::size_t> uneven_;  // nodes
};

}  // namespace

std::optional<relation::Plan> cut_by_weight(graph::EinGraph const& graph, relation::Plan const& plan,
                                            relation::ListedBound const& listed) {
    bool const placed = std::any_of(plan.nodes.begin(), plan.nodes.end(),
                                    [](relation::NodePlan const& node) { return !node.ranks.empty(); });
    if (!listed || !graph::has_sparse(graph) || placed || plan.ranks == 1 || !graph.mesh.empty()) return std::nullopt;
    std::optional<relation::Plan> out = Weighing(graph, plan, listed).run();
    if (out) relation::verify(graph, *out);
    return out;
}

}  // namespace ein::planner
