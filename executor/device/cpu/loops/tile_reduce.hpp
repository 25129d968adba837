// What the elements of a vector tile are combined by, and a run of them combined to one, for the loops of one
// instruction set: to be included where EIN_INSTRUCTION_SET is defined, so that each set has functions of its own.
// Example: reduce<Max>(v, 100) is the greatest of 100 numbers, or the nan among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// `rounds`: the order matters; `may_repeat`: an element may be combined twice; `has_short_rows`: common enough for
/// loops of their own.
struct Sum {
    static constexpr bool rounds = true;
    static constexpr bool may_repeat = false;
    static constexpr bool has_short_rows = true;
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a + b);
    }
};
struct Prod {
    static constexpr bool rounds = false;
    static constexpr bool may_repeat = false;
    static constexpr bool has_short_rows = false;
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::is_same_v<T, std::uint16_t>)  // which promotes to int, that has no room for it
            return static_cast<T>(1u * a * b);
        else
            return static_cast<T>(a * b);
    }
};
// A nan wins and stays. In two steps, the first of which is one instruction.
struct Min {
    static constexpr bool rounds = false;
    static constexpr bool may_repeat = true;
    static constexpr bool has_short_rows = true;
    template <class T>
    static T of(T a, T b) {
        T const best = b < a ? b : a;
        return b != b ? b : best;
    }
};
struct Max {
    static constexpr bool rounds = false;
    static constexpr bool may_repeat = true;
    static constexpr bool has_short_rows = true;
    template <class T>
    static T of(T a, T b) {
        T const best = b > a ? b : a;
        return b != b ? b : best;
    }
};
struct Any {
    static constexpr bool rounds = false;
    static constexpr bool may_repeat = true;
    static constexpr bool has_short_rows = false;
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct All {
    static constexpr bool rounds = false;
    static constexpr bool may_repeat = true;
    static constexpr bool has_short_rows = false;
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a & b);
    }
};

template <class T>
constexpr bool has_vectors = std::is_arithmetic_v<T>;

template <class T, std::size_t Lanes>
using Vector [[gnu::vector_size(Lanes * sizeof(T))]] = T;

/// The lanes combined by halves; the count is known when compiling, so that it stays in registers. Vectors by name,
/// here and below, because compilers leave minima and maxima of lanes to branches.
template <class Op, std::size_t Lanes, class T>
T fold(T* lane) {
    constexpr std::size_t half = Lanes / 2;
    if constexpr (half > 1 && half * sizeof(T) <= vector_bytes && has_vectors<T>) {
        Vector<T, half> a, b;
        __builtin_memcpy(&a, lane, sizeof a);
        __builtin_memcpy(&b, lane + half, sizeof b);
        a = Op::of(a, b);
        __builtin_memcpy(lane, &a, sizeof a);
        return fold<Op, half>(lane);
    } else if constexpr (Lanes > 1) {
        for (std::size_t l = 0; l < half; ++l) lane[l] = Op::of(lane[l], lane[l + half]);
        return fold<Op, half>(lane);
    }
    return lane[0];
}

/// Rows of lanes that are combined one after another, where rounding matters: further ones are combined apart first.
constexpr std::size_t longest_run = 16;

/// lane[l] = v[l] op v[l + Lanes] op ..., of `count` rows of lanes.
template <class Op, std::size_t Lanes, class T>
void reduce_rows(T* lane, T const* v, std::size_t count) {
    constexpr std::size_t run = Op::rounds ? longest_run : ~std::size_t{0};
    if constexpr (has_vectors<T>) {
        constexpr std::size_t width = vector_bytes / sizeof(T), parts = Lanes / width;
        using Part = Vector<T, width>;
        Part part[parts], further[parts], next;
#pragma GCC unroll 16
        for (std::size_t p = 0; p < parts; ++p) __builtin_memcpy(&part[p], v + p * width, sizeof next);
        std::size_t i = 1;
        for (; i < count && i < run; ++i) {
#pragma GCC unroll 16
            for (std::size_t p = 0; p < parts; ++p) {
                __builtin_memcpy(&next, v + i * Lanes + p * width, sizeof next);
                part[p] = Op::of(part[p], next);
            }
        }
        while (i < count) {
            std::size_t const end = count - i < run ? count : i + run;
#pragma GCC unroll 16
            for (std::size_t p = 0; p < parts; ++p)
                __builtin_memcpy(&further[p], v + i * Lanes + p * width, sizeof next);
            for (++i; i < end; ++i) {
#pragma GCC unroll 16
                for (std::size_t p = 0; p < parts; ++p) {
                    __builtin_memcpy(&next, v + i * Lanes + p * width, sizeof next);
                    further[p] = Op::of(further[p], next);
                }
            }
#pragma GCC unroll 16
            for (std::size_t p = 0; p < parts; ++p) part[p] = Op::of(part[p], further[p]);
        }
#pragma GCC unroll 16
        for (std::size_t p = 0; p < parts; ++p) __builtin_memcpy(lane + p * width, &part[p], sizeof next);
    } else {
        T further[Lanes];
        for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
            end = count - begin < run ? count : begin + run;
            T* const into = begin == 0 ? lane : further;
            for (std::size_t l = 0; l < Lanes; ++l) into[l] = v[begin * Lanes + l];
            for (std::size_t i = begin + 1; i < end; ++i)
                for (std::size_t l = 0; l < Lanes; ++l) into[l] = Op::of(into[l], v[i * Lanes + l]);
            for (std::size_t l = 0; begin > 0 && l < Lanes; ++l) lane[l] = Op::of(lane[l], further[l]);
        }
    }
}

/// Separate accumulators in a fixed number of lanes, whatever the instruction set.
template <class Op, std::size_t Lanes, class T>
[[gnu::noinline]] T reduce_in_lanes(T const* v, std::size_t count) {
    T lane[Lanes];
    reduce_rows<Op, Lanes>(lane, v, count / Lanes);
    for (std::size_t i = count / Lanes * Lanes, l = 0; i < count; ++i, ++l) lane[l] = Op::of(lane[l], v[i]);
    return fold<Op, Lanes>(lane);
}

template <class Op, class T>
T reduce(T const* v, std::size_t count) {
    constexpr std::size_t vector = 64 / sizeof(T), most = Op::rounds ? 128 * 4 * vector : ~std::size_t{0};
    if (count > most) {  // so that few runs follow one another
        std::size_t const half = count / (8 * vector) * 4 * vector;
        T const first = reduce<Op>(v, half);  // read in order, as memory likes it
        return Op::of(first, reduce<Op>(v + half, count - half));
    }
    if (count >= 8 * vector) return reduce_in_lanes<Op, 4 * vector>(v, count);
    if (count >= vector) return reduce_in_lanes<Op, vector>(v, count);
    T result = v[0];
    for (std::size_t i = 1; i < count; ++i) result = Op::of(result, v[i]);
    return result;
}

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
