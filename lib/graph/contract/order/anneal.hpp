// Simulated annealing on contraction trees: turns at random nodes, taken when they are cheaper, and sometimes when not.
// Source: Kalachev, Panteleev, Yung: Recursive multi-tensor contraction for XEB verification of quantum circuits, 2021;
// what is compared is the ratio of what the two steps of a turn cost, so that cheap parts of a tree become better too.
// Example: beta 1 takes a turn that doubles the cost of its two steps with probability 1/2, beta 4 with 1/16.
#pragma once

#include <cstdint>

#include "lib/graph/contract/order/order_tree.hpp"

namespace ein::graph {

struct Annealing {
    double from_beta = 0.5, to_beta = 8;  // of log2 of the ratio
    double sweeps = 100;                  // turns tried a node
    std::uint64_t seed = 1;
};

void anneal(OrderTree& tree, Annealing const& how);

/// What it takes, in units of about a nanosecond, counted so that it is the same on every machine.
double annealing_work(std::size_t operands, std::size_t words, double sweeps);

}  // namespace ein::graph
