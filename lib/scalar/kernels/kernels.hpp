// The loops that a Program calls: one table per instruction set, the same source compiled for each, so that all give
// the same bits. Registers are told apart by number (0 f32, 1 f64, 2 c64, 3 c128, 4 i64; 5 i32, 6 i16, 7 i8, 8 u8 of
// programs whose integers are no wider). Inputs never overlap the output. Leaves which to call when to compile.cpp.
// Example: kernels().binary[add][0].vs adds one f32 to every element.
#pragma once

#include <cstddef>

#include "lib/base/dtype.hpp"
#include "lib/scalar/expression/ops.hpp"

namespace ein::scalar {

inline constexpr int register_count = 9;
inline constexpr int wide_register_count = 5;  // between which there are conversions

/// 0 to 4, of a register type, every integer in an i64.
constexpr int register_number(DType type) {
    if (type == DType::f32) return 0;
    if (type == DType::f64) return 1;
    if (type == DType::c64) return 2;
    return type == DType::c128 ? 3 : 4;
}

/// 4 to 8, of a register for integers.
constexpr int integer_register_number(DType type) {
    if (type == DType::i32) return 5;
    if (type == DType::i16) return 6;
    if (type == DType::i8) return 7;
    return type == DType::u8 ? 8 : 4;
}

using UnaryKernel = void (*)(void* out, void const* a, std::size_t count);
using BinaryKernel = void (*)(void* out, void const* a, void const* b, std::size_t count);
using SelectKernel = void (*)(void* out, void const* condition, void const* a, void const* b, std::size_t count);
/// Indices, negative ones from the end, to positions below `extent`. @return whether all are there
using PositionKernel = bool (*)(std::int64_t* out, std::int64_t const* a, std::int64_t extent, std::size_t count);
using IndexKernel = void (*)(void* out, std::int64_t first, std::int64_t step, std::size_t count);

/// v: a tile of elements, s: one element that stands for a tile.
struct BinaryKernels {
    BinaryKernel vv = nullptr, vs = nullptr, sv = nullptr;
};

/// For a condition that is a tile (of the program's integers, 0 or 1); a or b or both may be single.
struct SelectKernels {
    SelectKernel vv = nullptr, vs = nullptr, sv = nullptr, ss = nullptr;
};

/// Plain arrays, so that the files compiled for newer processors hold no function that others could be linked to.
struct Kernels {
    UnaryKernel unary[op_count][register_count] = {};     // by the argument's register; null where there is none
    BinaryKernels binary[op_count][register_count] = {};  // comparisons and logic give integers, of reals i64
    SelectKernels select[register_count] = {};
    UnaryKernel convert[wide_register_count][wide_register_count] = {};  // [from][to]
    UnaryKernel truth[register_count] = {};                              // to integers: 1 unless zero
    UnaryKernel fill[register_count] = {};                               // one element to a tile
    UnaryKernel wrap[register_count][dtype_count] = {};                  // integers to the range of an integer type
    PositionKernel position = nullptr;
    IndexKernel count_up = nullptr;  // first, first + step, ... to i64
    UnaryKernel to_odd[wide_register_count] =
        {};  // to an f32 that round_f16 and round_bf16 may round: see round_to_odd
    UnaryKernel round_f16 = nullptr, round_bf16 = nullptr;  // f32 to f32
};

enum class InstructionSet { baseline, avx2, avx512 };

bool supported(InstructionSet set);          // by this build and this processor
Kernels const& kernels(InstructionSet set);  // supported sets only
Kernels const& kernels();                    // the best supported one

}  // namespace ein::scalar
