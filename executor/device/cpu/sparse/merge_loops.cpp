// The loops of merge_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET (see loops/tile_loops.cpp).
// Nothing branches on which side comes first, as that cannot be foreseen.
#include "executor/device/cpu/sparse/merge_loops.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

using Bits = unsigned char;
using Count = std::size_t;

/// What is left of two sides, between two ends, and where the results of both ends go.
template <class Key>
struct Ends {
    Key const *x, *x_end, *y, *y_end;
    Key *to, *to_end;
    Bits *listed, *listed_end;  // 1: by x, 2: by y

    [[gnu::always_inline]] void take_first() {
        Key const a = *x, b = *y;
        unsigned const of_x = a <= b, of_y = b <= a;
        *to++ = a < b ? a : b;
        *listed++ = static_cast<Bits>(of_x + 2 * of_y);
        x += of_x;
        y += of_y;
    }
    [[gnu::always_inline]] void take_last() {
        Key const a = x_end[-1], b = y_end[-1];
        unsigned const of_x = a >= b, of_y = b >= a;
        *--to_end = a > b ? a : b;
        *--listed_end = static_cast<Bits>(of_x + 2 * of_y);
        x_end -= of_x;
        y_end -= of_y;
    }
};

/// From both ends: two chains of steps, of which neither waits for the other.
template <class Key>
Count merge_keys(Key const* x, Count count_x, Key const* y, Count count_y, Key* keys, Bits* listed, Key*) {
    Count const all = count_x + count_y;
    Ends<Key> ends{x, x + count_x, y, y + count_y, keys, keys + all, listed, listed + all};
    while (true) {
        auto const left_x = static_cast<Count>(ends.x_end - ends.x), left_y = static_cast<Count>(ends.y_end - ends.y);
        Count const steps = (left_x < left_y ? left_x : left_y) / 2;  // so many are safe at each end
        if (steps < 2) break;
        for (Count step = 0; step < steps; ++step) {
            ends.take_first();
            ends.take_last();
        }
    }
    while (ends.x < ends.x_end && ends.y < ends.y_end) ends.take_first();
    for (; ends.x < ends.x_end; *ends.listed++ = 1) *ends.to++ = *ends.x++;
    for (; ends.y < ends.y_end; *ends.listed++ = 2) *ends.to++ = *ends.y++;
    auto const rest = static_cast<Count>(keys + all - ends.to_end);
    __builtin_memmove(ends.to, ends.to_end, rest * sizeof(Key));
    __builtin_memmove(ends.listed, ends.listed_end, rest);
    return static_cast<Count>(ends.to - keys) + rest;
}

#if defined(__AVX512F__)
using Vector = std::uint32_t __attribute__((vector_size(64)));

