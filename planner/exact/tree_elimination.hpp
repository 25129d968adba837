// Takes variables with one link, or none, out of a model: for each class of the neighbour the least that the variable
// and its link can cost is added to the neighbour's values. What hangs on a graph as a tree goes away at once, a forest
// altogether: this is the dynamic program of [E] section 8.2.
// Example: a path of 5 nodes is eliminated, all into its last; a diamond keeps its 4.
#pragma once

#include <vector>

#include "planner/exact/model.hpp"

namespace ein::planner {

class TreeElimination {
public:
    /// Changes the costs of the variables that stay. @param model  must outlive the elimination
    explicit TreeElimination(Model& model);

    bool eliminated(int variable) const { return eliminated_[static_cast<std::size_t>(variable)]; }
    std::vector<int> rest() const;  // the variables that stay

    /// The least cost of the eliminated parts that have no variable left.
    double closed_cost() const { return closed_cost_; }

    /// Chooses values of the eliminated variables: the cheapest beside those of the rest.
    void restore(std::vector<int>& values) const;

private:
    int only_link(int variable) const;  // the one link to a variable that stays, or -1
    void eliminate(int variable);

    Model& model_;
    std::vector<int> open_links_;  // of each variable, to variables that stay
    std::vector<bool> eliminated_;
    std::vector<std::pair<int, int>> order_;  // variable, and the link it was eliminated along or -1
    double closed_cost_ = 0;
};

}  // namespace ein::planner
