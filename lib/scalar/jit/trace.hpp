// Records what a Program computes for one vector.
#pragma once

#include <optional>

#include "lib/scalar/jit/lane_code.hpp"
#include "lib/scalar/jit/vector_loop.hpp"
#include "lib/scalar/program/program_code.hpp"

namespace ein::scalar::jit {

/// Functions in their forms for all arguments, or in the shorter ones; then lanes beyond their range are refused.
enum class Arguments { any, moderate };

/// Of integers that come from labels only what 32 bits hold is computed: so much is known of each, where its type and
/// the bounds of labels (VectorLoop::most_of_a_label) say how large it may be, or only its low bits are asked for.
/// @param use  how operands lie in memory, where they are integers, and which number labels begin with
/// @param to  how the result is stored: as `type`, or as the loop can write it. Its lanes are then what storing only
/// cuts
///        short: the low bits of a bf16, an integer or bool; of an f16 the number itself
/// @return nothing for a program that a vector loop cannot run: other types than f32 or f64, integers without labels,
/// calls of the C library
std::optional<LaneCode> trace(Program::Code const& program, DType type, Arguments arguments, VectorLoop::Use const& use,
                              DType to);

}  // namespace ein::scalar::jit
