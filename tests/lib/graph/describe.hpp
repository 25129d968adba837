// Graphs as text, for tests: read from JSON pieces, printed one node a line.
// Example: describe(graph_of(R"("C": {"einsum": ...})")) is {"C f32(2, 4) = A(i j) B(j k) -> (i k) sum x*y"}.
#pragma once

#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/graph/read_graph.hpp"

namespace ein::graph::test {

/// "C f32(2, 4) = A(i j) B(j k) -> (i k) sum x*y"
std::string describe(EinGraph const& graph, Node const& node);
std::vector<std::string> describe(EinGraph const& graph);

/// A graph with the tensors A (2, 3), B (3, 4), C (4, 5), D (5, 5), v (3,), n i64 (3,), s (), z c64 (2, 3), t (1, 3), w
/// f16 (2, 3) and one node "out" with the given keys: one_node(R"("einsum": "ij,jk->ik", "inputs": ["A", "B"])").
EinGraph one_node(std::string const& keys);
std::vector<std::string> nodes_of(std::string const& keys);

/// The faults of reading a text; none when it is right.
std::vector<Fault> faults_of(std::string const& text);
/// The faults of one_node(keys).
std::vector<Fault> node_faults(std::string const& keys);

std::string node_text(std::string const& keys);

/// The reference of the graph language: docs/graph-format.md and the files of docs/graph-format.
std::string graph_format();

}  // namespace ein::graph::test
