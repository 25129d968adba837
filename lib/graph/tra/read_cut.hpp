// How the tensors of a tra node are seen as relations, and its relation as a tensor.
// "cut" says which axes of an input are cut into tiles: each cut axis is a key part, in the order of the axes, and the
// tile's length is the array's bound there; an axis that is not cut is in the arrays whole. An input that "cut" does
// not name is one array with key (). "result" says what each axis of the tensor is made of: key parts "k0", "k1", ...
// and the arrays' axes "a0", "a1", ..., the slowest first. Example: X (8, 6) cut [4, {"into": 3}] has keys below (2, 3)
// and arrays of bound (4, 2); [["k0", "a0"], ["k1", "a1"]] undoes it.
#pragma once

#include <optional>
#include <string>

#include "lib/algebra/relation_type.hpp"
#include "lib/base/json.hpp"

namespace ein::graph {

/// For each axis how long a tile is; nothing: the axis is not cut.
using TileLengths = std::vector<std::optional<Extent>>;

/// @param at  the list of one input  @param shape  nothing: unknown, because of another fault
/// @return nothing when it has a fault, or the shape is unknown
std::optional<TileLengths> read_cut(Cursor const& at, std::optional<Shape> const& shape);

tra::RelationType type_of_cut(Shape const& shape, TileLengths const& tiles);

/// One axis of the result: "k<d>" is d, "a<d>" is the relation's arity plus d.
using ResultAxes = std::vector<std::vector<int>>;

/// Axis d is made of key part d and array axis d, or of the one that there is.
ResultAxes default_result(tra::RelationType const& type);
std::optional<ResultAxes> read_result(Cursor const& at, tra::RelationType const& type);

}  // namespace ein::graph
