// Small random graphs, and the least cost of all their plans by trying every one: what decompositions are compared
// with.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "planner/costs/cost.hpp"
#include "tests/support/graphs.hpp"

namespace ein::test {

/// The cost of a plan as `price` gives it.
double total_cost(graph::EinGraph const& graph, std::vector<relation::NodePlan> nodes, planner::Unit unit);

/// The least cost of all assignments of candidates to nodes, by enumeration.
double least_cost(graph::EinGraph const& graph, std::int64_t calls, planner::Unit unit);

/// A graph of matrices with two extents, so that values have many readers; `tree`: each value is read at most once.
graph::EinGraph random_matrices(std::mt19937& random, int nodes, bool tree);

}  // namespace ein::test
