// Vectors of one instruction set and what is done to them, for pair_loops.cpp.
// Nothing from headers is called in here but the processor's own instructions, so that no function compiled for one set
// is taken for another.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

using Index = std::ptrdiff_t;

template <class T>
struct Lanes;  // a vector of T, and of integers of its size
template <>
struct Lanes<float> {
    using Vector = float __attribute__((vector_size(vector_bytes)));
    using Bits = std::int32_t __attribute__((vector_size(vector_bytes)));
    using Anywhere =
        float __attribute__((vector_size(vector_bytes), aligned(4), may_alias));  // in memory, at any element
    static constexpr std::int32_t magnitude = 0x7fffffff;
    static constexpr float lowest = -__builtin_inff(), highest = __builtin_inff();
};
template <>
struct Lanes<double> {
    using Vector = double __attribute__((vector_size(vector_bytes)));
    using Bits = std::int64_t __attribute__((vector_size(vector_bytes)));
    using Anywhere = double __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
    static constexpr std::int64_t magnitude = 0x7fffffffffffffff;
    static constexpr double lowest = -__builtin_inf(), highest = __builtin_inf();
};
template <>
struct Lanes<std::int64_t> {
    using Vector = std::int64_t __attribute__((vector_size(vector_bytes)));
    using Bits = std::uint64_t __attribute__((vector_size(vector_bytes)));  // sums and products wrap
    using Anywhere = std::int64_t __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
    static constexpr std::int64_t lowest = INT64_MIN, highest = INT64_MAX;
};
template <>
struct Lanes<std::int32_t> {
    using Vector = std::int32_t __attribute__((vector_size(vector_bytes)));
    using Bits = std::uint32_t __attribute__((vector_size(vector_bytes)));
    using Anywhere = std::int32_t __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
    static constexpr std::int32_t lowest = INT32_MIN, highest = INT32_MAX;
};

/// Both parts of a complex number, moved as one: what is computed knows T alone.
template <class T>
struct __attribute__((may_alias)) BothParts {
    T re, im;
};
template <class T, int Parts>
struct ElementOfParts {
    using Type = T;
};
template <class T>
struct ElementOfParts<T, 2> {
    using Type = BothParts<T>;
};
template <class T, int Parts>
using ElementOf = typename ElementOfParts<T, Parts>::Type;
template <>
struct Lanes<BothParts<float>> {
    using Vector = double __attribute__((vector_size(vector_bytes)));
    using Anywhere = double __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
};
template <>
struct Lanes<BothParts<double>> {
    using Vector = double __attribute__((vector_size(vector_bytes)));
    using Anywhere = double __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
};

template <class T>
constexpr bool real = !__is_same(T, std::int64_t) && !__is_same(T, std::int32_t);
template <class T>
using Vector = typename Lanes<T>::Vector;
template <class T>
using Bits = typename Lanes<T>::Bits;
template <class T>
using Anywhere = typename Lanes<T>::Anywhere;
template <class T>
constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

/// Some elements, as many as a vector or fewer; and in memory.
template <class T, int Count>
struct Group {
    typedef T Vector __attribute__((vector_size(Count * sizeof(T))));
    typedef T Anywhere __attribute__((vector_size(Count * sizeof(T)), aligned(sizeof(T)), may_alias));
};
template <class T, int Count>
struct Group<BothParts<T>, Count> {
    typedef double Vector __attribute__((vector_size(Count * sizeof(BothParts<T>))));
    typedef double Anywhere __attribute__((vector_size(Count * sizeof(BothParts<T>)), aligned(sizeof(T)), may_alias));
};

/// Lanes of the processor's that an element has.
template <class T>
constexpr int lanes_of_one = sizeof(T) > 8 ? sizeof(T) / 8 : 1;

// ---- what is done to vectors. Careful: operands may make nans, which win and stay ----

