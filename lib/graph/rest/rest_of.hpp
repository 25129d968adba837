// What a checkpoint leaves to do: the graph of all that is not done, which reads what was saved as leaves. Loops that
// were under way go on: the iteration that they were in becomes plain nodes, the iterations left a loop.
// Example: of B = f(A), C = g(B) with B done and saved there is left C = g(B), a graph of the leaf B. Of a loop of 10
// iterations that was in the midst of its 4th there are left the end of the 4th and a loop of 6.
// Source: docs/decisions/0062-checkpoints.md.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// A place between two nodes of a run. In a loop: before its first node an iteration begins, after its last one ends,
/// with what is carried not handed over yet.
struct Progress {
    std::vector<NodeId> order;  // of nodes as they ran, those of each loop together; empty: as they stand in the graph
    std::size_t done = 0;       // of `order`, those before the place: have run, of the loops it is in in this iteration
    std::int32_t loop = -1;     // the innermost loop that it is in
    std::vector<std::int64_t> iterations = {};  // from 1, of each loop that it is in, the outermost first
};

/// A value of the graph as it was at that place, and where its elements are now. What a loop carries is saved as the
/// value inside, until the iteration has made its next one.
struct Saved {
    ValueId value;
    tensor::Source source;
};

/// Outputs keep their names, and so do leaves. A value that was made but is not saved is made again from what is;
/// nothing else that was done is done again. A loop with a condition that was in the midst of an iteration may run one
/// iteration that changes nothing: whether there is another one is known only when the rest runs.
/// @throws InternalError when what is left needs a value that is neither saved nor can be made again
EinGraph rest_of(EinGraph const& graph, Progress const& at, std::vector<Saved> const& saved);

}  // namespace ein::graph
