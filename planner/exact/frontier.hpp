// Dynamic programming over a frontier: variables are decided in order, and a state is what the undecided ones can see
// of the decided ones - the classes, at links that are still open, of the values they have. Of assignments that look
// alike only the cheapest is kept; one that cannot beat the best known assignment any more, by the reduced costs of
// bound.hpp, is dropped. With a limit on the number of states the cheapest are kept, and how cheap the rest was is
// known: nothing dropped for the limit means that the result is optimal.
// Example: a diamond x -> a, b -> c at the decision of b: the states are the cuts of x, then pairs of cuts of a and b.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "planner/exact/bound.hpp"

namespace ein::planner {

struct FrontierResult {
    std::optional<std::vector<int>> values;  // the best assignment found that costs less than the limit
    double dropped = std::numeric_limits<double>::infinity();  // least reduced cost of what the limit on states dropped
};

/// @param limit   reduced cost that an assignment must stay below
/// @param states  kept after each decision at most
FrontierResult search_frontier(Model const& model, Bound const& bound, double limit, std::size_t states,
                               Budget& budget);

}  // namespace ein::planner
