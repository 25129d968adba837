// What the points of a kernel take on a rank of the cluster, whatever they are cut into: operations of one, and their
// rate. Example: "ij,jk->ik" of f64: two operations, at the rate of products of f64.
#pragma once

#include <vector>

#include "lib/graph/einsum.hpp"
#include "scheduler/simulate/cluster.hpp"

namespace ein::scheduler {

/// Whether the EinSum is a sum of products of two operands with a label of each in the output or none in common there:
/// GEMM does it.
bool is_matrix_product(graph::EinSum const& einsum);

/// Labels of a result that only one operand has, and those that are summed: there are some of each, or no tiles are
/// made.
struct TileSides {
    std::vector<int> left, right, terms;
    bool right_is_innermost = true;  // in the result
    bool rows_are_packed = false;    // of the operand whose side is not: terms do not lie side by side
    double width = 1;                // elements of a vector along the side that is
};

/// What the points of a kernel take, whatever they are cut into.
struct KernelCost {
    double operations;  // of one point of its label space; of one output element for a lookup
    double rate;        // of operations
    bool lookup;
    TileSides tiles;         // where an operand is packed, and results are made in registers
    std::int32_t scattered;  // the label along which a scatter chooses; -1: no scatter
    double a_row = 0;        // seconds for each row that is summed, searched or scattered

    bool makes_tiles() const { return !tiles.left.empty(); }
};
KernelCost kernel_cost(graph::EinSum const& einsum, DType compute, Cluster const& cluster);

}  // namespace ein::scheduler
