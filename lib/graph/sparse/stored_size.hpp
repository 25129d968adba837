// What a value is taken to hold: of a dense one all elements, of a sparse one those that it lists, with their indices.
// For costs and estimates; what a block has room for is in the schedule.
// Example: a matrix of 1000 by 1000 f64 that lists 5000 elements: 5000 elements, 8 + 1001 * 8 + 5000 * (4 + 8) bytes.
#pragma once

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// Whether any value is sparse.
bool has_sparse(EinGraph const& graph);

/// Listed elements of a sparse value: as counted or estimated, else all that there may be.
double stored_elements(Value const& value);

/// Those of a sparse value as one block, its first axis compressed.
double stored_bytes(Value const& value);

/// What an element at one place of the shape is on average: 1 and the size of its dtype where the value is dense.
double elements_a_place(Value const& value);
double bytes_a_place(Value const& value);

/// Of all places that the join of an EinSum has, the share that listed elements leave: 1 where no operand is sparse, or
/// none makes the join idle (idle_sets.hpp).
double listed_share(EinGraph const& graph, Node const& node);

}  // namespace ein::graph
