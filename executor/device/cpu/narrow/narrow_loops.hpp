// The loops of products of narrow types for one instruction set: packing of operands into panels of 32-bit words,
// tiles of outputs that are sums over such words, and storing. A word holds as many terms of a row or column as the
// processor multiplies at once: two of bf16, four of i8, 32 of bool. Operands are converted while they are packed, and
// outputs lie where their labels put them, so that nothing is copied or transposed first. Leaves blocks and threads to
// narrow_kernel.hpp, and which set is used to narrow_choice.hpp.
// Example: of bf16_pairs, the row 1 2 3 becomes the words (1, 2) and (3, 0).
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::executor {

/// What a word of a panel holds, and how sums are kept.
enum class NarrowFormat : std::uint8_t {
    floats,      // an f32; sums in f32, multiplied and added at once
    words,       // an integer of 32 bits; sums wrap
    bf16_pairs,  // two bf16; sums in f32
    i16_pairs,   // two i16; sums wrap at 32 bits
    i8_quads,    // four bytes; sums wrap at 32 bits where the set knows their signs (has_signs), else at 8
    i32_halves,  // two terms in three words: high and low halves, and the low halves of both; sums wrap at 32 bits
    bits         // 32 truth values; a sum is the or of all ands
};
inline constexpr int narrow_formats = 7;

/// Element types of operands and outputs: what is compiled for a set shares no header's functions.
enum class NarrowType : std::uint8_t { f32, f16, bf16, i8, u8, i16, i32, i64, boolean };

/// Where some rows, or columns, or terms lie in a matrix, in elements.
struct NarrowPlaces {
    std::ptrdiff_t const* at = nullptr;
    std::ptrdiff_t const* adjacent = nullptr;  // how many from each on lie side by side
    std::ptrdiff_t count = 0;
};

/// Some rows of a, or columns of b, and some of their terms.
struct NarrowPacking {
    void const* from = nullptr;
    NarrowPlaces wide, terms;
    bool inverted = false;  // of bits
    /// Panel p, of `width` rows or columns, is at to + p * width * words. What is beyond the end is zero.
    std::uint32_t* to = nullptr;
    std::ptrdiff_t words = 0;  // of a row or column: words_of its terms
};

/// Panels of a times panels of b.
struct NarrowTiles {
    std::uint32_t const *a = nullptr, *b = nullptr;
    std::ptrdiff_t rows = 0, columns = 0;     // that are of use
    std::ptrdiff_t words = 0;                 // of each
    std::ptrdiff_t a_step = 0, b_step = 0;    // words from panel to panel
    std::uint32_t* sums = nullptr;            // f32 or integers, with room for whole tiles
    std::ptrdiff_t sums_step = 0;             // from row to row
    bool first = false;                       // sums hold nothing yet
    bool a_signed = false, b_signed = false;  // of i8_quads
};

/// Few rows of a, packed, times b as it lies.
struct NarrowStream {
    std::uint32_t const* a = nullptr;  // f32: a panel; along_terms: row after row
    std::ptrdiff_t rows = 0;           // of one panel
    void const* b = nullptr;
    NarrowPlaces terms, columns;
    std::uint32_t* sums = nullptr;  // f32
    std::ptrdiff_t sums_step = 0;   // from row to row
    bool first = false;             // sums hold nothing yet
    bool along_terms = false;       // terms lie side by side, not columns
};

/// Sums into an output.
struct NarrowStore {
    std::uint32_t const* sums = nullptr;
    std::ptrdiff_t sums_step = 0;
    NarrowPlaces rows, columns;
    void* to = nullptr;
    float scale = 1;          // of f32
    bool accumulate = false;  // combined with what is there
    bool inverted = false;    // of bits
};

/// Many products of matrices so small that each stays in the first-level cache. Steps in elements.
struct NarrowSmall {
    void const *a = nullptr, *b = nullptr;
    void* c = nullptr;
    std::ptrdiff_t count = 0, a_next = 0, b_next = 0, c_next = 0;  // products, and steps from each to the next
    std::ptrdiff_t rows = 0, columns = 0, terms = 0;
    std::ptrdiff_t a_row = 0, a_term = 0, b_term = 0, b_column = 0;  // of each operand one is 1
    std::ptrdiff_t c_row = 0;                                        // columns lie side by side
    NarrowType a_type = NarrowType::f32, b_type = NarrowType::f32, c_type = NarrowType::f32;  // f32, f16 or bf16
    float scale = 1;
    std::uint32_t* words = nullptr;  // room for small_words of both operands
};
/// Words of the operands of one product, whatever the set.
constexpr std::ptrdiff_t small_words(NarrowSmall const& call) {
    constexpr std::ptrdiff_t most_lanes = 16;
    auto const padded = [](std::ptrdiff_t count) { return (count + most_lanes - 1) / most_lanes * most_lanes; };
    return padded(call.terms) * (padded(call.rows) + padded(call.columns));
}

/// One format on one set.
struct NarrowLoops {
    int rows = 0, columns = 0;  // widths of panels of a and of b, which are tiles'; 0: the set lacks the format
    int terms = 1, words = 1;   // so many terms are so many words, of which whole groups are packed
    bool has_signs = false;     // of i8_quads
    bool flushes = false;       // subnormal operands count as 0
    double rate = 0;            // operations of two a second, one thread, roughly
    /// @return whether an element was subnormal, where the set flushes those; null: the type cannot be packed
    bool (*(*pack_a)(NarrowType type))(NarrowPacking const&) = nullptr;
    bool (*(*pack_b)(NarrowType type))(NarrowPacking const&) = nullptr;
    void (*multiply)(NarrowTiles const&) = nullptr;
    /// @return the first product with a subnormal operand where the set flushes those, those before it being done; or
    /// the count. Null: the set has no such loop.
    std::ptrdiff_t (*small)(NarrowSmall const&) = nullptr;
    /// @param type  of b; null: b cannot be read where it lies
    void (*(*stream)(NarrowType type))(NarrowStream const&) = nullptr;
    /// @return null: sums are not stored as this type
    void (*(*store)(NarrowType type))(NarrowStore const&) = nullptr;
};

namespace baseline {
NarrowLoops narrow_loops(NarrowFormat format);
}
namespace avx2 {
NarrowLoops narrow_loops(NarrowFormat format);
}
namespace avx512 {
NarrowLoops narrow_loops(NarrowFormat format);
}
namespace avx512vnni {
NarrowLoops narrow_loops(NarrowFormat format);
}
namespace avx512bf16 {
NarrowLoops narrow_loops(NarrowFormat format);
}
namespace amx {
NarrowLoops narrow_loops(NarrowFormat format);
}

}  // namespace ein::executor
