// Tiles of sums for narrow_loops.cpp: as many as registers hold, of a few rows and a few vectors of columns; and AMX's.
#pragma once

#include "executor/device/cpu/narrow/narrow_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <bool Floating>
struct SumOf {
    using Type = Words;
};
template <>
struct SumOf<true> {
    using Type = Floats;
};

/// What is done to a word of each operand. Sums have a type of their own: casts to and fro would keep them in memory.
template <NarrowFormat F>
struct Step {
    static constexpr bool of_floats = F == NarrowFormat::floats || F == NarrowFormat::bf16_pairs;

    using Held = typename SumOf<of_floats>::Type;

    static Held of(Held held, Words a, Words b) {
        if constexpr (F == NarrowFormat::words) return held + a * b;
        if constexpr (F == NarrowFormat::bits) return held | (a & b);
#if defined(__AVX512F__)
        if constexpr (F == NarrowFormat::floats) return _mm512_fmadd_ps(as_floats(a), as_floats(b), held);
#elif defined(__AVX2__)
        if constexpr (F == NarrowFormat::floats) return _mm256_fmadd_ps(as_floats(a), as_floats(b), held);
        if constexpr (F == NarrowFormat::i16_pairs) return held + (Words)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#endif
#if defined(__AVX512VNNI__)
        if constexpr (F == NarrowFormat::i16_pairs || F == NarrowFormat::i32_halves)
            return (Words)_mm512_dpwssd_epi32((__m512i)held, (__m512i)a, (__m512i)b);
        if constexpr (F == NarrowFormat::i8_quads)
            return (Words)_mm512_dpbusd_epi32((__m512i)held, (__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
        if constexpr (F == NarrowFormat::i16_pairs) return held + (Words)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#endif
#if defined(__AVX512BF16__)
        if constexpr (F == NarrowFormat::bf16_pairs) return _mm512_dpbf16_ps(held, (__m512bh)a, (__m512bh)b);
#endif
    }
    static Held sum(Held held, Held value) {
        if constexpr (F == NarrowFormat::bits) return held | value;
        return held + value;
    }
};

#if defined(__AVX512F__)
constexpr int tile_rows = 8, tile_vectors = 3;
#elif defined(__AVX2__)
constexpr int tile_rows = 4, tile_vectors = 3;
#else
constexpr int tile_rows = 4, tile_vectors = 2;
#endif

template <NarrowFormat F, int Rows, int Vectors>
__attribute__((noinline)) void tile(uint32_t const* a, uint32_t const* b, Index words, uint32_t* sums, Index step,
                                    bool first) {
    constexpr bool halves = F == NarrowFormat::i32_halves;
    using Held = typename Step<F>::Held;
    Held held[Rows][Vectors];
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) held[r][v] = Held{};
    Index end = halves ? words / 3 * 2 : words, w = 0;
    for (;;) {
        for (; w < end; ++w, a += tile_rows, b += Vectors * lanes) {
            Words columns[Vectors];
            for (int v = 0; v < Vectors; ++v) columns[v] = *(Words const*)(b + v * lanes);
#pragma GCC unroll 8
            for (int r = 0; r < Rows; ++r) {
                Words const row = all(a[r]);
#pragma GCC unroll 4
                for (int v = 0; v < Vectors; ++v) held[r][v] = Step<F>::of(held[r][v], row, columns[v]);
            }
        }
        if (!halves || end == words) break;
        end = words;
        for (int r = 0; r < Rows; ++r)
            for (int v = 0; v < Vectors; ++v) held[r][v] = (Held)((Words)held[r][v] << 16);
    }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) {
            auto* const to = (WordsAnywhere*)(sums + r * step + v * lanes);
            *to = (Words)(first ? held[r][v] : Step<F>::sum((Held)*to, held[r][v]));
        }
}

/// A panel of a, of which `rows` are of use, times one of b.
template <NarrowFormat F, int Vectors>
void tiles_of_rows(uint32_t const* a, uint32_t const* b, Index rows, NarrowTiles const& call, uint32_t* sums) {
    if (rows > tile_rows / 2) return tile<F, tile_rows, Vectors>(a, b, call.words, sums, call.sums_step, call.first);
    if (rows > 1) return tile<F, tile_rows / 2, Vectors>(a, b, call.words, sums, call.sums_step, call.first);
    tile<F, 1, Vectors>(a, b, call.words, sums, call.sums_step, call.first);
}

