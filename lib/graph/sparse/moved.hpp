// What moves elements without looking at them (slice, concat, pad with a constant, reshape) keeps sparse tensors sparse
// where all that it moves, and what it pads with, has one fill. Example: the concat of A and B, both with the fill 0,
// lists what they list; with a pad of 1 around A it would list the whole border, and is made of dense tensors instead.
#pragma once

#include <optional>
#include <string>

#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

/// Whether the node is a Move or a Reshape.
bool moves_elements(Node const& node);

/// What such a node's result would not list; nothing where it has to be dense.
std::optional<scalar::Scalar> moved_fill(EinGraph const& graph, Node const& node);

/// Why there is none: "'B' is dense". Empty: there is one. Dense copies of sparse tensors count as these.
std::string why_moved_dense(EinGraph const& graph, Node const& node);

}  // namespace ein::graph
