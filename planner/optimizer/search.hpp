// What all parts of one search share: the question, the functions, and the work that is left. Schedules are made here
// only, so that each of them is counted.
#pragma once

#include "planner/optimizer/optimize.hpp"

namespace ein::planner::optimizer {

/// Kernel calls of a plan, about.
double calls_of(relation::Plan const& plan);

/// The plan of the strategy that is asked for, for a number of kernel calls a node.
struct Numbered {
    Choices choices;
    relation::Plan first;
};

class Search {
public:
    Search(Question const& asked, Functions const& given) : question(asked), functions(given), budget_(asked.limits) {}

    /// The schedule of the choices' plan; where that moves much, the best one among those of its rivals.
    Candidate best_of(Choices const& choices);

    /// For all ranks, and for numbers that leave few of them idle, if they may. Those go first whose plan moves clearly
    /// less by the model: of a prime number of ranks one schedule may be more than the budget.
    std::vector<Numbered> numbered(Choices const& choices) const;
    /// The schedule of the plan, or of its rival, that moves least by the model.
    Candidate least_moving(Numbered const& numbered);
    /// Whether plans may leave ranks idle.
    bool may_use_fewer(Choices const& choices) const;

    bool exhausted() const { return budget_.exhausted(); }
    bool affords(double calls) const { return budget_.affords(calls); }
    bool fits(Candidate const& candidate) const { return candidate.cost.peak <= *question.memory; }

    Candidate schedule(relation::Plan plan, Choices const& choices);
    void spend(double calls) { budget_.spend(calls); }

    Question const& question;
    Functions const& functions;
    SearchReport report = {};  // of the first search among all plans

private:
    WorkBudget budget_;
};

}  // namespace ein::planner::optimizer
