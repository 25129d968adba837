// The loops of gate_kernel.hpp for one instruction set: a box of a large tensor is brought to vectors, multiplied by
// all of a small one, and its results brought to where they belong. Compiled for each instruction set. Example: of 2 x
// 3 matrices by a 3 x 3 matrix, 16 products in the lanes of vectors: 6 vectors come in, 6 go out.
#pragma once

#include <cstddef>

#include "lib/base/dtype.hpp"

namespace ein::executor {

using GateIndex = std::ptrdiff_t;

/// Elements of a piece that goes on in the next lane, at most: by factors of 2 and 3.
inline constexpr int most_of_a_strip = 27;
constexpr bool is_strip(GateIndex count) {
    for (int const of : {2, 3, 4, 6, 8, 9, 12, 16, 18, 24, 27})
        if (count == of) return true;
    return false;
}

/// Elements that lie side by side, some of those of a box: where the first lies, and which they are. A strip: the same
/// elements of the next lane follow it.
struct GatePiece {
    GateIndex at = 0;
    bool strip = false;
    int count = 1;
    int elements[most_of_a_strip] = {};
};

/// Lanes that lie side by side. Behind the last run is one that begins where there are no lanes any more.
struct GateRun {
    GateIndex first, count, at;
};

/// How a box lies in one of the large tensors, in elements from where it begins.
struct GateSide {
    GateIndex const* at = nullptr;    // of each element
    GateIndex const* lane = nullptr;  // of each lane
    GatePiece const* pieces = nullptr;
    GateIndex pieces_count = 0, elements = 0;
    GateRun const* runs = nullptr;  // of lanes; null: elements are turned in pieces
    bool direct = false;            // all lanes lie side by side: vectors are read and written where they lie
};

/// A box and the small tensor. Elements of `in` are (group, term), those of `out` (group, column). Group g meets matrix
/// g % matrices.
struct GateCall {
    GateSide in, out;
    GateIndex lanes = 0;         // of this box, at most those of the sides
    GateIndex lanes_in_box = 0;  // from one element to the next in working memory: a multiple of a vector's
    GateIndex groups = 1, matrices = 1, terms = 1, columns = 1;
    void const* matrix = nullptr;  // (matrix, block of columns, term, column), as gate_block cuts columns
    double scale = 1;
    bool conjugate_matrix = false, conjugate_large = false;  // of complex numbers
    void const* factors = nullptr;                           // of their sums: the loops' own
    bool combine = false, past_cache = false;                // whole lines of the result
    bool in_is_crowded = false;  // vectors of a group share sets of the first-level cache, where they lie side by side
    void const* from = nullptr;
    void* to = nullptr;
    void *in_room = nullptr, *out_room = nullptr;  // of elements times lanes_in_box
    // Of terms in parts, whose results are never direct: sums of the parts before are in out_room, and are to stay
    // there.
    bool goes_on = false, ends = true;
    bool leave_at_once = false;        // results do not stay in out_room
    GateCall const* before = nullptr;  // a box whose results are in its out_room still: they leave meanwhile
    void const* next = nullptr;        // the next box in the large operand, and its lines
    GateIndex const* lines = nullptr;
    GateIndex lines_count = 0;
    bool fetch_at_once = false;  // to the first-level cache; else some with each tile, to the second
};

inline constexpr GateIndex most_gate_vectors = 3;  // of a tile

struct GateLoops {
    void (*run)(GateCall const& call) = nullptr;     // null: there is none. Results stay in out_room, if there is one
    void (*finish)(GateCall const* last) = nullptr;  // the last box's results leave, and all are there for others
    int lanes = 1, columns = 1;                      // elements of a vector; of a tile, at most
};

/// Blocks of columns that are computed together, of at most so many each, and where one begins. In every instruction
/// set inlined.
[[gnu::always_inline]] constexpr GateIndex gate_blocks(GateIndex columns, GateIndex most) {
    return (columns + most - 1) / most;
}
[[gnu::always_inline]] constexpr GateIndex gate_block(GateIndex columns, GateIndex blocks, GateIndex block) {
    return columns * block / blocks;
}

/// @param type  f32, f64, c64 or c128
namespace baseline {
GateLoops gate_loops(DType type);
}
namespace avx2 {
GateLoops gate_loops(DType type);
}
namespace avx512 {
GateLoops gate_loops(DType type);
}

}  // namespace ein::executor