template <NarrowFormat F>
void multiply(NarrowTiles const& call) {
    constexpr Index columns = tile_vectors * lanes;
    uint32_t const* a = call.a;
    for (Index row = 0; row < call.rows; row += tile_rows, a += call.a_step) {
        uint32_t const* b = call.b;
        Index const rows = at_most(call.rows - row, tile_rows);
        for (Index column = 0; column < call.columns; column += columns, b += call.b_step) {
            uint32_t* const sums = call.sums + row * call.sums_step + column;
            Index const vectors = parts_of(call.columns - column, lanes);
            if (vectors >= tile_vectors)
                tiles_of_rows<F, tile_vectors>(a, b, rows, call, sums);
            else if (vectors == 1)
                tiles_of_rows<F, 1>(a, b, rows, call, sums);
            else
                tiles_of_rows<F, 2>(a, b, rows, call, sums);
        }
    }
}

#if defined(__AMX_TILE__)

struct __attribute__((packed)) TileShapes {
    uint8_t palette = 1, start = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

enum class Signs { floats, none, right, left, both };

template <Signs S>
struct Dot;
#define EIN_DOT(SIGNS, INSTRUCTION)                 \
    template <>                                     \
    struct Dot<Signs::SIGNS> {                      \
        static void s00() { INSTRUCTION(0, 4, 6); } \
        static void s01() { INSTRUCTION(1, 4, 7); } \
        static void s10() { INSTRUCTION(2, 5, 6); } \
        static void s11() { INSTRUCTION(3, 5, 7); } \
    }
EIN_DOT(floats, _tile_dpbf16ps);
EIN_DOT(none, _tile_dpbuud);
EIN_DOT(right, _tile_dpbusd);
EIN_DOT(left, _tile_dpbsud);
EIN_DOT(both, _tile_dpbssd);
#undef EIN_DOT

constexpr Index amx_side = 16;  // rows, columns and words of a tile

/// Up to two tiles of rows and two of columns.
template <Signs S, bool Down, bool Across>
void amx_tile(uint32_t const* a, uint32_t const* b, Index words, uint32_t* sums, Index step, bool first) {
    constexpr Index a_words = (Down ? 2 : 1) * amx_side * amx_side, b_words = (Across ? 2 : 1) * amx_side * amx_side;
    constexpr Index b_bytes = (Across ? 2 : 1) * amx_side * 4;
    Index const bytes = step * 4;
    if (first) {
        _tile_zero(0);
        if constexpr (Across) _tile_zero(1);
        if constexpr (Down) _tile_zero(2);
        if constexpr (Down && Across) _tile_zero(3);
    } else {
        _tile_loadd(0, sums, bytes);
        if constexpr (Across) _tile_loadd(1, sums + amx_side, bytes);
        if constexpr (Down) _tile_loadd(2, sums + amx_side * step, bytes);
        if constexpr (Down && Across) _tile_loadd(3, sums + amx_side * step + amx_side, bytes);
    }
    for (Index word = 0; word < words; word += amx_side, a += a_words, b += b_words) {
        _tile_loadd(6, b, b_bytes);
        _tile_loadd(4, a, 64);
        Dot<S>::s00();
        if constexpr (Across) _tile_loadd(7, b + amx_side, b_bytes);
        if constexpr (Across) Dot<S>::s01();
        if constexpr (Down) {
            _tile_loadd(5, a + amx_side * amx_side, 64);
            Dot<S>::s10();
            if constexpr (Across) Dot<S>::s11();
        }
    }
    _tile_stored(0, sums, bytes);
    if constexpr (Across) _tile_stored(1, sums + amx_side, bytes);
    if constexpr (Down) _tile_stored(2, sums + amx_side * step, bytes);
    if constexpr (Down && Across) _tile_stored(3, sums + amx_side * step + amx_side, bytes);
}

template <Signs S>
void amx_multiply(NarrowTiles const& call) {
    TileShapes const shapes;
    _tile_loadconfig(&shapes);
    uint32_t const* a = call.a;
    for (Index row = 0; row < call.rows; row += 2 * amx_side, a += call.a_step) {
        bool const down = call.rows - row > amx_side;
        uint32_t const* b = call.b;
        for (Index column = 0; column < call.columns; column += 2 * amx_side, b += call.b_step) {
            bool const across = call.columns - column > amx_side;
            uint32_t* const sums = call.sums + row * call.sums_step + column;
            if (down && across)
                amx_tile<S, true, true>(a, b, call.words, sums, call.sums_step, call.first);
            else if (down)
                amx_tile<S, true, false>(a, b, call.words, sums, call.sums_step, call.first);
            else if (across)
                amx_tile<S, false, true>(a, b, call.words, sums, call.sums_step, call.first);
            else
                amx_tile<S, false, false>(a, b, call.words, sums, call.sums_step, call.first);
        }
    }
    _tile_release();
}

inline void amx_integers(NarrowTiles const& call) {
    if (call.a_signed) return call.b_signed ? amx_multiply<Signs::both>(call) : amx_multiply<Signs::left>(call);
    return call.b_signed ? amx_multiply<Signs::right>(call) : amx_multiply<Signs::none>(call);
}

#endif

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
