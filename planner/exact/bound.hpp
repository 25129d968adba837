// A lower bound of a model: costs are moved between variables and links, which changes no assignment's total, until as
// much as possible is cost that every assignment has. What is left are reduced costs, all at least 0: an assignment
// costs the bound plus its reduced costs, so a partial one can be given up once those exceed what the best known one
// costs above the bound. Each sweep passes over the variables forward, then backward; what is left then lies as early
// as it can, so that a search that decides variables in order sees the costs to come. On a tree one sweep is exact.
// Source: Kolmogorov, "Convergent tree-reweighted message passing for energy minimization", PAMI 28(10), 2006.
// Example: a chain's bound is its least cost after one sweep; a diamond's may stay below.
#pragma once

#include <array>
#include <vector>

#include "planner/exact/budget.hpp"
#include "planner/exact/model.hpp"

namespace ein::planner {

class Bound {
public:
    /// @param model  links lead from earlier to later variables; must outlive the bound
    explicit Bound(Model const& model);

    /// Raises the bound, and makes a guess at a good assignment. Ends early when the budget is spent, but for the
    /// first.
    void sweep(Budget& budget);

    double value() const { return value_; }
    std::vector<int> const& guess() const { return guess_; }

    /// Reduced costs, at least 0; infinite for what was excluded.
    double of_value(int variable, int value) const { return left_[at(variable)][at(value)]; }
    double of_link(int link, int row, int column) const;
    bool excluded(int variable, int value) const { return excluded_[at(variable)][at(value)]; }

    /// Leaves a value out of everything that follows. At least one value of each variable must stay.
    void exclude(int variable, int value);

private:
    static std::size_t at(int number) { return static_cast<std::size_t>(number); }

    void visit(int variable, bool forward, Budget& budget);
    void collect(int link, int side, Budget& budget);
    void give(int variable, std::vector<int> const& links, double share);
    int guess_of(int variable) const;

    Model const& model_;
    std::vector<std::vector<double>> left_;  // reduced cost of each value
    std::vector<std::vector<bool>> excluded_;
    std::vector<std::array<std::vector<double>, 2>> taken_;  // of each link, moved to each end: for each class
    std::vector<double> shift_;                              // of each variable, moved to the bound
    std::vector<std::array<std::vector<int>, 2>> links_;     // of each variable, to earlier and to later ones
    double value_ = 0;
    bool swept_ = false;
    std::vector<int> guess_;
};

}  // namespace ein::planner
