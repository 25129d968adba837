#include "apps/einplan/screen/dense_notes.hpp"

#include <algorithm>

#include "lib/base/text/sizes.hpp"
#include "lib/graph/sparse/make_dense.hpp"

namespace ein::apps {

std::vector<std::string> dense_notes(graph::EinGraph const& graph) {
    std::vector<std::string> out;
    for (graph::MadeDense const& made : graph::made_dense(graph)) {
        graph::Value const& dense = graph.value(made.dense);
        std::string text = "'" + graph.value(made.sparse).name + "' is made dense (" +
                           format_bytes(static_cast<double>(dense.bytes())) + ")";
        if (!made.readers.empty()) {
            graph::Node const& reader = graph.node(made.readers.front());
            auto const operand = std::find(reader.inputs.begin(), reader.inputs.end(), made.dense);
            text += " for node '" + reader.name +
                    "': " + graph::why_dense(graph, reader, static_cast<std::size_t>(operand - reader.inputs.begin()));
            if (made.readers.size() > 1) text += "; " + std::to_string(made.readers.size() - 1) + " more nodes read it";
        }
        out.push_back(std::move(text));
    }
    return out;
}

}  // namespace ein::apps