template <class T>
Vector<T> sum_of(Vector<T> a, Vector<T> b) {
    if constexpr (real<T>)
        return a + b;
    else
        return (Vector<T>)((Bits<T>)a + (Bits<T>)b);
}
template <class T>
Vector<T> difference_of(Vector<T> a, Vector<T> b) {
    if constexpr (real<T>)
        return a - b;
    else
        return (Vector<T>)((Bits<T>)a - (Bits<T>)b);
}
template <class T>
Vector<T> product_of(Vector<T> a, Vector<T> b) {
    if constexpr (real<T>)
        return a * b;
    else
        return (Vector<T>)((Bits<T>)a * (Bits<T>)b);
}
template <class T>
Vector<T> magnitude_of(Vector<T> a) {
    if constexpr (real<T>)
        return (Vector<T>)((Bits<T>)a & Lanes<T>::magnitude);
    else
        return a < 0 ? difference_of<T>(Vector<T>{}, a) : a;
}
/// @param better  lanes of ones where the value wins
template <class T, bool Careful, class Mask>
Vector<T> better_of(Vector<T> held, Vector<T> value, Mask better) {
    if constexpr (Careful && real<T>)
        return better | (value != value) ? value : held;
    else
        return better ? value : held;
}
template <class T, bool Careful>
Vector<T> least_of(Vector<T> held, Vector<T> value) {
    return better_of<T, Careful>(held, value, value < held);
}
template <class T, bool Careful>
Vector<T> most_of(Vector<T> held, Vector<T> value) {
    return better_of<T, Careful>(held, value, value > held);
}

#if defined(__AVX512F__)
constexpr bool fused = true;
inline Vector<double> fused_sum(Vector<double> held, Vector<double> a, Vector<double> b) {
    return _mm512_fmadd_pd(a, b, held);
}
inline Vector<float> fused_sum(Vector<float> held, Vector<float> a, Vector<float> b) {
    return _mm512_fmadd_ps(a, b, held);
}
#elif defined(__AVX2__)
constexpr bool fused = true;
inline Vector<double> fused_sum(Vector<double> held, Vector<double> a, Vector<double> b) {
    return _mm256_fmadd_pd(a, b, held);
}
inline Vector<float> fused_sum(Vector<float> held, Vector<float> a, Vector<float> b) {
    return _mm256_fmadd_ps(a, b, held);
}
#else
constexpr bool fused = false;
template <class T>
Vector<T> fused_sum(Vector<T> held, Vector<T> a, Vector<T> b) {
    return held + a * b;
}
#endif
#if defined(__AVX2__)
inline Vector<std::int32_t> fused_sum(Vector<std::int32_t> held, Vector<std::int32_t> a, Vector<std::int32_t> b) {
    return sum_of<std::int32_t>(held, product_of<std::int32_t>(a, b));
}
#endif

/// A bit for each lane of the processor's.
template <class T>
constexpr unsigned lanes_of_all(unsigned elements) {
    if constexpr (lanes_of_one<T> == 1) return elements;
    unsigned const apart = (elements & 1) | (elements & 2) << 1 | (elements & 4) << 2 | (elements & 8) << 3;
    return apart * 3;
}

/// Stores some lanes of a vector, a bit each, at any element; others are not touched. @param to  where lane 0 would go
#if defined(__AVX512F__)
constexpr bool stores_lanes = true;
template <class T>
void store_lanes(T* to, unsigned lanes_of, Vector<T> value) {
    if constexpr (sizeof(T) == 4)
        _mm512_mask_storeu_epi32(to, (__mmask16)lanes_of, (__m512i)value);
    else
        _mm512_mask_storeu_epi64(to, (__mmask8)lanes_of_all<T>(lanes_of), (__m512i)value);
}
#else
constexpr bool stores_lanes = false;
template <class T>
void store_lanes(T* to, unsigned lanes_of, Vector<T> value) = delete;
#endif

