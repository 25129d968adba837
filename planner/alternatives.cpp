#include "planner/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "lib/base/error.hpp"
#include "lib/base/threads/parallel.hpp"
#include "planner/costs/residency_cost.hpp"
#include "planner/search/candidate_table.hpp"
#include "planner/search/column_partition.hpp"
#include "planner/search/decompose.hpp"
#include "planner/strategies/strategies.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

/// The published cost, but repartitions cost so much that only those are left which nothing can avoid.
class StayingTable : public CandidateTable {
public:
    StayingTable(graph::EinGraph const& graph, std::int64_t calls, std::size_t limit)
        : CandidateTable(graph, calls, Unit::bytes, limit) {}
    double edge(NodeId node, SourceNeeds const& source, std::size_t need, Parts const& output) const override {
        return tuning::dear_repartition * CandidateTable::edge(node, source, need, output);
    }
};

/// What of a plan decides about its schedule.
using Cuts = std::vector<std::pair<Parts, std::vector<Rank>>>;
Cuts cuts_of(relation::Plan const& plan) {
    Cuts out;
    for (relation::NodePlan const& node : plan.nodes) out.emplace_back(node.parts, node.ranks);
    return out;
}

/// Whether there are plans beside another (other_plans), and the first of them is that of the strategy "moved", so that
/// it need not be made again. With loops the strategy's is another: what they carry is cut anew.
bool others_begin_with_moved(graph::EinGraph const& graph, PlannerOptions const& options, relation::Plan const& first) {
    bool const is_of_options = first.calls == (options.calls > 0 ? options.calls : options.ranks);
    bool const has_others = options.decompose == "eindecomp" && first.calls > 1 && first.calls <= options.ranks;
    return has_others && is_of_options && graph.loops.empty() && graph.nodes.size() <= tuning::most_searched;
}

bool is_worth_searching(relation::Plan const& first) {
    return static_cast<double>(first.nodes.size()) * static_cast<double>(first.calls) <= tuning::most_calls;
}

}  // namespace

std::vector<Alternative> alternatives(graph::EinGraph const& graph, PlannerOptions const& options,
                                      relation::Plan const& first) {
    std::vector<Alternative> out;
    std::set<Cuts> known{cuts_of(first)};
    auto const add = [&](std::string const& name, relation::Plan plan) {
        if (known.insert(cuts_of(plan)).second) out.push_back({name, std::move(plan)});
    };
    if (!graph.mesh.empty() || options.ranks == 1) return out;
    auto const with_strategy = [&](std::string const& name) {
        PlannerOptions other = options;
        other.decompose = name;
        other.work_limit = tuning::exact_work_of_alternatives;
        other.time_limit = 0;  // counted, not timed
        relation::Plan made = plan(graph, other);
        made.strategy = first.strategy;
        made.gap = std::nullopt;
        return made;
    };
    PlannerOptions smaller = options;
    smaller.column_work = tuning::column_work_of_alternatives;
    bool const has_moved = others_begin_with_moved(graph, options, first);
    std::vector<std::string> names;
    if (is_worth_searching(first)) names = strategy_names();
    std::erase_if(names, [&](std::string const& name) {
        return name == options.decompose || (name == "exact" && first.gap == 0.0) || (name == "moved" && has_moved);
    });
    // The plans beside the first take longest, and are begun first.
    std::vector<std::vector<relation::Plan>> made = for_each_in_parallel(names.size() + 1, [&](std::size_t k) {
        return k == 0 ? other_plans(graph, smaller, first) : std::vector{with_strategy(names[k - 1])};
    });
    std::vector<relation::Plan>& others = made.front();
    promise(!has_moved || !others.empty(), "the plan of least movement is missing");
    for (relation::Plan& plan : others) {
        bool const uneven = std::any_of(plan.nodes.begin(), plan.nodes.end(),
                                        [](relation::NodePlan const& node) { return !node.ranks.empty(); });
        add(uneven ? "columns" : "resident", std::move(plan));
    }
    if (!is_worth_searching(first)) return out;
    for (std::size_t k = 0; k < names.size(); ++k) add(names[k], std::move(made[k + 1].front()));
    StayingTable const table(graph, first.calls, default_limit(graph.nodes.size()));
    add("staying", with_nodes(graph, first, decomposition_of(table, choose_by_paths(graph, table, false)).nodes));
    for (Alternative& each : out) relation::verify(graph, each.plan);
    return out;
}

Alternative on_fewer_ranks(graph::EinGraph const& graph, PlannerOptions const& options, std::string const& strategy,
                           int used) {
    PlannerOptions fewer = options;
    fewer.calls = used;
    auto const& names = strategy_names();
    bool const named = std::find(names.begin(), names.end(), strategy) != names.end() && strategy != "exact";
    if (named) fewer.decompose = strategy;
    Alternative out{named ? strategy : options.decompose, plan(graph, fewer)};
    out.plan.strategy = options.decompose;
    out.plan.gap = std::nullopt;
    return out;
}

