// A contraction network as another tool wrote it: labels of operands and output, extents, perhaps an order. What does
// not belong together (an extent that a label has not, an operand in no step) is refused where it stands in the file.
// Leaves making a graph of it to import_network.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/json.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::apps::tool {

using NetworkLabels = std::vector<std::string>;

struct Network {
    std::vector<NetworkLabels> inputs;
    NetworkLabels output;
    std::vector<Shape> shapes;
    std::optional<graph::Path> path;  // opt_einsum's linear format, in pairs
    NetworkLabels sliced;             // that the file slices over
    std::string dtype;                // empty: not given
};

enum class NetworkOrder { kept, left_out };

/// @param format  opt_einsum, cotengra or omeinsum  @param file  names the document in messages
/// @throws InputError with all faults of the document
Network read_network(Json const& document, std::string const& format, std::string const& file, NetworkOrder order);

}  // namespace ein::apps::tool
