#include "planner/search/improve.hpp"

#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

class Improver {
public:
    Improver(graph::EinGraph const& graph, CandidateTable const& table, std::vector<int>& chosen)
        : graph_(graph), table_(table), chosen_(chosen), producers_(graph.producers()), consumers_(graph.consumers()) {}

    /// @return whether any node changed
    bool sweep() {
        bool changed = false;
        for (std::size_t k = 0; k < chosen_.size(); ++k)
            changed = reconsider(NodeId{static_cast<std::int32_t>(k)}) || changed;
        return changed;
    }

private:
    bool reconsider(NodeId id) {
        NodeCandidates const& choices = table_.of(id);
        std::vector<double> cost = choices.work;
        for (SourceNeeds const& source : choices.sources) add_input(id, source, cost);
        std::vector<double> const output_cost = cost_of_outputs(id);
        std::size_t const now = static_cast<std::size_t>(chosen_[at(id)]);
        std::size_t best = now;
        for (std::size_t c = 0; c < cost.size(); ++c)
            cost[c] += output_cost[static_cast<std::size_t>(choices.output_of[c])];
        for (std::size_t c = 0; c < cost.size(); ++c)
            if (cost[c] < cost[best]) best = c;
        chosen_[at(id)] = static_cast<int>(best);
        return best != now;
    }

    void add_input(NodeId id, SourceNeeds const& source, std::vector<double>& cost) const {
        ValueId const value = graph_.node(id).inputs[source.operands.front()];
        auto const producer = producers_[static_cast<std::size_t>(value.value())];
        if (!producer) return;
        NodeCandidates const& from = table_.of(*producer);
        Parts const& output = from.outputs[static_cast<std::size_t>(from.output_of[index(*producer)])];
        std::vector<double> of_need;
        for (std::size_t need = 0; need < source.needs.size(); ++need)
            of_need.push_back(table_.edge(id, source, need, output));
        for (std::size_t c = 0; c < cost.size(); ++c) cost[c] += of_need[static_cast<std::size_t>(source.need_of[c])];
    }

    /// What the readers' repartitions cost for each cut of a node's output.
    std::vector<double> cost_of_outputs(NodeId id) const {
        NodeCandidates const& choices = table_.of(id);
        ValueId const value = graph_.node(id).output;
        std::vector<double> cost(choices.outputs.size(), 0);
        for (NodeId reader : consumers_[static_cast<std::size_t>(value.value())]) {
            for (SourceNeeds const& source : table_.of(reader).sources) {
                if (graph_.node(reader).inputs[source.operands.front()] != value) continue;
                auto const need = static_cast<std::size_t>(source.need_of[index(reader)]);
                for (std::size_t output = 0; output < cost.size(); ++output)
                    cost[output] += table_.edge(reader, source, need, choices.outputs[output]);
            }
        }
        return cost;
    }

    std::size_t index(NodeId id) const { return static_cast<std::size_t>(chosen_[at(id)]); }

    graph::EinGraph const& graph_;
    CandidateTable const& table_;
    std::vector<int>& chosen_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<NodeId>> consumers_;
};

}  // namespace

void improve(graph::EinGraph const& graph, CandidateTable const& table, std::vector<int>& chosen) {
    Improver improver(graph, table, chosen);
    for (int sweep = 0; sweep < tuning::most_sweeps && improver.sweep(); ++sweep) continue;
}

}  // namespace ein::planner
