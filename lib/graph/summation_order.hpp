// Graphs for results that have the same bits at every rank count: the labels that a rounding aggregation runs over are
// never cut, so that each output element combines all of its terms in one kernel call, in an order that depends on the
// node alone. Where one call would otherwise need all of a large operand, the aggregation is made in two stages, the
// same ones at every rank count. Leaves the order within a call to the devices (executor/device/kernel/nest.hpp).
// Example: "ij,jk->ik" may be cut along i and k; "ij->" of 4096 x 4096 becomes "ij->i", cut along i, and "i->".
// Source: docs/decisions/0055-reproducible.md.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// Whether an aggregation's bits depend on the order of its terms: values round, and minima and maxima of equal zeros
/// or of nans are the first ones.
bool depends_on_order(scalar::Agg agg, DType accumulate);

/// The graph in stages, and with the part of each label that must not be cut fixed at 1.
/// @param file  names the graph in messages
/// @throws InputError where the graph's "parts" (or a program of tensor relations) cut such a label
EinGraph keep_summation_order(EinGraph graph, std::string const& file);

/// The parts that a node has whatever a graph file says: 1 of the labels that it aggregates where its result is sparse
/// (partial results never are), or where the order of its terms is kept; 0 of the others. Empty: it has none.
Parts parts_that_stay(EinGraph const& graph, Node const& node, bool keeps_order);

}  // namespace ein::graph
