// A sharding as text: "batch/a seq d", several mesh axes as "i/a,b", uneven parts as "k/a (uneven k: 5+4x6)". Where
// blocks lie across the mesh, numbers of parts stand for the axes: "i/4 k/2 (across the mesh)".
#pragma once

#include <string>

#include "apps/explain/mesh.hpp"

namespace ein::apps::explain {

/// @param labels, shape  of each axis of the tensor
/// @param partial        mesh axes over which partial results wait to be combined
std::string sharding_text(std::vector<std::string> const& labels, Shape const& shape, Sharding const& sharding,
                          Mesh const& mesh, std::vector<int> const& partial = {});

/// "5+4x6" for 29 in 7; "" for equal lengths.
std::string uneven_text(Extent extent, std::int64_t parts);

}  // namespace ein::apps::explain
