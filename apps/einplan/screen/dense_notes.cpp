#include "apps/einplan/screen/dense_notes.hpp"

#include "lib/base/text/sizes.hpp"
#include "lib/graph/sparse/make_dense.hpp"

namespace ein::apps {

std::vector<std::string> dense_notes(graph::EinGraph const& graph) {
    std::vector<std::string> out;
    for (graph::MadeDense const& made : graph::made_dense(graph)) {
        graph::Value const& dense = graph.value(made.dense);
        std::string text = "'" + graph.value(made.sparse).name + "' is made dense (" +
                           format_bytes(static_cast<double>(dense.bytes())) + ")";
        std::string const why = graph::why_made_dense(graph, made);
        if (!why.empty()) text += " " + why;
        out.push_back(std::move(text));
    }
    return out;
}

}  // namespace ein::apps
