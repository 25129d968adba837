// The "tensors" of a graph file: shape, dtype and where the elements come from. Leaves what their files say of them to
// headers.hpp.
// Example: {"shape": [2], "data": {"fill": 1}} is a Source that fills two elements of the default dtype with 1.
#pragma once

#include <optional>

#include "lib/base/json.hpp"
#include "lib/graph/ein_graph.hpp"

namespace ein::graph {

struct TensorDeclaration {
    std::optional<Shape> shape;  // nothing when it has a fault
    DType dtype = DType::f32;
    tensor::Source source;
    std::optional<Listing> listing = {};  // of a sparse one
};

/// The shape of nested lists of numbers, as NumPy's array() sees them. Nothing of lists that are ragged.
std::optional<Shape> shape_of_lists(Json const& values);

/// `data` of a tensor of this shape and dtype. Nothing when it has a fault.
std::optional<tensor::Source> read_source(Cursor const& data, std::optional<Shape> const& shape, DType dtype);

/// The keys that say where elements come from, as they are listed.
std::vector<std::string> data_kinds();

/// One element of a dtype: a number, "inf", "-inf", "nan", true or false; for complex dtypes also [re, im].
std::optional<scalar::Scalar> read_element(Cursor const& at, DType dtype);

/// Nested lists that must match `shape`, as the bytes of `dtype`.
std::optional<tensor::ValuesSource> read_values(Cursor const& values, Shape const& shape, DType dtype);

}  // namespace ein::graph
