// The loops of pair_row_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET (see
// loops/tile_loops.cpp).
#include "executor/device/cpu/sparse_products/pair_row_loops.hpp"

#include "executor/device/cpu/sparse_products/row_loops.hpp"
#include "executor/device/cpu/sparse_products/row_vectors.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// Numbers that are compared as they are: whole ones with their sign.
template <class T>
struct Compared {
    using Type = T;
};
template <>
struct Compared<std::uint64_t> {
    using Type = std::int64_t;
};

/// Two operations. As of vectors (join_of, agg_of): a nan wins and stays.
template <PairJoin Join, PairAgg Agg, class T>
struct Operations {
    using Own = typename Compared<T>::Type;

    static bool is_nan(T value) { return value != value; }
    static T least_of(T held, T value) { return (Own)value < (Own)held || is_nan(value) ? value : held; }
    static T most_of(T held, T value) { return (Own)value > (Own)held || is_nan(value) ? value : held; }
    static T magnitude_of(T value) {
        if constexpr (__is_same(T, std::uint64_t))
            return (Own)value < 0 ? T(0) - value : value;
        else
            return __builtin_fabs(value);
    }
    static T joined(T a, T b) {
        if constexpr (Join == PairJoin::add) return a + b;
        if constexpr (Join == PairJoin::subtract) return a - b;
        if constexpr (Join == PairJoin::subtract_from) return b - a;
        if constexpr (Join == PairJoin::multiply) return a * b;
        if constexpr (Join == PairJoin::distance) return magnitude_of(a - b);
        if constexpr (Join == PairJoin::square) return (a - b) * (a - b);
        if constexpr (Join == PairJoin::least) return least_of(a, b);
        if constexpr (Join == PairJoin::most) return most_of(a, b);
    }
    static T combined(T held, T value) {
        if constexpr (Agg == PairAgg::sum) return held + value;
        if constexpr (Agg == PairAgg::min) return least_of(held, value);
        if constexpr (Agg == PairAgg::max) return most_of(held, value);
    }
    /// A sum of products is fused where the processor does so.
    static T combined(T held, T a, T b) {
        if constexpr (Agg == PairAgg::sum && Join == PairJoin::multiply)
            return held + a * b;
        else
            return combined(held, joined(a, b));
    }
    static T none() {
        if constexpr (Agg == PairAgg::sum)
            return T(0);
        else
            return (T)(Agg == PairAgg::min ? Lanes<Own>::highest : Lanes<Own>::lowest);
    }
};

template <class Ops, class T>
void scatter(T* held, Element const* index, T const* values, Count count, T factor) {
#pragma GCC unroll 4
    for (Count e = 0; e < count; ++e) held[index[e]] = Ops::combined(held[index[e]], factor, values[e]);
}

/// Some columns of all rows, in registers.
template <class Ops, Count Width, class T>
void combine_columns_of_rows(T* held, T const* values, Element const* index, Count count, T const* matrix,
                             std::ptrdiff_t stride) {
    T best[Width];
    __builtin_memcpy(best, held, sizeof best);
    for (Count e = 0; e < count; ++e) {
        T const* const row = matrix + (std::ptrdiff_t)index[e] * stride;
        if (e + ahead < count) __builtin_prefetch(matrix + (std::ptrdiff_t)index[e + ahead] * stride);
        T const value = values[e];
#pragma GCC ivdep
        for (Count j = 0; j < Width; ++j) best[j] = Ops::combined(best[j], value, row[j]);
    }
    __builtin_memcpy(held, best, sizeof best);
}
template <class Ops, class T>
void combine_rows(T* held, Count width, T const* values, Element const* index, Count count, T const* matrix,
                  std::ptrdiff_t stride) {
    constexpr Count n = lanes<T>;
    Count at = 0;
    for (; at + 4 * n <= width; at += 4 * n)
        combine_columns_of_rows<Ops, 4 * n>(held + at, values, index, count, matrix + at, stride);
    for (; at + n <= width; at += n)
        combine_columns_of_rows<Ops, n>(held + at, values, index, count, matrix + at, stride);
    for (; at < width; ++at) combine_columns_of_rows<Ops, 1>(held + at, values, index, count, matrix + at, stride);
}