std::vector<int> fewer_ranks(int ranks) {
    std::vector<int> out;
    int power = 1;
    while (2 * power < ranks) power *= 2;
    for (; power >= 2; power /= 2) out.push_back(power);
    if (ranks > 1) out.push_back(1);
    return out;
}

std::vector<int> nearly_all_ranks(int ranks) {
    std::vector<int> out;
    if (awkward_factor(ranks) == 1) return out;
    auto const fewest = static_cast<int>(std::ceil(ranks / tuning::little_imbalance));
    for (int used = ranks - 1; used >= std::max(2, fewest); --used) out.push_back(used);
    std::ranges::stable_sort(out, {}, [](int used) { return awkward_factor(used); });
    if (out.size() > tuning::most_near_numbers) out.resize(tuning::most_near_numbers);
    return out;
}

namespace {

/// Candidates of a node that move least beside its neighbours as they are.
std::vector<Parts> suited(ResidencyCost const& moved, graph::EinGraph const& graph, NodeId id, std::vector<Parts> parts,
                          std::vector<Parts> const& candidates, std::size_t most) {
    graph::Node const& node = graph.node(id);
    std::vector<std::pair<double, std::size_t>> costs;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        parts[static_cast<std::size_t>(id.value())] = candidates[c];
        double cost = moved.of_partials(id, candidates[c]) + moved.of_value(node.output, parts);
        for (ValueId input : std::set<ValueId>(node.inputs.begin(), node.inputs.end()))
            cost += moved.of_value(input, parts);
        costs.emplace_back(cost, c);
    }
    std::sort(costs.begin(), costs.end());
    std::vector<Parts> out;
    for (std::size_t k = 0; k < std::min(most, costs.size()); ++k) out.push_back(candidates[costs[k].second]);
    return out;
}

}  // namespace

std::vector<relation::Plan> variations(graph::EinGraph const& graph, relation::Plan const& plan,
                                       std::vector<Alternative> const& others, std::size_t most) {
    std::vector<relation::Plan> out;
    std::set<Cuts> known{cuts_of(plan)};
    auto const add = [&](std::vector<relation::NodePlan> nodes) {
        if (out.size() >= most) return;
        relation::Plan other = with_nodes(graph, plan, std::move(nodes));
        if (known.insert(cuts_of(other)).second) out.push_back(std::move(other));
    };
    std::size_t const nodes = plan.nodes.size();
    for (Alternative const& other : others) {
        if (other.plan.calls != plan.calls) continue;
        for (std::size_t k = 1; k < nodes && out.size() < most; ++k) {  // one plan up to a node, another from there on
            if (are_cut_alike(plan.nodes[k - 1], other.plan.nodes[k - 1])) continue;  // as for the node before
            std::vector<relation::NodePlan> begun = plan.nodes, ended = plan.nodes;
            std::copy_n(other.plan.nodes.begin(), k, begun.begin());
            std::copy(other.plan.nodes.begin() + static_cast<std::ptrdiff_t>(k), other.plan.nodes.end(),
                      ended.begin() + static_cast<std::ptrdiff_t>(k));
            add(std::move(begun));
            add(std::move(ended));
        }
    }
    if (out.size() >= most) return out;
    ResidencyCost const moved(graph);
    std::vector<Parts> parts;
    for (relation::NodePlan const& node : plan.nodes) parts.push_back(node.parts);
    std::map<Form, std::vector<Parts>> lists;
    for (std::size_t k = 0; k < nodes && out.size() < most; ++k) {
        graph::Node const& node = graph.nodes[k];
        std::vector<Parts>& list = lists[form_of(graph, node, Unit::bytes)];
        if (list.empty()) list = preferred_candidates(graph, node, plan.calls, tuning::most_varied_candidates).parts;
        std::vector<relation::NodePlan> tried;
        for (Parts& cut :
             suited(moved, graph, NodeId{static_cast<std::int32_t>(k)}, parts, list, tuning::most_variations_of_a_node))
            tried.push_back({.parts = std::move(cut)});
        for (Alternative const& other : others)
            if (other.plan.calls == plan.calls) tried.push_back(other.plan.nodes[k]);
        for (relation::NodePlan& cut : tried) {
            if (are_cut_alike(cut, plan.nodes[k])) continue;
            std::vector<relation::NodePlan> varied = plan.nodes;
            cut.candidates = varied[k].candidates;
            varied[k] = std::move(cut);
            add(std::move(varied));
        }
    }
    return out;
}

}  // namespace ein::planner
