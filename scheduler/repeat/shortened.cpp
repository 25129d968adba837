#include "scheduler/repeat/shortened.hpp"

#include <algorithm>

namespace ein::scheduler {
namespace {

class Shortening {
public:
    Shortening(graph::EinGraph const& graph, relation::Plan const& plan, Period const& period, std::size_t before,
               std::size_t behind)
        : graph_(graph), plan_(plan), period_(period), producers_(graph.producers()) {
        out_.rounds = period.rounds() - before - behind;
        out_.cut = period.first + before * period.nodes;
        out_.left_out = out_.rounds * period.nodes;
    }

    std::optional<Shortened> run() && {
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
            if (is_kept(n) && !keep(n)) return std::nullopt;
        for (ValueId output : graph_.outputs) {
            if (!stays(output)) return std::nullopt;
            kept_.push_back(output);
        }
        enter_values();
        enter_nodes();
        return std::move(out_);
    }

private:
    bool is_kept(std::size_t node) const { return node < out_.cut || node >= out_.cut + out_.left_out; }

    /// Notes what the node reads instead, and that it is needed. @return false where it reads what is left out
    bool keep(std::size_t n) {
        graph::Node node = graph_.nodes[n];
        for (ValueId& input : node.inputs) {
            if (n >= out_.cut) {
                auto const moved = n < period_.end ? rounds_before(input)
                                   : stays(input)  ? OptionalId(input)
                                                   : std::nullopt;
                if (!moved) return false;
                input = *moved;
            }
            kept_.push_back(input);
        }
        kept_.push_back(node.output);
        nodes_.push_back(std::move(node));
        return true;
    }

    /// What a node of the last rounds reads, or what that was so many rounds before.
    OptionalId<ValueId> rounds_before(ValueId input) const {
        auto const& made = producers_[at(input)];
        if (!made || is_outside(at(*made))) return input;
        std::size_t const node = at(*made);
        if (node < out_.cut) return std::nullopt;  // one of the first rounds', by all others
        return graph_.nodes[node - out_.left_out].output;
    }

    /// Whether what comes after the rounds may read it.
    bool stays(ValueId value) const {
        auto const& made = producers_[at(value)];
        return made ? is_outside(at(*made)) : period_.next[at(value)] == value;
    }
    /// The node is in no round, or in one of the last.
    bool is_outside(std::size_t node) const { return node < period_.first || node >= out_.cut + out_.left_out; }

    void enter_values() {
        std::sort(kept_.begin(), kept_.end());
        kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
        out_.values = kept_;
        out_.graph.name = graph_.name;
        out_.graph.mesh = graph_.mesh;
        out_.graph.params = graph_.params;
        for (ValueId value : kept_) out_.graph.values.push_back(graph_.value(value));
        for (graph::Leaf const& leaf : graph_.leaves)
            if (std::binary_search(kept_.begin(), kept_.end(), leaf.value))
                out_.graph.leaves.push_back({number(leaf.value), leaf.source});
        for (ValueId output : graph_.outputs) out_.graph.outputs.push_back(number(output));
    }

    void enter_nodes() {
        out_.plan = plan_;
        out_.plan.nodes.clear();
        for (graph::Node& node : nodes_) {
            for (ValueId& input : node.inputs) input = number(input);
            node.output = number(node.output);
            out_.plan.nodes.push_back(plan_.nodes[out_.whole(out_.graph.nodes.size())]);
            out_.graph.nodes.push_back(std::move(node));
        }
    }

    ValueId number(ValueId value) const {
        auto const place = std::lower_bound(kept_.begin(), kept_.end(), value);
        return ValueId{static_cast<std::int32_t>(place - kept_.begin())};
    }

    graph::EinGraph const& graph_;
    relation::Plan const& plan_;
    Period const& period_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<ValueId> kept_;
    std::vector<graph::Node> nodes_;
    Shortened out_;
};

}  // namespace

std::optional<Shortened> shortened(graph::EinGraph const& graph, relation::Plan const& plan, Period const& period,
                                   std::size_t before, std::size_t behind) {
    if (period.rounds() <= before + behind) return std::nullopt;
    return Shortening(graph, plan, period, before, behind).run();
}

}  // namespace ein::scheduler
