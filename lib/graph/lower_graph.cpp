#include "lib/graph/lower_graph.hpp"

#include "lib/graph/contract.hpp"
#include "lib/graph/factor/factor_joins.hpp"
#include "lib/graph/factor/inline_indicators.hpp"
#include "lib/graph/factor/read_diagonals.hpp"
#include "lib/graph/factor/read_once.hpp"
#include "lib/graph/graph_builder.hpp"

namespace ein::graph {

EinGraph make_what_is_read(EinGraph graph) { return read_once(read_diagonals(inline_indicators(std::move(graph)))); }

EinGraph lower_graph(EinGraph graph, ResultStorage const& keep, std::string const& file, SampleAt const& sample_at) {
    std::set<ValueId> dense;
    while (may_be_sparse(graph) && !graph.loops.empty())
        if (auto out = lower_graph_with(graph, keep, file, sample_at, dense)) return std::move(*out);
    return *lower_graph_with(std::move(graph), keep, file, sample_at, dense);
}

std::optional<EinGraph> lower_graph_with(EinGraph graph, ResultStorage const& keep, std::string const& file,
                                         SampleAt const& sample_at, std::set<ValueId>& dense) {
    if (!may_be_sparse(graph)) return factor_joins(inline_indicators(lower_contractions(std::move(graph))));
    if (sample_at) graph = sample_at_listed(std::move(graph), sample_at);
    std::vector<Node> nodes;
    nodes.swap(graph.nodes);
    StorageChoice choice(graph, keep, file, dense);
    GraphBuilder builder(std::move(graph));
    for (Node& node : nodes) {
        std::size_t const before = builder.graph().nodes.size();
        add_contracted(builder, std::move(node));
        for (std::size_t n = before; n < builder.graph().nodes.size(); ++n)
            choice.decide(builder, builder.graph().nodes[n]);
    }
    if (!choice.refused().empty()) {
        dense.insert(choice.refused().begin(), choice.refused().end());
        return std::nullopt;
    }
    return factor_joins(std::move(choice).finish(builder.take()));
}

}  // namespace ein::graph
