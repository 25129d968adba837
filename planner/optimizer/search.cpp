#include "planner/optimizer/search.hpp"

#include <algorithm>
#include <numeric>

#include "planner/optimizer/wide_search.hpp"

namespace ein::planner::optimizer {

double calls_of(relation::Plan const& plan) {
    return static_cast<double>(plan.nodes.size()) * static_cast<double>(plan.calls);
}

Candidate Search::schedule(relation::Plan plan, Choices const& choices) {
    budget_.spend(calls_of(plan));
    return functions.schedule(std::move(plan), choices);
}

bool Search::may_use_fewer(Choices const& choices) const {
    return question.wide && !question.parts_are_given && choices.planner.calls == 0 && choices.planner.ranks > 1;
}

std::vector<Numbered> Search::numbered(Choices const& choices) const {
    std::vector<Numbered> out{{choices, functions.plan(choices)}};
    if (may_use_fewer(choices))
        for (int ranks : functions.nearly_all_ranks(choices.planner.ranks)) {
            Numbered fewer{choices, {}};
            fewer.choices.planner.calls = ranks;
            fewer.first = functions.plan(fewer.choices);
            out.push_back(std::move(fewer));
        }
    if (out.size() == 1) return out;
    std::vector<relation::Plan> plans;
    for (Numbered const& each : out) plans.push_back(each.first);
    std::vector<double> moved = functions.moved(plans);
    moved.front() *= question.limits.worth_idle_ranks;
    std::vector<std::size_t> order(out.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return moved[k]; });
    std::vector<Numbered> sorted;
    for (std::size_t k : order) sorted.push_back(std::move(out[k]));
    return sorted;
}

Candidate Search::least_moving(Numbered const& numbered) {
    std::vector<relation::Plan> plans = functions.rivals(numbered.choices, numbered.first);
    plans.insert(plans.begin(), numbered.first);
    return schedule(planner::least_moving(std::move(plans), functions.moved), numbered.choices);
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
    Numbered const numbered = std::move(this->numbered(choices).front());
    if (numbered.choices.planner.calls != choices.planner.calls) report.used = relation::used_ranks(numbered.first);
    if (!affords(calls_of(numbered.first))) return least_moving(numbered);
    Candidate best = schedule(numbered.first, choices);
    if (best.cost.bytes < question.limits.worth_bytes) return best;
    for (relation::Plan& plan : functions.rivals(numbered.choices, numbered.first)) {
        if (exhausted()) break;
        Candidate rival = schedule(std::move(plan), choices);
        if (better(rival.cost, best.cost, beside(best.cost))) best = std::move(rival);
    }
    return best;
}

}  // namespace ein::planner::optimizer
