// On which layer each vertex of a layered picture stands. Example: a chain of three vertices: layers 0, 1, 2.
#pragma once

#include <vector>

#include "apps/explain/page/layered_layout.hpp"

namespace ein::apps::explain {

/// By vertex; without empty layers.
std::vector<std::size_t> layers_of(std::vector<Vertex> const& vertices, std::vector<Link> const& links);

}  // namespace ein::apps::explain
