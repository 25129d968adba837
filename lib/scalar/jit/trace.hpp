// Records what a Program computes for one vector.
#pragma once

#include <optional>

#include "lib/scalar/jit/lane_code.hpp"
#include "lib/scalar/program/program_code.hpp"

namespace ein::scalar::jit {

/// Functions in their forms for all arguments, or in the shorter ones; then lanes beyond their range are refused.
enum class Arguments { any, moderate };

/// @param to  how the result is stored: as `type`, or as the loop can write it. Its lanes are then what storing only
/// cuts
///        short: the low bits of a bf16, an integer or bool; of an f16 the number itself
/// @return nothing for a program that a vector loop cannot run: other types than f32 or f64, integers, indices, calls
/// of the C library
std::optional<LaneCode> trace(Program::Code const& program, DType type, Arguments arguments, DType to);

}  // namespace ein::scalar::jit
