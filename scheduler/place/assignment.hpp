// The assignment problem: each row gets a column of its own so that the sum of weights is largest.
// Example: weights {{5, 1}, {6, 5}}: row 0 takes column 0, row 1 column 1 (10, not 6 + 1).
// Source: Kuhn's Hungarian method, as shortest augmenting paths with potentials (Jonker and Volgenant, 1987); O(rows^2
// columns).
#pragma once

#include <vector>

namespace ein::scheduler {

/// @param weights  as many columns as rows, or more  @return the column of each row
std::vector<int> assign(std::vector<std::vector<double>> const& weights);

}  // namespace ein::scheduler
