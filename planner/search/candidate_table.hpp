// What the dynamic program chooses from at each node: its candidates in order of preference, what each costs by itself,
// and how candidates look from outside - the distinct cuts of the output, and the distinct cuts that they need of each
// input. Nodes of one form share one NodeCandidates, so that a graph of a hundred thousand alike nodes is listed once.
// Example: matmul on 8 calls: 10 candidates, 10 cuts of the output, 10 of the left input, (2,2) among them once.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "planner/costs/cost.hpp"
#include "planner/search/candidates.hpp"

namespace ein::planner {

/// An input value of a node, and the operands that read it.
struct SourceNeeds {
    std::vector<std::size_t> operands;
    std::vector<std::vector<Parts>>
        needs;                 // distinct; EinSum: what each of `operands` needs; else one, the node's parts
    std::vector<int> need_of;  // for each candidate
};

struct NodeCandidates {
    std::vector<Parts> candidates;  // the preferred first
    std::vector<double> work;       // join and aggregation of each, in the unit of the table
    std::vector<Parts> outputs;     // distinct cuts of the output
    std::vector<int> output_of;     // for each candidate
    std::vector<SourceNeeds> sources;
    bool complete = true;  // false: there are more candidates than were listed
};

/// The NodeCandidates of every node. Of candidates that cost the same the first is taken; preferred are, in this order:
/// fewer partial results for each output block, larger parts on the first output label, on the second, ..., then on the
/// aggregated labels.
class CandidateTable {
public:
    /// @param calls  kernel calls wanted of every node  @param limit  candidates of a node at most
    CandidateTable(graph::EinGraph const& graph, std::int64_t calls, Unit unit, std::size_t limit);
    virtual ~CandidateTable() = default;

    NodeCandidates const& of(NodeId node) const { return *choices_[static_cast<std::size_t>(node.value())]; }

    /// Whether every node has all its candidates.
    bool complete() const;

    /// The repartitions from a producer's `output` cut into need `need` of one source of a node.
    virtual double edge(NodeId node, SourceNeeds const& source, std::size_t need, Parts const& output) const;

protected:
    CandidateTable(graph::EinGraph const& graph, Unit unit);
    /// Fills choices_ with what `choose(node, layouts)` makes of each form once. @return by node, the layouts of its
    /// candidates
    template <class Layout, class Choose>
    std::vector<std::shared_ptr<std::vector<Layout> const>> choose_by_form(Choose const& choose);
    double iterations_of(ValueId value) const {
        return static_cast<double>(iterations_[static_cast<std::size_t>(value.value())]);
    }

    graph::EinGraph const& graph_;
    Unit unit_;
    std::vector<std::shared_ptr<NodeCandidates const>> choices_;  // by NodeId

private:
    std::vector<std::int64_t> iterations_;  // by value: how often it changes
};

/// All that the choices of a node depend on, as numbers: nodes of one form share their NodeCandidates.
using Form = std::vector<std::int64_t>;
Form form_of(graph::EinGraph const& graph, graph::Node const& node, Unit unit);

template <class Layout, class Choose>
std::vector<std::shared_ptr<std::vector<Layout> const>> CandidateTable::choose_by_form(Choose const& choose) {
    using Layouts = std::shared_ptr<std::vector<Layout> const>;
    std::map<Form, std::pair<std::shared_ptr<NodeCandidates const>, Layouts>> known;
    std::vector<Layouts> out;
    for (graph::Node const& node : graph_.nodes) {
        auto& [choices, layouts] = known[form_of(graph_, node, unit_)];
        if (!choices) {
            std::vector<Layout> of_candidates;
            choices = std::make_shared<NodeCandidates const>(choose(node, of_candidates));
            layouts = std::make_shared<std::vector<Layout> const>(std::move(of_candidates));
        }
        choices_.push_back(choices);
        out.push_back(layouts);
    }
    return out;
}

/// The NodeCandidates that given candidates make, under the published cost.
NodeCandidates choices_from(graph::EinGraph const& graph, graph::Node const& node, std::vector<Parts> candidates,
                            Unit unit);

/// For each operand the first operand that reads the same value.
std::vector<std::size_t> same_values(graph::Node const& node);

/// The operands that read each distinct value, in the order of its first.
std::vector<std::vector<std::size_t>> operands_by_value(graph::Node const& node);

/// Numbers distinct items in order of appearance.
template <class Item>
class Distinct {
public:
    int number(Item item) {
        auto const [at, fresh] = numbers_.emplace(item, static_cast<int>(items.size()));
        if (fresh) items.push_back(std::move(item));
        return at->second;
    }
    std::vector<Item> items;

private:
    std::map<Item, int> numbers_;
};

/// Candidates of a node that keep the whole table for a graph of `nodes` nodes to seconds: 20,000 for small graphs,
/// fewer for very large ones, never below 64.
std::size_t default_limit(std::size_t nodes);

/// Candidates of one node in order of preference.
Candidates preferred_candidates(graph::EinGraph const& graph, graph::Node const& node, std::int64_t calls,
                                std::size_t limit);

}  // namespace ein::planner
