#include "planner/search/rejected_plans.hpp"

#include <algorithm>
#include <numeric>

#include "planner/search/candidate_table.hpp"

namespace ein::planner {
namespace {

class Reconsidering {
public:
    Reconsidering(graph::EinGraph const& graph, relation::Plan const& plan, std::size_t most)
        : graph_(graph),
          plan_(plan),
          most_(most),
          producers_(graph.producers()),
          consumers_(graph.consumers()),
          iterations_(graph.iterations_of_values()) {}

    RejectedPlans of(NodeId id) const {
        graph::Node const& node = graph_.node(id);
        Parts const& planned = plan_.node(id).parts;
        std::vector<Parts> candidates =
            preferred_candidates(graph_, node, plan_.calls, default_limit(graph_.nodes.size())).parts;
        RejectedPlans out;
        out.candidates = std::max(plan_.node(id).candidates, static_cast<std::int64_t>(candidates.size()));
        out.planned = priced(id, planned);
        std::erase(candidates, planned);
        for (std::size_t best : cheapest(id, candidates)) out.rejected.push_back(priced(id, candidates[best]));
        return out;
    }

private:
    std::vector<std::size_t> cheapest(NodeId id, std::vector<Parts> const& candidates) const {
        std::vector<double> bytes;
        for (Parts const& parts : candidates) bytes.push_back(cost(id, parts, Unit::bytes).total());
        std::vector<std::size_t> order(candidates.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return bytes[a] < bytes[b]; });
        order.resize(std::min(order.size(), most_));
        return order;
    }

    Option priced(NodeId id, Parts const& parts) const {
        return {parts, cost(id, parts, Unit::elements), cost(id, parts, Unit::bytes)};
    }

    relation::Cost cost(NodeId id, Parts const& parts, Unit unit) const {
        graph::Node const& node = graph_.node(id);
        relation::Cost sum = cost_of_node(graph_, node, parts, unit);
        for (std::size_t operand = 0; operand < node.inputs.size(); ++operand)
            if (auto const producer = producers_[static_cast<std::size_t>(node.inputs[operand].value())])
                sum.repart +=
                    iterations_of(node.inputs[operand]) *
                    cost_of_edge(graph_, node, operand,
                                 relation::output_parts(graph_.node(*producer), plan_.node(*producer)), parts, unit);
        relation::NodePlan cut;
        cut.parts = parts;
        Parts const output = relation::output_parts(node, cut);
        for (NodeId reader : consumers_[static_cast<std::size_t>(node.output.value())]) {
            graph::Node const& reading = graph_.node(reader);
            for (std::size_t operand = 0; operand < reading.inputs.size(); ++operand)
                if (reading.inputs[operand] == node.output)
                    sum.repart += iterations_of(node.output) *
                                  cost_of_edge(graph_, reading, operand, output, plan_.node(reader).parts, unit);
        }
        return sum;
    }

    double iterations_of(ValueId value) const {
        return static_cast<double>(iterations_[static_cast<std::size_t>(value.value())]);
    }

    graph::EinGraph const& graph_;
    relation::Plan const& plan_;
    std::size_t most_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<NodeId>> consumers_;
    std::vector<std::int64_t> iterations_;  // by value: how often it changes
};

}  // namespace

std::vector<RejectedPlans> rejected_plans(graph::EinGraph const& graph, relation::Plan const& plan, std::size_t most) {
    Reconsidering const reconsidering(graph, plan, most);
    std::vector<RejectedPlans> out;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        out.push_back(reconsidering.of(NodeId{static_cast<std::int32_t>(node)}));
    return out;
}

}  // namespace ein::planner