template <class Ops, class T>
void hand_out(T* to, std::ptrdiff_t step, Element const* columns, Count count, T* held) {
    for (Count c = 0; c < count; ++c) {
        T& out = to[(std::ptrdiff_t)columns[c] * step];
        out = Ops::combined(out, held[columns[c]]);
        held[columns[c]] = Ops::none();
    }
}

Count take_flags(unsigned char* flags, Count count, std::uint64_t* bits) {
    Count set = 0;
    for (Count w = 0; w * 64 < count; ++w) {
        std::uint64_t word = 0;
#if defined(__AVX512BW__)
        __m512i const bytes = _mm512_loadu_si512(flags + w * 64);
        word = _mm512_test_epi8_mask(bytes, bytes);
        _mm512_storeu_si512(flags + w * 64, _mm512_setzero_si512());
#else
        for (Count part = 0; part < 8; ++part) {
            std::uint64_t eight;
            __builtin_memcpy(&eight, flags + w * 64 + part * 8, 8);
            word |= (eight * 0x0102040810204080u >> 56) << part * 8;  // its lowest bits, side by side
        }
        __builtin_memset(flags + w * 64, 0, 64);
#endif
        bits[w] = word;
        set += (Count)__builtin_popcountll(word);
    }
    return set;
}

/// Of words most of which have few: without branches on how many.
Count list_bits(std::uint64_t const* bits, Count words, Element* numbers) {
    Count listed = 0;
    for (Count w = 0; w < words; ++w) {
        std::uint64_t word = bits[w];
        auto const count = (Count)__builtin_popcountll(word);
        for (Count b = 0; b == 0 || b < count; b += 4)
#pragma GCC unroll 4
            for (Count k = 0; k < 4; ++k, word &= word - 1)
                numbers[listed + b + k] = (Element)(w * 64 + (Count)__builtin_ctzll(word | std::uint64_t{1} << 63));
        listed += count;
    }
    return listed;
}

#if defined(__AVX512F__)
inline Count take_eight(unsigned mask, Element first, double none, double* held, Element* numbers, double* to) {
    __m512d const values = _mm512_loadu_pd(held);
    __m256i const all = _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    // In registers, then stored: some processors take a hundred cycles to store as they compress.
    auto const count = (unsigned)__builtin_popcount(mask);
    auto const lowest = (__mmask8)((1u << count) - 1);
    _mm512_mask_storeu_pd(to, lowest, _mm512_maskz_compress_pd((__mmask8)mask, values));
    _mm256_mask_storeu_epi32(numbers, lowest, _mm256_maskz_compress_epi32((__mmask8)mask, all));
    _mm512_storeu_pd(held, _mm512_set1_pd(none));
    return count;
}
#endif

template <class Ops, class T>
Count take_held(std::uint64_t const* bits, Count words, T* held, Element* numbers, T* to) {
    Count taken = 0;
    for (Count w = 0; w < words; ++w) {
#if defined(__AVX512F__)
        if constexpr (__is_same(T, double)) {
            for (Count part = 0; part < 8; ++part) {
                auto const mask = (unsigned)(bits[w] >> part * 8 & 255);
                if (mask == 0) continue;
                taken += take_eight(mask, (Element)(w * 64 + part * 8), Ops::none(), held + w * 64 + part * 8,
                                    numbers + taken, to + taken);
            }
            continue;
        }
#endif
        for (std::uint64_t word = bits[w]; word != 0; word &= word - 1) {
            Count const at = w * 64 + (Count)__builtin_ctzll(word);
            numbers[taken] = (Element)at;
            to[taken++] = held[at];
            held[at] = Ops::none();
        }
    }
    return taken;
}

#if defined(__AVX512F__)
constexpr Count fetched_ahead = 24;

inline void fetch(void const* from, Count bytes) {
    constexpr Count most = 128;
    auto const* const begin = static_cast<char const*>(from);
    Count const end = bytes < most ? bytes : most;
    for (Count b = 0; b < end; b += 64) __builtin_prefetch(begin + b);
    __builtin_prefetch(begin + end);  // rows begin anywhere in a line
}

