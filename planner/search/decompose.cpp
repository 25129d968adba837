#include "planner/search/decompose.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/error.hpp"
#include "planner/search/candidate_table.hpp"
#include "planner/search/improve.hpp"
#include "planner/search/path_cover.hpp"

namespace ein::planner {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// M of the paper for one node: for each cut of its output the least cost of everything before, and how it comes about.
struct Best {
    std::vector<double> cost;    // for each output
    std::vector<int> candidate;  // for each output
    std::vector<std::vector<int>>
        picks;  // for each source and need the output of its producer; empty when it is not open
};

/// Whether no value that a node makes has two readers.
bool is_forest(graph::EinGraph const& graph) {
    auto const consumers = graph.consumers();
    return std::all_of(graph.nodes.begin(), graph.nodes.end(), [&](graph::Node const& node) {
        return consumers[static_cast<std::size_t>(node.output.value())].size() <= 1;
    });
}

class Decomposer {
public:
    Decomposer(graph::EinGraph const& graph, CandidateTable const& table, bool ignore_off_path)
        : graph_(graph),
          table_(table),
          ignore_off_path_(ignore_off_path),
          producers_(graph.producers()),
          consumers_(graph.consumers()),
          open_reader_(graph.nodes.size(), -1),
          best_(graph.nodes.size()),
          chosen_(graph.nodes.size(), -1) {}

    std::vector<int> run() {
        if (is_forest(graph_)) {
            solve_forest();
        } else {
            for (std::vector<NodeId> const& path : longest_paths(graph_)) solve_path(path);
            if (!ignore_off_path_) improve(graph_, table_, chosen_);
        }
        return std::move(chosen_);
    }

private:
    static std::size_t at(NodeId id) { return static_cast<std::size_t>(id.value()); }

    std::vector<NodeId> const& readers(NodeId id) const {
        return consumers_[static_cast<std::size_t>(graph_.node(id).output.value())];
    }

    void solve_forest() {
        std::vector<NodeId> nodes;
        for (std::size_t k = 0; k < graph_.nodes.size(); ++k) {
            nodes.push_back(NodeId{static_cast<std::int32_t>(k)});
            if (!readers(nodes.back()).empty()) open_reader_[k] = readers(nodes.back()).front().value();
        }
        solve(nodes);
    }

    void solve_path(std::vector<NodeId> const& path) {
        for (std::size_t k = 0; k + 1 < path.size(); ++k) open_reader_[at(path[k])] = path[k + 1].value();
        solve(path);
        for (NodeId id : path) best_[at(id)] = {};
    }

    /// Solves nodes, given in topological order, as one: a forest, each node open to at most one reader.
    void solve(std::vector<NodeId> const& nodes) {
        for (NodeId id : nodes) fill(id);
        for (std::size_t k = nodes.size(); k-- > 0;) choose(nodes[k]);
    }

    /// The least cost of each output of a node, its inputs being solved.
    void fill(NodeId id) {
        NodeCandidates const& choices = table_.of(id);
        Best& best = best_[at(id)];
        std::vector<std::vector<double>> source_costs;
        for (std::size_t s = 0; s < choices.sources.size(); ++s) {
            best.picks.emplace_back();
            source_costs.push_back(costs_of_source(id, choices.sources[s], best.picks.back()));
        }
        best.cost.assign(choices.outputs.size(), infinite);
        best.candidate.assign(choices.outputs.size(), -1);
        for (std::size_t c = 0; c < choices.candidates.size(); ++c) {
            double cost = choices.work[c];
            for (std::size_t s = 0; s < choices.sources.size(); ++s)
                if (!source_costs[s].empty())
                    cost += source_costs[s][static_cast<std::size_t>(choices.sources[s].need_of[c])];
            auto const output = static_cast<std::size_t>(choices.output_of[c]);
            if (best.candidate[output] >= 0 && cost >= best.cost[output]) continue;
            best.cost[output] = cost;
            best.candidate[output] = static_cast<int>(c);
        }
        add_edges_to_cut_readers(id, choices, best);
    }

    /// For each need of a source what it costs to have it; empty when it costs nothing that is known.
    std::vector<double> costs_of_source(NodeId id, SourceNeeds const& source, std::vector<int>& picks) const {
        ValueId const value = graph_.node(id).inputs[source.operands.front()];
        auto const producer = producers_[static_cast<std::size_t>(value.value())];
        if (!producer) return {};  // a leaf: M is 0 however it is cut
        std::vector<double> costs;
        if (open_reader_[at(*producer)] == id.value()) {
            for (std::size_t need = 0; need < source.needs.size(); ++need) {
                auto const [cost, pick] = cheapest(id, source, need, *producer);
                costs.push_back(cost);
                picks.push_back(pick);
            }
        } else if (chosen_[at(*producer)] >= 0 && !ignore_off_path_) {
            for (std::size_t need = 0; need < source.needs.size(); ++need)
                costs.push_back(table_.edge(id, source, need, chosen_output(*producer)));
        }
        return costs;
    }