/// The first `count` lanes of a vector, fewer than all, in memory at any element; the others are not touched.
#if defined(__AVX512F__)
template <class T>
Vector<T> first_lanes(T const* from, Index count) {
    unsigned const lanes_of = (1u << count) - 1;
    if constexpr (sizeof(T) == 4)
        return (Vector<T>)_mm512_maskz_loadu_epi32((__mmask16)lanes_of, from);
    else
        return (Vector<T>)_mm512_maskz_loadu_epi64((__mmask8)lanes_of_all<T>(lanes_of), from);
}
template <class T>
void set_first_lanes(T* to, Index count, Vector<T> value) {
    store_lanes<T>(to, (1u << count) - 1, value);
}
#elif defined(__AVX2__)
template <class T>
__m256i lanes_before(Index count) {
    if constexpr (sizeof(T) == 4)
        return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    else
        return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count * lanes_of_one<T>), _mm256_setr_epi64x(0, 1, 2, 3));
}
template <class T>
Vector<T> first_lanes(T const* from, Index count) {
    if constexpr (sizeof(T) == 4)
        return (Vector<T>)_mm256_maskload_epi32((int const*)from, lanes_before<T>(count));
    else
        return (Vector<T>)_mm256_maskload_epi64((long long const*)from, lanes_before<T>(count));
}
template <class T>
void set_first_lanes(T* to, Index count, Vector<T> value) {
    if constexpr (sizeof(T) == 4)
        _mm256_maskstore_epi32((int*)to, lanes_before<T>(count), (__m256i)value);
    else
        _mm256_maskstore_epi64((long long*)to, lanes_before<T>(count), (__m256i)value);
}
#else
template <class T>
Vector<T> first_lanes(T const* from, Index count) {
    Vector<T> value{};
    for (int lane = 0; lane < count; ++lane) value[lane] = from[lane];
    return value;
}
template <class T>
void set_first_lanes(T* to, Index count, Vector<T> value) {
    for (int lane = 0; lane < count; ++lane) to[lane] = value[lane];
}
#endif

template <PairJoin Join, class T, bool Careful>
Vector<T> join_of(Vector<T> a, Vector<T> b) {
    if constexpr (Join == PairJoin::add) return sum_of<T>(a, b);
    if constexpr (Join == PairJoin::subtract) return difference_of<T>(a, b);
    if constexpr (Join == PairJoin::subtract_from) return difference_of<T>(b, a);
    if constexpr (Join == PairJoin::multiply) return product_of<T>(a, b);
    if constexpr (Join == PairJoin::distance) return magnitude_of<T>(difference_of<T>(a, b));
    if constexpr (Join == PairJoin::square) {
        Vector<T> const d = difference_of<T>(a, b);
        return product_of<T>(d, d);
    }
    if constexpr (Join == PairJoin::least) return least_of<T, Careful>(a, b);
    if constexpr (Join == PairJoin::most) return most_of<T, Careful>(a, b);
}
template <PairAgg Agg, class T, bool Careful>
Vector<T> agg_of(Vector<T> held, Vector<T> value) {
    if constexpr (Agg == PairAgg::sum) return sum_of<T>(held, value);
    if constexpr (Agg == PairAgg::min) return least_of<T, Careful>(held, value);
    if constexpr (Agg == PairAgg::max) return most_of<T, Careful>(held, value);
}
template <PairAgg Agg, class T>
constexpr T identity = Agg == PairAgg::sum   ? T{}
                       : Agg == PairAgg::min ? Lanes<T>::highest
                                             : Lanes<T>::lowest;

// ---- care ----

/// What makes nans of numbers that are none, of all that was seen: infinities of one sign or the other.
template <class T>
struct Seen {
    using Flags = decltype(Vector<T>{} != Vector<T>{});
    Flags nans{}, highs{}, lows{};

    void add(Vector<T> value) {
        if constexpr (real<T>) {
            nans |= value != value;
            highs |= value == Lanes<T>::highest;
            lows |= value == Lanes<T>::lowest;
        }
    }
    void add(T value) {
        if constexpr (real<T>) add(value - Vector<T>{});
    }
    static bool any(Flags flags) {
        bool found = false;
        for (int lane = 0; lane < lanes<T>; ++lane) found |= flags[lane] != 0;
        return found;
    }
};

/// Whether a join of what was seen may be a nan; coarse: of blocks.
template <PairJoin Join, class T>
bool may_be_nan(Seen<T> const& a, Seen<T> const& b) {
    auto const any = [](auto flags) { return Seen<T>::any(flags); };
    if (any(a.nans | b.nans)) return true;
    if constexpr (Join == PairJoin::add) return (any(a.highs) && any(b.lows)) || (any(a.lows) && any(b.highs));
    if constexpr (Join == PairJoin::multiply) return any(a.highs | a.lows | b.highs | b.lows);
    if constexpr (Join == PairJoin::least || Join == PairJoin::most) return false;
    return (any(a.highs) && any(b.highs)) || (any(a.lows) && any(b.lows));
}

}  // namespace

}  // namespace ein::executor::EIN_INSTRUCTION_SET
