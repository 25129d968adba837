// The operations of aggregations on numbers and on vectors of them, for the loops of one instruction set: to be
// included where EIN_INSTRUCTION_SET is defined, so that each set has functions of its own. Sums and products of
// integers wrap: they are given as unsigned numbers. Example: Most<float>::of(a, b) of two vectors of f32.
#pragma once

#include <limits>
#include <type_traits>

#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class T, int N>
struct VectorOf {
    using type [[gnu::vector_size(N * sizeof(T))]] = T;
};
template <class T>
struct VectorOf<T, 1> {
    using type = T;
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::type;

template <class To, int N, class From>
Vector<To, N> converted(From from) {
    if constexpr (N == 1)
        return static_cast<To>(from);
    else
        return __builtin_convertvector(from, Vector<To, N>);
}

template <class T>
struct Plus {
    static constexpr T identity = 0;
    template <class V>
    static V of(V a, V b) {
        return static_cast<V>(a + b);
    }
};
template <class T>
struct Times {
    static constexpr T identity = 1;
    template <class V>
    static V of(V a, V b) {
        if constexpr (std::is_integral_v<V>)
            return static_cast<V>(1U * a * b);  // of u16 the product would be one of signed numbers
        else
            return a * b;
    }
};
/// Of a number, or for each lane of a vector.
template <class V>
auto is_nan(V a) {
    return a != a;
}
/// Of equal ones the later; a nan stays.
template <class T>
struct Least {
    using Limits = std::numeric_limits<T>;
    static constexpr T identity = Limits::has_infinity ? Limits::infinity() : Limits::max();
    template <class V>
    static V of(V a, V b) {
        return (a < b) | is_nan(a) ? a : b;
    }
};
template <class T>
struct Most {
    using Limits = std::numeric_limits<T>;
    static constexpr T identity = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    template <class V>
    static V of(V a, V b) {
        return (a > b) | is_nan(a) ? a : b;
    }
};

}  // namespace
}  // namespace ein::executor::EIN_INSTRUCTION_SET