[[gnu::always_inline]] inline Vector lower(Vector a, Vector b) { return a < b ? a : b; }
[[gnu::always_inline]] inline Vector upper(Vector a, Vector b) { return a < b ? b : a; }
/// Of each pair of lanes whose numbers differ in `mask` the lower key first: in the lane that has not `high`.
template <unsigned mask, unsigned high>
[[gnu::always_inline]] inline Vector exchanged(Vector v) {
    Vector other, is_upper;
    for (unsigned lane = 0; lane < 16; ++lane) {
        other[lane] = lane ^ mask;
        is_upper[lane] = (lane & high) != 0 ? ~0u : 0u;
    }
    Vector const with = __builtin_shuffle(v, other);
    return (is_upper != 0) ? upper(v, with) : lower(v, with);
}
/// A bitonic sequence in ascending order.
[[gnu::always_inline]] inline Vector sorted(Vector v) {
    return exchanged<1, 1>(exchanged<2, 2>(exchanged<4, 4>(exchanged<8, 8>(v))));
}
[[gnu::always_inline]] inline Vector reversed(Vector v) {
    return __builtin_shuffle(v, Vector{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
}
/// Any sequence.
[[gnu::always_inline]] inline Vector sorted_any(Vector v) {
    v = exchanged<1, 1>(v);
    v = exchanged<1, 1>(exchanged<3, 2>(v));
    v = exchanged<1, 1>(exchanged<2, 2>(exchanged<7, 4>(v)));
    return exchanged<1, 1>(exchanged<2, 2>(exchanged<4, 4>(exchanged<15, 8>(v))));
}
/// Two sorted halves as one.
template <int vectors>
[[gnu::always_inline]] inline void join_halves(Vector* v) {
    constexpr int half = vectors / 2;
#pragma GCC unroll 8
    for (int i = 0; i < half; ++i) {
        Vector const low = v[i], high = reversed(v[vectors - 1 - i]);
        v[i] = lower(low, high);
        v[vectors - 1 - i] = upper(low, high);  // the last vector first: a bitonic sequence is so both ways
    }
#pragma GCC unroll 8
    for (int distance = half / 2; distance > 0; distance /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < vectors; ++i) {
            if ((i & distance) != 0) continue;
            Vector const low = v[i], high = v[i + distance];
            v[i] = lower(low, high);
            v[i + distance] = upper(low, high);
        }
#pragma GCC unroll 16
    for (int i = 0; i < vectors; ++i) v[i] = sorted(v[i]);
}

using Anywhere = std::uint32_t __attribute__((vector_size(64), aligned(4), may_alias));

template <int vectors>
Count distinct_in(std::uint32_t* keys, Count count) {
    Vector const past = ~Vector{};
    Vector v[vectors];
    alignas(64) std::uint32_t ordered[vectors * 16 + 16];
    __builtin_memset(keys + count, 255, (vectors * 16 - count) * sizeof(*keys));
#pragma GCC unroll 16
    for (int i = 0; i < vectors; ++i) v[i] = sorted_any(*reinterpret_cast<Anywhere*>(keys + i * 16));
    if constexpr (vectors >= 2)
        for (int i = 0; i < vectors; i += 2) join_halves<2>(v + i);
    if constexpr (vectors >= 4)
        for (int i = 0; i < vectors; i += 4) join_halves<4>(v + i);
    if constexpr (vectors >= 8)
        for (int i = 0; i < vectors; i += 8) join_halves<8>(v + i);
    if constexpr (vectors == 16) join_halves<16>(v);
    *reinterpret_cast<Anywhere*>(ordered) = past;
    Count kept = 0;
#pragma GCC unroll 16
    for (int i = 0; i < vectors; ++i) {
        *reinterpret_cast<Anywhere*>(ordered + 16 + i * 16) = v[i];
        Vector const before = *reinterpret_cast<Anywhere*>(ordered + 15 + i * 16);
        auto const first = static_cast<__mmask16>(_mm512_cmpneq_epi32_mask((__m512i)v[i], (__m512i)before) &
                                                  _mm512_cmpneq_epi32_mask((__m512i)v[i], (__m512i)past));
        _mm512_storeu_si512(keys + kept, _mm512_maskz_compress_epi32(first, (__m512i)v[i]));
        kept += static_cast<Count>(__builtin_popcount(first));
    }
    return kept;
}
inline Count distinct_keys(std::uint32_t* keys, Count count) {
    if (count < 2) return count;
    if (count <= 16) return distinct_in<1>(keys, count);
    if (count <= 32) return distinct_in<2>(keys, count);
    if (count <= 64) return distinct_in<4>(keys, count);
    return count <= 128 ? distinct_in<8>(keys, count) : distinct_in<16>(keys, count);
}

/// Sixteen keys at a time by a bitonic network; the lowest bit says whose a key is, y's come behind x's.
/// Source of the method: Inoue, Moriyama, Komatsu, Nakatani, AA-Sort (2007).
inline void merge_sorted(std::uint32_t* x, Count count_x, std::uint32_t* y, Count count_y, std::uint32_t* to) {
    auto const at = [](std::uint32_t* from) -> Anywhere& { return *reinterpret_cast<Anywhere*>(from); };
    Vector const past = ~Vector{};
    Count const vectors_x = (count_x + 15) / 16, vectors_y = (count_y + 15) / 16;
    at(x + count_x) = past;  // the rest of the last vector, and what begins behind it
    at(x + vectors_x * 16) = past;
    at(y + count_y) = past;
    at(y + vectors_y * 16) = past;
    auto const next = [&] {
        std::uint32_t const from_y = *x > *y;
        Vector const keys = at(from_y != 0 ? y : x) | from_y;
        x += from_y != 0 ? 0 : 16;
        y += from_y != 0 ? 16 : 0;
        return keys;
    };
    Vector held = next();
    for (Count vector = 1; vector < vectors_x + vectors_y; ++vector) {
        Vector const more = reversed(next());
        at(to) = sorted(lower(held, more));
        held = sorted(upper(held, more));
        to += 16;
    }
    at(to) = held;
    at(to + 16) = past;
}

/// Those that both list, once.
inline Count merge_keys(std::uint32_t* x, Count count_x, std::uint32_t* y, Count count_y, std::uint32_t* keys,
                        Bits* listed, std::uint32_t* scratch) {
    std::uint32_t* const both = scratch + 1;
    scratch[0] = ~std::uint32_t{0};  // equal to no key
    merge_sorted(x, count_x, y, count_y, both);
    __m512i const one = _mm512_set1_epi32(1), two = _mm512_set1_epi32(2), three = _mm512_set1_epi32(3),
                  even = _mm512_set1_epi32(-2);
    Count const all = count_x + count_y;
    Count to = 0;
    for (Count i = 0; i < all; i += 16) {
        auto const lanes = all - i < 16 ? static_cast<__mmask16>((1u << (all - i)) - 1) : static_cast<__mmask16>(65535);
        __m512i const here = _mm512_loadu_si512(both + i), before = _mm512_loadu_si512(both + i - 1),
                      after = _mm512_loadu_si512(both + i + 1);
        __mmask16 const first = _mm512_mask_test_epi32_mask(lanes, _mm512_xor_si512(here, before), even);
        __mmask16 const twice = _mm512_testn_epi32_mask(_mm512_xor_si512(here, after), even);
        __m512i who = _mm512_mask_mov_epi32(one, _mm512_test_epi32_mask(here, one), two);
        who = _mm512_mask_mov_epi32(who, twice, three);
        _mm512_storeu_si512(keys + to, _mm512_maskz_compress_epi32(first, _mm512_and_si512(here, even)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(listed + to),
                         _mm512_maskz_cvtepi32_epi8(0xffff, _mm512_maskz_compress_epi32(first, who)));
        to += static_cast<Count>(__builtin_popcount(first));
    }
    return to;
}
#endif

template <class Key>
Count merge(typename MergeLoops<Key>::Side const& x, typename MergeLoops<Key>::Side const& y, Key* keys, Bits* listed,
            Key* scratch) {
    Count const count = merge_keys(x.keys, x.count, y.keys, y.count, keys, listed, scratch);
    if (x.listed == nullptr && x.bit == 1 && y.bit == 2) return count;
    Bits const all_of_x = x.bit, *of_x = x.listed == nullptr ? &all_of_x : x.listed;
    Count const step = x.listed == nullptr ? 0 : 1;
    for (Count i = 0; i < count; ++i) {
        unsigned const by_x = listed[i] & 1u, by_y = listed[i] >> 1;
        listed[i] = static_cast<Bits>((*of_x & (0u - by_x)) | (y.bit & (0u - by_y)));
        of_x += step * by_x;
    }
    return count;
}

/// Elements of one size.
template <Count size>
Count spread_of(std::byte const* from, Bits const* listed, Bits bit, std::byte const* fill, Count count,
                std::byte* to) {
    std::byte const* at = from;
    for (Count i = 0; i < count; ++i) {
        Count const is_listed = (listed[i] & bit) != 0;
        std::byte const* const places[2] = {fill, at};
        __builtin_memcpy(to + i * size, places[is_listed], size);
        at += is_listed * size;
    }
    return static_cast<Count>(at - from) / size;
}

#if defined(__AVX512F__)
/// A vector at a time. Elements are read by their number alone, as behind them there may be nothing.
template <>
Count spread_of<8>(std::byte const* from, Bits const* listed, Bits bit, std::byte const* fill, Count count,
                   std::byte* to) {
    long long none;
    __builtin_memcpy(&none, fill, 8);
    __m512i const fills = _mm512_set1_epi64(none);
    __m128i const bits = _mm_set1_epi8(static_cast<char>(bit));
    Count taken = 0;
    for (Count i = 0; i < count; i += 8) {
        auto const lanes = static_cast<__mmask8>(count - i < 8 ? (1u << (count - i)) - 1 : 255);
        auto const some = static_cast<__mmask8>(_mm_test_epi8_mask(_mm_maskz_loadu_epi8(lanes, listed + i), bits));
        auto const n = static_cast<unsigned>(__builtin_popcount(some));
        __m512i const next = _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << n) - 1), from + taken * 8);
        _mm512_mask_storeu_epi64(to + i * 8, lanes, _mm512_mask_expand_epi64(fills, some, next));
        taken += n;
    }
    return taken;
}
template <>
Count spread_of<4>(std::byte const* from, Bits const* listed, Bits bit, std::byte const* fill, Count count,
                   std::byte* to) {
    int none;
    __builtin_memcpy(&none, fill, 4);
    __m512i const fills = _mm512_set1_epi32(none);
    __m128i const bits = _mm_set1_epi8(static_cast<char>(bit));
    Count taken = 0;
    for (Count i = 0; i < count; i += 16) {
        auto const lanes = static_cast<__mmask16>(count - i < 16 ? (1u << (count - i)) - 1 : 65535);
        auto const some = static_cast<__mmask16>(_mm_test_epi8_mask(_mm_maskz_loadu_epi8(lanes, listed + i), bits));
        auto const n = static_cast<unsigned>(__builtin_popcount(some));
        __m512i const next = _mm512_maskz_loadu_epi32(static_cast<__mmask16>((1u << n) - 1), from + taken * 4);
        _mm512_mask_storeu_epi32(to + i * 4, lanes, _mm512_mask_expand_epi32(fills, some, next));
        taken += n;
    }
    return taken;
}
#endif

Count spread(std::byte const* from, Bits const* listed, Bits bit, std::byte const* fill, Count count, Count size,
             std::byte* to) {
    switch (size) {
        case 1: return spread_of<1>(from, listed, bit, fill, count, to);
        case 2: return spread_of<2>(from, listed, bit, fill, count, to);
        case 4: return spread_of<4>(from, listed, bit, fill, count, to);
        case 8: return spread_of<8>(from, listed, bit, fill, count, to);
        default: return spread_of<16>(from, listed, bit, fill, count, to);
    }
}

}  // namespace

template <class Key>
MergeLoops<Key> merge_loops() {
    MergeLoops<Key> loops{merge<Key>, spread};
#if defined(__AVX512F__)
    if constexpr (sizeof(Key) == 4) loops.distinct = distinct_keys;
#endif
    return loops;
}
template MergeLoops<std::uint32_t> merge_loops();
template MergeLoops<std::uint64_t> merge_loops();

}  // namespace ein::executor::EIN_INSTRUCTION_SET
