// The order in which variables are decided: one that keeps the frontier - decided variables with links to undecided
// ones - small. Two are tried: as the nodes stand, and always a neighbour of the variable that is open longest, the one
// that makes the frontier least; the order whose frontiers have fewer states is taken.
// And the part of a model that is solved by itself, its variables numbered in that order.
// Example: a ladder is decided rung by rung, whichever way it was written down.
#pragma once

#include <map>
#include <vector>

#include "planner/exact/model.hpp"

namespace ein::planner {

/// Splits `variables` into those that are connected by links between them, each in its order of deciding.
std::vector<std::vector<int>> components_in_order(Model const& model, std::vector<int> const& variables);

/// Cuts parts out of a model. In a part every link leads from an earlier variable to a later one.
class Subproblem {
public:
    explicit Subproblem(Model const& model) : model_(model), position_(model.variables.size(), -1) {}

    /// @param variables  in the order of the part; links to others are left out
    Model part(std::vector<int> const& variables);

private:
    Link turned(Link const& link);

    Model const& model_;
    std::vector<int> position_;  // in the part that is being made, or -1
    std::map<LinkTable const*, std::shared_ptr<LinkTable const>> transposed_;
};

}  // namespace ein::planner
