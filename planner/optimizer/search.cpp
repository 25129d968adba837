#include "planner/optimizer/search.hpp"

#include "planner/optimizer/wide_search.hpp"

namespace ein::planner::optimizer {

double calls_of(relation::Plan const& plan) {
    return static_cast<double>(plan.nodes.size()) * static_cast<double>(plan.calls);
}

Candidate Search::schedule(relation::Plan plan, Choices const& choices) {
    budget_.spend(calls_of(plan));
    return functions.schedule(std::move(plan), choices);
}

Candidate Search::best_of(Choices const& choices) {
    bool const as_asked = choices.planner.calls == question.asked.planner.calls;
    bool const is_small = static_cast<double>(question.nodes) * static_cast<double>(calls_asked(choices.planner)) <=
                          question.limits.most_searched_calls;
    if (question.wide && as_asked && is_small && choices.effort == Effort::thorough) {
        SearchReport found;
        Candidate best = best_of_all(*this, choices, found);
        if (report.taken.empty()) report = std::move(found);
        return best;
    }
    relation::Plan const first = functions.plan(choices);
    if (!affords(calls_of(first))) {
        std::vector<relation::Plan> plans = functions.rivals(choices, first);
        plans.insert(plans.begin(), first);
        return schedule(functions.least_moving(std::move(plans)), choices);
    }
    Candidate best = schedule(first, choices);
    if (best.cost.bytes < question.limits.worth_bytes) return best;
    for (relation::Plan& plan : functions.rivals(choices, first)) {
        if (exhausted()) break;
        Candidate rival = schedule(std::move(plan), choices);
        if (better(rival.cost, best.cost, beside(best.cost))) best = std::move(rival);
    }
    return best;
}

}  // namespace ein::planner::optimizer