    /// The producer's output from which a need is met at least cost. One that needs no repartition is looked at first:
    /// most others already cost more by themselves.
    std::pair<double, int> cheapest(NodeId id, SourceNeeds const& source, std::size_t need, NodeId producer) const {
        NodeCandidates const& from = table_.of(producer);
        Best const& before = best_[at(producer)];
        auto const alike = std::find(from.outputs.begin(), from.outputs.end(), source.needs[need].front());
        double least = infinite;
        int pick = -1;
        auto consider = [&](std::size_t output) {
            if (pick >= 0 && before.cost[output] >= least) return;
            double const cost = before.cost[output] + table_.edge(id, source, need, from.outputs[output]);
            if (pick >= 0 && cost >= least) return;
            least = cost;
            pick = static_cast<int>(output);
        };
        if (alike != from.outputs.end()) consider(static_cast<std::size_t>(alike - from.outputs.begin()));
        for (std::size_t output = 0; output < from.outputs.size(); ++output) consider(output);
        return {least, pick};
    }

    void add_edges_to_cut_readers(NodeId id, NodeCandidates const& choices, Best& best) const {
        if (ignore_off_path_) return;
        ValueId const value = graph_.node(id).output;
        for (NodeId reader : readers(id)) {
            if (chosen_[at(reader)] < 0) continue;
            for (SourceNeeds const& source : table_.of(reader).sources) {
                if (graph_.node(reader).inputs[source.operands.front()] != value) continue;
                auto const need =
                    static_cast<std::size_t>(source.need_of[static_cast<std::size_t>(chosen_[at(reader)])]);
                for (std::size_t output = 0; output < choices.outputs.size(); ++output)
                    best.cost[output] += table_.edge(reader, source, need, choices.outputs[output]);
            }
        }
    }

    /// Follows what the reader picked; a node without open reader takes its cheapest output.
    void choose(NodeId id) {
        Best const& best = best_[at(id)];
        int output = picked_by_reader(id);
        if (output < 0)
            output = static_cast<int>(std::min_element(best.cost.begin(), best.cost.end()) - best.cost.begin());
        chosen_[at(id)] = best.candidate[static_cast<std::size_t>(output)];
    }

    int picked_by_reader(NodeId id) const {
        if (open_reader_[at(id)] < 0) return -1;
        NodeId const reader{open_reader_[at(id)]};
        NodeCandidates const& choices = table_.of(reader);
        for (std::size_t s = 0; s < choices.sources.size(); ++s) {
            SourceNeeds const& source = choices.sources[s];
            if (graph_.node(reader).inputs[source.operands.front()] != graph_.node(id).output) continue;
            auto const need = static_cast<std::size_t>(source.need_of[static_cast<std::size_t>(chosen_[at(reader)])]);
            return best_[at(reader)].picks[s][need];
        }
        throw InternalError("a node does not read what it is said to read");
    }

    Parts const& chosen_output(NodeId id) const {
        NodeCandidates const& choices = table_.of(id);
        return choices.outputs[static_cast<std::size_t>(choices.output_of[static_cast<std::size_t>(chosen_[at(id)])])];
    }

    graph::EinGraph const& graph_;
    CandidateTable const& table_;
    bool ignore_off_path_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<NodeId>> consumers_;
    std::vector<int> open_reader_;  // the reader that a node is solved together with, or -1
    std::vector<Best> best_;
    std::vector<int> chosen_;  // candidate of each node, or -1 while it is not cut
};

}  // namespace

std::vector<int> choose_by_paths(graph::EinGraph const& graph, CandidateTable const& table, bool ignore_off_path) {
    return Decomposer(graph, table, ignore_off_path).run();
}

CandidateTable choice_table(graph::EinGraph const& graph, DecomposeOptions const& options) {
    promise(options.calls >= 1, "a plan needs at least one kernel call a node");
    std::size_t const limit = options.candidate_limit ? options.candidate_limit : default_limit(graph.nodes.size());
    return CandidateTable(graph, options.calls, options.unit, limit);
}

Decomposition decomposition_of(CandidateTable const& table, std::vector<int> const& chosen) {
    Decomposition out;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        NodeCandidates const& choices = table.of(NodeId{static_cast<std::int32_t>(k)});
        out.nodes.push_back({.parts = choices.candidates[static_cast<std::size_t>(chosen[k])],
                             .candidates = static_cast<std::int64_t>(choices.candidates.size())});
    }
    return out;
}

Decomposition decompose(graph::EinGraph const& graph, DecomposeOptions const& options) {
    CandidateTable const table = choice_table(graph, options);
    Decomposition out = decomposition_of(table, choose_by_paths(graph, table, options.ignore_off_path));
    if (is_forest(graph) && table.complete()) out.gap = 0;
    return out;
}

}  // namespace ein::planner
