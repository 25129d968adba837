// Elements that change place only: reading parts of leaves, Move and Reshape, for the interpreter.
#pragma once

#include <span>

#include "lib/relation/interpret.hpp"
#include "lib/relation/sampled.hpp"

namespace ein::relation {

/// Reads the elements of a leaf at `sets`: in one box when they lie close together, else in one box for each run of
/// indices.
Sampled read_sampled(graph::Leaf const& leaf, graph::Value const& value, Sets sets, ReadLeaf const& read);

/// @param inputs  what is known of each input; null where nothing of it is needed
Sampled move_sampled(graph::Move const& move, std::span<Sampled const* const> inputs, DType dtype, Sets sets);
Sampled reshape_sampled(Shape const& from, Shape const& to, Sampled const* input, DType dtype, Sets sets);

}  // namespace ein::relation
