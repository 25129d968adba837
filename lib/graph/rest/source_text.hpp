// Elements and data sources as a graph file writes them: what read_source and read_element read back to the same.
// Example: FillSource{1} of f32 is {"fill": 1.0}; an element of c64 is [1.0, "inf"].
#pragma once

#include "lib/base/box.hpp"
#include "lib/base/json_fwd.hpp"
#include "lib/graph/rest/graph_text.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/source.hpp"

namespace ein::graph {

/// @param value  of this dtype
Json element_json(scalar::Scalar const& value, DType dtype);

/// The "data" of a tensor; null where it is given when the graph is run.
Json source_json(tensor::Source const& source, Shape const& shape, DType dtype, FileName const& file_name);

}  // namespace ein::graph