/// Rows that are met soon: where they begin is asked for first, then what they list.
template <bool with_values, class T>
void fetch_soon(typename PairRowLoops<T>::Rows const& of, Count e) {
    if (e + fetched_ahead >= of.all) return;
    Element const soon = of.terms[e + fetched_ahead / 2];
    Count const begin = of.offsets[soon], count = of.offsets[soon + 1] - begin;
    __builtin_prefetch(of.offsets + of.terms[e + fetched_ahead]);
    fetch(of.columns + begin, count * sizeof(Element));
    if (with_values && of.values != nullptr) fetch(of.values + begin, count * sizeof(T));
}

/// The tag of each element.
template <class T>
struct Tags {
    Element of[PairRowLoops<T>::few + 16];

    explicit Tags(typename PairRowLoops<T>::Rows const& rows) {
        Count at = 0;
        for (Count row = 0; row < rows.count; ++row) {
            Count const count = rows.begins[row + 1] - rows.begins[row];
            __m512i const tag = _mm512_set1_epi32((int)(row << rows.column_bits));
            for (Count e = 0; e == 0 || e < count; e += 16) _mm512_storeu_si512(of + at + e, tag);
            at += count;
        }
    }
};

/// So many elements, and more behind them: whole vectors are written.
template <class T>
void copy_some(T* to, T const* from, Count count) {
    constexpr Count size = sizeof(T) == 4 ? 4 : 8, lanes = 64 / size;
    Count const words = count * (sizeof(T) / size);
    for (Count w = 0; w == 0 || w < words; w += lanes) {
        Count const left = words - w;
        auto const mask = left >= lanes ? ~0u : (1u << left) - 1;
        char* const out = reinterpret_cast<char*>(to) + w * size;
        char const* const in = reinterpret_cast<char const*>(from) + w * size;
        if constexpr (size == 4)
            _mm512_storeu_si512(out, _mm512_maskz_loadu_epi32((__mmask16)mask, in));
        else
            _mm512_storeu_si512(out, _mm512_maskz_loadu_epi64((__mmask8)mask, in));
    }
}
template <class T>
void repeat_some(T* to, T const& value, Count count) {
    constexpr Count elements = 64 / sizeof(T);
    __m512i repeated;
    if constexpr (sizeof(T) == 4) {
        int bits;
        __builtin_memcpy(&bits, &value, 4);
        repeated = _mm512_set1_epi32(bits);
    } else if constexpr (sizeof(T) == 8) {
        long long bits;
        __builtin_memcpy(&bits, &value, 8);
        repeated = _mm512_set1_epi64(bits);
    } else {
        repeated = _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(reinterpret_cast<__m128i const*>(&value)));
    }
    for (Count p = 0; p == 0 || p < count; p += elements) _mm512_storeu_si512(to + p, repeated);
}

/// visit(keys of up to sixteen products, the first one's number) and end(element, its first product's, how many).
template <bool with_values, class T, class Visit, class End>
Count for_each_product(typename PairRowLoops<T>::Rows const& of, Visit const& visit, End const& end) {
    Tags<T> const tags(of);
    Count const first = of.begins[0], last = of.begins[of.count];
    Count listed = 0;
    for (Count e = first; e < last; ++e) {
        fetch_soon<with_values, T>(of, e);
        Count const begin = of.offsets[of.terms[e]], count = of.offsets[of.terms[e] + 1] - begin;
        __m512i const tag = _mm512_set1_epi32((int)tags.of[e - first]);
        for (Count p = 0; p == 0 || p < count; p += 16) {
            Count const left = count - p;
            auto const lanes = (__mmask16)(left >= 16 ? ~0u : (1u << left) - 1);
            __m512i const columns = _mm512_maskz_loadu_epi32(lanes, of.columns + begin + p);
            visit(_mm512_or_si512(columns, tag), listed + p);
        }
        end(e, begin, count, listed);
        listed += count;
    }
    return listed;
}

