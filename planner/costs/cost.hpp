// What a partition vector costs: the published upper bound on what is moved into the join, into the aggregation, and
// between nodes that are cut differently. Every operand of every kernel call is charged, as if it came from another
// rank. What a finished schedule really moves is in its prediction.
// Example: ij,jk->ik with 8 x 8 matrices and parts (4, 1, 4): 16 calls, each with 16 + 16 elements: 512.
// Source: [E] section 7 with its errata: the example's p is 16; n is the product of the bound; n_c and n_int divide by
// the consumer's parts. Ours beyond the text: any number of operands (p times the sum of their blocks), and extents
// that do not divide: the block of a label is the real number b / d. For the join and the aggregation that is the exact
// sum over uneven blocks (but for diagonals); where neither part count divides the other, the repartition formula is a
// little low. Of a sparse tensor n counts the listed elements, as if they lay evenly.
#pragma once

#include <vector>

#include "lib/relation/plan.hpp"

namespace ein::planner {

enum class Unit { elements, bytes };

/// What one element counts: 1, or its bytes. Of a sparse value what it lists, with its indices, is spread over all
/// places of its shape.
double weight_of(graph::Value const& value, Unit unit);

/// That of a node's operands and results, as often as there are iterations of the loops that the node is in.
struct Weights {
    std::vector<double> inputs;
    double partial = 1;  // of a partial result: bytes of the type that the aggregation accumulates in
};
Weights weights(graph::EinGraph const& graph, graph::Node const& node, Unit unit);

/// p (n_X + n_Y + ...), p the product of the parts.
double cost_join(graph::EinSum const& einsum, Parts const& parts, Weights const& weights);

/// (p / n_agg) (n_agg - 1) n_Z.
double cost_agg(graph::EinSum const& einsum, Parts const& parts, Weights const& weights);

/// (n_c / n_int - 1) (n / n_c) (n_c + n_p), and n_p n / n_c more when n_p != n_int.
/// @param producer, consumer  parts of each axis of `shape`
double cost_repart(Shape const& shape, Parts const& producer, Parts const& consumer, double weight = 1);

/// Join and aggregation of a node under `parts`, in all iterations. Move and Reshape: every element that comes from an
/// input, once an iteration.
relation::Cost cost_of_node(graph::EinGraph const& graph, graph::Node const& node, Parts const& parts, Unit unit);
/// @param of  of the node, see weights
relation::Cost cost_of_node(graph::EinGraph const& graph, graph::Node const& node, Parts const& parts,
                            Weights const& of);

/// The repartition on the edge into input `operand`, each time that the value changes (EinGraph::iterations_of_values):
/// nothing for a leaf (inputs may lie as the graph wants them). Move and Reshape: what does not lie in line (see
/// data_movement.hpp): halos of stencils and slices, or every element that comes from this input.
double cost_of_edge(graph::EinGraph const& graph, graph::Node const& node, std::size_t operand, Parts const& producer,
                    Parts const& parts, Unit unit);

/// Fills in the costs of every node in elements and in bytes.
void price(graph::EinGraph const& graph, relation::Plan& plan);
/// The same beside a plan that has its costs: of nodes that are cut as there, and whose operands are, they are taken
/// from it.
void price(graph::EinGraph const& graph, relation::Plan& plan, std::vector<relation::NodePlan> const& priced);

}  // namespace ein::planner
