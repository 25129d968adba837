#include "planner/strategies/least_moved.hpp"

#include <algorithm>

#include "planner/costs/residency_cost.hpp"
#include "planner/search/candidate_table.hpp"
#include "planner/search/decompose.hpp"
#include "planner/strategies/by_role.hpp"
#include "planner/strategies/grids.hpp"
#include "planner/strategies/megatron.hpp"
#include "planner/strategies/square_root.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

std::vector<Parts> parts_of(std::vector<relation::NodePlan> const& plans) {
    std::vector<Parts> parts;
    for (relation::NodePlan const& plan : plans) parts.push_back(plan.parts);
    return parts;
}

/// Takes for each node the candidate that moves least beside its neighbours, until nothing changes.
class Mover {
public:
    Mover(graph::EinGraph const& graph, CandidateTable const& table, ResidencyCost const& moved,
          std::vector<Parts>& parts)
        : graph_(graph),
          table_(table),
          moved_(moved),
          parts_(parts),
          producers_(graph.producers()),
          consumers_(graph.consumers()),
          dirty_(graph.nodes.size(), true) {}

    void run() {
        for (int sweep = 0; sweep < tuning::most_sweeps; ++sweep) {
            bool changed = false;
            for (std::size_t k = 0; k < dirty_.size(); ++k)
                if (dirty_[k]) changed = reconsider(NodeId{static_cast<std::int32_t>(k)}) || changed;
            if (!changed) return;
        }
    }

private:
    bool reconsider(NodeId id) {
        dirty_[at(id)] = false;
        NodeCandidates const& choices = table_.of(id);
        graph::Node const& node = graph_.node(id);
        Parts const now = parts_[at(id)];
        double const before = cost_beside(id);
        std::vector<double> cost(choices.candidates.size());
        for (std::size_t c = 0; c < cost.size(); ++c) cost[c] = moved_.of_partials(id, choices.candidates[c]);
        add(id, node.output, choices.outputs.size(), choices.output_of, cost);
        for (SourceNeeds const& source : choices.sources)
            add(id, node.inputs[source.operands.front()], source.needs.size(), source.need_of, cost);
        parts_[at(id)] = now;
        auto const best = std::min_element(cost.begin(), cost.end());
        if (best == cost.end() || *best >= before * (1 - 1e-12)) return false;
        parts_[at(id)] = choices.candidates[static_cast<std::size_t>(best - cost.begin())];
        mark_neighbours(id);
        return true;
    }

    double cost_beside(NodeId id) const {
        graph::Node const& node = graph_.node(id);
        double sum = moved_.of_partials(id, parts_[at(id)]) + moved_.of_value(node.output, parts_);
        for (SourceNeeds const& source : table_.of(id).sources)
            sum += moved_.of_value(node.inputs[source.operands.front()], parts_, id);
        return sum;
    }

    /// What `value` moves with each candidate; those of one kind (same output, same need) move alike.
    void add(NodeId id, ValueId value, std::size_t kinds, std::vector<int> const& kind_of, std::vector<double>& cost) {
        std::vector<double> of_kind(kinds, -1);
        for (std::size_t c = 0; c < cost.size(); ++c) {
            double& known = of_kind[static_cast<std::size_t>(kind_of[c])];
            if (known < 0) {
                parts_[at(id)] = table_.of(id).candidates[c];
                known = moved_.of_value(value, parts_, id);
            }
            cost[c] += known;
        }
    }

    /// Nodes whose costs the node has a part in: its producers, its readers, and the other readers of what it reads.
    void mark_neighbours(NodeId id) {
        auto readers = [&](ValueId value) -> std::vector<NodeId> const& {
            return consumers_[static_cast<std::size_t>(value.value())];
        };
        for (NodeId reader : readers(graph_.node(id).output)) dirty_[at(reader)] = true;
        for (ValueId input : graph_.node(id).inputs) {
            if (auto const producer = producers_[static_cast<std::size_t>(input.value())]) dirty_[at(*producer)] = true;
            if (readers(input).size() <= tuning::most_readers)
                for (NodeId reader : readers(input)) dirty_[at(reader)] = true;
        }
    }

    graph::EinGraph const& graph_;
    CandidateTable const& table_;
    ResidencyCost const& moved_;
    std::vector<Parts>& parts_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<NodeId>> consumers_;
    std::vector<bool> dirty_;
};

/// Gives nodes that a rule left with fewer calls as many as the others: by the first candidate that cuts the same
/// blocks further, else by the preferred one. Idle ranks move nothing, but that is not what is looked for.
void use_all_calls(CandidateTable const& table, std::vector<Parts>& parts) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
        auto const& list = table.of(NodeId{static_cast<std::int32_t>(k)}).candidates;
        if (element_count(parts[k]) >= element_count(list.front())) continue;
        auto const finer = std::find_if(list.begin(), list.end(), [&](Parts const& candidate) {
            for (std::size_t l = 0; l < candidate.size(); ++l)
                if (candidate[l] % parts[k][l] != 0) return false;
            return true;
        });
        parts[k] = finer == list.end() ? list.front() : *finer;
    }
}

/// Where the search begins: of the regular plans the first of those that move least.
std::vector<Parts> best_regular(graph::EinGraph const& graph, std::int64_t calls, CandidateTable const& table,
                                ResidencyCost const& moved) {
    std::vector<Parts> best;
    double least = 0;
    auto consider = [&](std::vector<relation::NodePlan> const& plans) {
        std::vector<Parts> parts = parts_of(plans);
        use_all_calls(table, parts);
        double const bytes = moved.total(parts);
        if (best.empty() || bytes < least) least = bytes, best = std::move(parts);
    };
    for (std::int64_t data = 1; data <= calls; ++data)
        if (calls % data == 0) consider(cut_data_times_tensor(graph, calls, data));
    for (auto const cut : {cut_sequence, cut_attention, cut_square_root, cut_3d, cut_25d}) consider(cut(graph, calls));
    return best;
}

bool is_prime(std::int64_t number) {
    for (std::int64_t d = 2; d * d <= number; ++d)
        if (number % d == 0) return false;
    return number > 1;
}

/// How much less EinDecomp's plan must move to be taken. It cuts neighbours in many ways, and ranks can not be placed
/// so well that all blocks of such neighbours meet, as the model assumes; with a prime number of calls a node has one
/// cut label, and they do.
double handicap(std::int64_t calls) { return is_prime(calls) ? 1 : 0.98; }

}  // namespace

std::vector<relation::NodePlan> cut_least_moved(graph::EinGraph const& graph, std::int64_t calls) {
    ResidencyCost const moved(graph);
    CandidateTable const table(graph, calls, Unit::bytes, default_limit(graph.nodes.size()));
    std::vector<Parts> parts = best_regular(graph, calls, table, moved);
    std::vector<Parts> published = parts_of(decompose(graph, {.calls = calls}).nodes);
    for (std::vector<Parts>* start : {&parts, &published}) Mover(graph, table, moved, *start).run();
    if (moved.total(published) < handicap(calls) * moved.total(parts)) parts = std::move(published);
    std::vector<relation::NodePlan> plans;
    for (std::size_t k = 0; k < parts.size(); ++k)
        plans.push_back({.parts = parts[k],
                         .candidates = static_cast<std::int64_t>(
                             table.of(NodeId{static_cast<std::int32_t>(k)}).candidates.size())});
    return plans;
}

}  // namespace ein::planner
