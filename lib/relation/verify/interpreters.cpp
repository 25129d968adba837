#include "lib/relation/verify/interpreters.hpp"

#include "lib/base/error.hpp"
#include "lib/graph/lower_graph.hpp"

namespace ein::relation {
namespace {

/// Contracted as in the run; a product that only slices made small enough stays one.
graph::EinGraph lowered(graph::EinGraph const& graph) {
    try {
        return graph::lower_graph(graph);
    } catch (MemoryError const&) {
        return graph;
    }
}

}  // namespace

Interpreters::Interpreters(graph::EinGraph graph, Leaves const& leaves, scalar::Params const& params,
                           std::vector<std::string> from)
    : graph_(std::move(graph)),
      leaves_(leaves),
      params_(params),
      from_(std::move(from)),
      as_written_(graph_, leaves_(graph_), params),
      pairwise_(graph_, leaves_(graph_), params, Sums::pairwise) {}

Interpreter& Interpreters::as_run(Sums sums) {
    if (!lowered_) {
        lowered_ = lowered(graph_);
        as_run_.emplace(*lowered_, leaves_(*lowered_), params_);
        as_run_pairwise_.emplace(*lowered_, leaves_(*lowered_), params_, Sums::pairwise);
    }
    return sums == Sums::as_written ? *as_run_ : *as_run_pairwise_;
}

}  // namespace ein::relation
