#include "lib/graph/lower_graph.hpp"

#include "lib/graph/contract.hpp"
#include "lib/graph/sparse/make_dense.hpp"

namespace ein::graph {

EinGraph lower_graph(EinGraph graph) { return make_dense_where_needed(lower_contractions(std::move(graph))); }

}  // namespace ein::graph
