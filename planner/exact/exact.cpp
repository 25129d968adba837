#include "planner/exact/exact.hpp"

#include <algorithm>
#include <optional>

#include "planner/exact/order.hpp"
#include "planner/exact/solve.hpp"
#include "planner/exact/tree_elimination.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

struct Assignment {
    std::vector<int> values;
    double cost = 0;
    double bound = 0;  // what any assignment costs at least
};

/// Solves what is left of a model part by part, each with its share of the budget.
void solve_rest(Model const& model, std::vector<int> const& rest, Assignment& known, Budget budget) {
    std::vector<std::vector<int>> const components = components_in_order(model, rest);
    Subproblem subproblem(model);
    for (std::size_t k = 0; k < components.size(); ++k) {
        std::vector<int> values;
        for (int variable : components[k]) values.push_back(known.values[at(variable)]);
        Budget share = budget.share(components.size() - k);
        Solution const solved = solve(subproblem.part(components[k]), std::move(values), share);
        budget.spend(share.spent());
        for (std::size_t v = 0; v < components[k].size(); ++v) known.values[at(components[k][v])] = solved.values[v];
        known.cost += solved.cost;
        known.bound += solved.bound;
    }
}

/// The best assignment that the budget allows. @param known  one to begin with, kept unless another is cheaper
Assignment solve_model(Model model, std::vector<int> known, Budget const& budget) {
    double const known_cost = model.cost(known);
    Assignment best{known, 0, 0};
    TreeElimination const elimination(model);
    best.cost = best.bound = elimination.closed_cost();
    solve_rest(model, elimination.rest(), best, budget);
    elimination.restore(best.values);
    if (best.cost >= known_cost * (1 - tuning::rounding)) {
        best.values = std::move(known);
        best.cost = known_cost;
    }
    return best;
}

std::optional<double> gap_of(Assignment const& assignment) {
    if (assignment.cost - assignment.bound <= tuning::rounding * assignment.cost) return 0;
    if (assignment.bound <= 0) return std::nullopt;
    return assignment.cost / assignment.bound - 1;
}

double cost_of(graph::EinGraph const& graph, Decomposition const& decomposition, Unit unit) {
    relation::Plan plan;
    plan.nodes = decomposition.nodes;
    price(graph, plan);
    return unit == Unit::elements ? plan.elements().total() : plan.bytes().total();
}

/// Searches among the candidates of a table, beginning with `known`.
Decomposition search(CandidateTable const& table, Model model, std::vector<int> known,
                     DecomposeOptions const& options) {
    Budget const budget(options.work_limit > 0 ? options.work_limit : tuning::exact_work, options.time_limit);
    Assignment const best = solve_model(std::move(model), std::move(known), budget);
    Decomposition out = decomposition_of(table, best.values);
    if (table.complete()) out.gap = gap_of(best);
    return out;
}

/// Where the tables of all candidates would be too large: among fewer, unless the known plan is better.
Decomposition search_fewer(graph::EinGraph const& graph, Decomposition known, DecomposeOptions options) {
    std::int64_t most = 0;
    for (relation::NodePlan const& node : known.nodes) most = std::max(most, node.candidates);
    for (options.candidate_limit = static_cast<std::size_t>(most / 2); options.candidate_limit > 1;
         options.candidate_limit /= 2) {
        CandidateTable const table = choice_table(graph, options);
        auto model = make_model(graph, table, tuning::most_entries);
        if (!model) continue;
        std::vector<int> start = choose_by_paths(graph, table, options.ignore_off_path);
        Decomposition found = search(table, std::move(*model), std::move(start), options);
        bool const better = cost_of(graph, found, options.unit) < cost_of(graph, known, options.unit);
        return better ? found : known;
    }
    return known;
}

}  // namespace

Decomposition decompose_exactly(graph::EinGraph const& graph, DecomposeOptions const& options) {
    CandidateTable const table = choice_table(graph, options);
    std::vector<int> known = choose_by_paths(graph, table, options.ignore_off_path);
    auto model = make_model(graph, table, tuning::most_entries);
    if (model) return search(table, std::move(*model), std::move(known), options);
    return search_fewer(graph, decomposition_of(table, known), options);
}

}  // namespace ein::planner
