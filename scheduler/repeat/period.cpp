#include "scheduler/repeat/period.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "lib/graph/sparse/stored_size.hpp"
#include "scheduler/lower/outlines.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

/// Values and those that take their places, each of one only.
class Pairs {
public:
    bool add(ValueId from, ValueId to) {
        auto const [there, is_new] = next_.try_emplace(from, to);
        auto const [back, is_new_back] = before_.try_emplace(to, from);
        return there->second == to && back->second == from;
    }
    auto begin() const { return next_.begin(); }
    auto end() const { return next_.end(); }

private:
    std::unordered_map<ValueId, ValueId> next_, before_;
};

class Search {
public:
    Search(graph::EinGraph const& graph, relation::Plan const& plan)
        : graph_(graph), plan_(plan), outlines_(outlines_of(graph, plan)), producers_(graph.producers()) {}

    std::optional<Period> run() const {
        std::optional<Period> best;
        auto const covers = [](Period const& period) { return period.end - period.first; };
        for (std::size_t nodes : distances()) {
            Period const found = longest(nodes);
            if (found.end > found.first &&
                (!best || covers(found) > covers(*best) || (covers(found) == covers(*best) && nodes < best->nodes)))
                best = found;
        }
        return best;
    }

private:
    /// From nodes to the next of the same outline: what most of them have, first.
    std::vector<std::size_t> distances() const {
        std::unordered_map<std::uint64_t, std::size_t> last;
        std::map<std::size_t, std::size_t> count;
        for (std::size_t n = 0; n < outlines_.size(); ++n) {
            auto const [found, is_new] = last.try_emplace(outlines_[n], n);
            if (!is_new) ++count[n - found->second];
            found->second = n;
        }
        std::vector<std::size_t> out;
        for (auto const& [distance, times] : count) out.push_back(distance);
        std::stable_sort(out.begin(), out.end(), [&](auto a, auto b) { return count[a] > count[b]; });
        out.resize(std::min(out.size(), tuning::most_periods_tried));
        return out;
    }

    /// The longest stretch of nodes each of which is as the one so many nodes before it.
    Period longest(std::size_t nodes) const {
        Period best{0, nodes, 0, {}};
        Pairs best_pairs;
        std::size_t const end = graph_.nodes.size() - nodes;  // of nodes that have one so many behind them
        for (std::size_t first = 0, n = 0; first < end; first = ++n) {
            Pairs pairs;
            while (n < end && are_alike(n, nodes, pairs)) ++n;
            if (n == first || n + nodes - first <= best.end - best.first) continue;
            best.first = first, best.end = n + nodes;
            best_pairs = std::move(pairs);
        }
        for (std::size_t value = 0; value < graph_.values.size(); ++value)
            best.next.emplace_back(static_cast<std::int32_t>(value));
        for (auto const& [from, to] : best_pairs) best.next[at(from)] = to;
        return best;
    }

    bool are_alike(std::size_t n, std::size_t nodes, Pairs& pairs) const {
        if (outlines_[n] != outlines_[n + nodes]) return false;
        graph::Node const &a = graph_.nodes[n], &b = graph_.nodes[n + nodes];
        relation::NodePlan const &cut = plan_.nodes[n], &other = plan_.nodes[n + nodes];
        if (!same_operation(a, b) || cut.parts != other.parts || cut.ranks != other.ranks) return false;
        if (a.inputs.size() != b.inputs.size() || !fit(a.output, b.output)) return false;
        for (std::size_t k = 0; k < a.inputs.size(); ++k)
            if (!are_read_alike(a.inputs[k], b.inputs[k], nodes, pairs)) return false;
        return pairs.add(a.output, b.output);
    }

    /// One value for all rounds, or what is made, or given, for each.
    bool are_read_alike(ValueId a, ValueId b, std::size_t nodes, Pairs& pairs) const {
        if (a == b) return true;
        auto const &made = producers_[at(a)], &other = producers_[at(b)];
        if (!fit(a, b) || made.has_value() != other.has_value()) return false;
        return made ? at(*other) == at(*made) + nodes : pairs.add(a, b);
    }

    bool fit(ValueId a, ValueId b) const {
        return graph_.value(a).shape == graph_.value(b).shape && graph_.value(a).dtype == graph_.value(b).dtype;
    }

    graph::EinGraph const& graph_;
    relation::Plan const& plan_;
    std::vector<std::uint64_t> outlines_;
    std::vector<std::optional<NodeId>> producers_;
};

}  // namespace

std::vector<ValueId> Period::before() const {
    std::vector<ValueId> out;
    for (std::size_t v = 0; v < next.size(); ++v) out.emplace_back(static_cast<std::int32_t>(v));
    for (std::size_t v = 0; v < next.size(); ++v)
        if (at(next[v]) != v) out[at(next[v])] = ValueId{static_cast<std::int32_t>(v)};
    return out;
}

std::optional<Period> find_period(graph::EinGraph const& graph, relation::Plan const& plan) {
    bool const placed = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](graph::Node const& node) {
        return node.sharding.has_value() || node.replicated;
    });
    if (placed || !graph.loops.empty() || graph::has_sparse(graph)) return std::nullopt;
    return Search(graph, plan).run();
}

}  // namespace ein::scheduler
