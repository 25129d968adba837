// Random EinGraph files of sparse tensors for property tests: joins and aggregations of which what is not listed
// contributes nothing and others, fills, orders 0 to 5, empty to full, moves, loops that carry them, gradients, results
// that ask to be sparse or dense. The same seed gives the same file; random_graph.hpp has every kind of node.
// Example: of seed 7 perhaps a 3 x 1 x 8 tensor that lists a tenth, its slices backwards, and their sum.
#pragma once

#include <cstdint>

#include "lib/base/json.hpp"

namespace ein::test {

Json random_sparse_graph(std::uint64_t seed);

}  // namespace ein::test