template <class T>
Count list_columns(typename PairRowLoops<T>::Rows const& rows, Element* keys) {
    return for_each_product<false, T>(
        rows, [&](__m512i columns, Count first) { _mm512_storeu_si512(keys + first, columns); },
        [](Count, Count, Count, Count) {});
}

template <class T>
Count list_products(typename PairRowLoops<T>::Rows const& rows, T const* of_elements, Element* keys, T* factors,
                    T* values) {
    constexpr unsigned bits = PairRowLoops<T>::number_bits;
    __m512i const numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return for_each_product<true, T>(
        rows,
        [&](__m512i columns, Count first) {
            __m512i const number = _mm512_add_epi32(numbers, _mm512_set1_epi32((int)first));
            _mm512_storeu_si512(keys + first, _mm512_add_epi32(_mm512_maskz_slli_epi32(0xffff, columns, bits), number));
        },
        [&](Count e, Count begin, Count count, Count first) {
            repeat_some(factors + first, of_elements[e - rows.begins[0]], count);
            if (rows.values != nullptr)
                copy_some(values + first, rows.values + begin, count);
            else
                repeat_some(values + first, T(1), count);
        });
}
#endif

/// Without branches: where a column ends cannot be foreseen.
template <class Ops, class T>
Count combine_columns(Element const* keys, Count count, T const* factors, T const* values, Element* tagged,
                      T* results) {
    constexpr unsigned bits = PairRowLoops<T>::number_bits;
    Count met = 0;
    T const none = Ops::none();
    T held = none;
    Element before = ~Element{0};
    for (Count i = 0; i < count; ++i) {
        Element const column = keys[i] >> bits, number = keys[i] & ((1u << bits) - 1);
        met += column != before;
        held = Ops::combined(column != before ? none : held, factors[number], values[number]);
        tagged[met - 1] = column;
        results[met - 1] = held;
        before = column;
    }
    return met;
}

template <PairJoin Join, PairAgg Agg, class T>
PairRowLoops<T> loops_of() {
    using Ops = Operations<Join, Agg, T>;
    PairRowLoops<T> loops{.none = Ops::none(),
                          .scatter = scatter<Ops, T>,
                          .combine_rows = combine_rows<Ops, T>,
                          .hand_out = hand_out<Ops, T>,
                          .take_flags = take_flags,
                          .list_bits = list_bits,
                          .take_held = take_held<Ops, T>,
                          .combine_columns = combine_columns<Ops, T>};
#if defined(__AVX512F__)
    loops.list_columns = list_columns<T>;
    loops.list_products = list_products<T>;
#endif
    return loops;
}

template <PairAgg Agg, class T>
PairRowLoops<T> loops_of(PairJoin join) {
    switch (join) {
        case PairJoin::add: return loops_of<PairJoin::add, Agg, T>();
        case PairJoin::subtract: return loops_of<PairJoin::subtract, Agg, T>();
        case PairJoin::subtract_from: return loops_of<PairJoin::subtract_from, Agg, T>();
        case PairJoin::multiply: return loops_of<PairJoin::multiply, Agg, T>();
        case PairJoin::distance: return loops_of<PairJoin::distance, Agg, T>();
        case PairJoin::square: return loops_of<PairJoin::square, Agg, T>();
        case PairJoin::least: return loops_of<PairJoin::least, Agg, T>();
        case PairJoin::most: break;
    }
    return loops_of<PairJoin::most, Agg, T>();
}

}  // namespace

template <class T>
PairRowLoops<T> pair_row_loops(PairJoin join, PairAgg agg) {
    if constexpr (!__is_same(T, Complex<float>) && !__is_same(T, Complex<double>)) {
        if (agg == PairAgg::min) return loops_of<PairAgg::min, T>(join);
        if (agg == PairAgg::max) return loops_of<PairAgg::max, T>(join);
    }
    return loops_of<PairJoin::multiply, PairAgg::sum, T>();
}
template PairRowLoops<float> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<double> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<std::uint64_t> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<Complex<float>> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<Complex<double>> pair_row_loops(PairJoin, PairAgg);

}  // namespace ein::executor::EIN_INSTRUCTION_SET
