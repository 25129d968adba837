// Integers of every width: how they wrap, what comparisons of them give, remainders; indices. Included before
// kernel_ops.hpp, as it is. Example: wrapped<std::int8_t>(bits<std::int8_t>(100) + bits<std::int8_t>(100)) is -56.
#pragma once

using I64 = std::int64_t;
using U64 = std::uint64_t;

template <class T>
concept Whole = std::is_integral_v<T>;

/// What a comparison of T gives: of integers, a register as wide.
template <class T>
struct TruthOf {
    using Type = I64;
};
template <Whole T>
struct TruthOf<T> {
    using Type = T;
};
template <class T>
using Truth = typename TruthOf<T>::Type;

/// In which T is added and multiplied without overflow that has no meaning.
template <Whole T>
using Modular = std::conditional_t<sizeof(T) < 8, std::uint32_t, U64>;

template <Whole T>
T wrapped(Modular<T> x) {
    return static_cast<T>(x);
}
template <Whole T>
Modular<T> bits(T x) {
    return static_cast<Modular<T>>(x);
}

/// Of integers with less than 64 bits: the sign of the divisor, 0 when that is 0. A quotient of whole numbers, raised
/// by half of what is between it and the next such quotient, has the same floor however its last bits are rounded.
struct Mod {
    template <Whole T>
    static T of(T a, T b) {
        using Real = std::conditional_t<sizeof(T) < 4, float, double>;
        Real const x = static_cast<Real>(a), y = static_cast<Real>(b == 0 ? T(1) : b);
        Real const inverse = Real(1) / y, half = y > 0 ? Real(0.5) : Real(-0.5);
        return static_cast<T>(static_cast<std::int32_t>(x - floor_of((x + half) * inverse) * y));
    }
};

[[maybe_unused]] void count_up(void* out, I64 first, I64 step, std::size_t count) {
    auto* __restrict const r = static_cast<I64*>(out);
    for (std::size_t i = 0; i < count; ++i) r[i] = wrapped<I64>(bits(first) + i * bits(step));
}

/// Indices, negative ones from the end. @return whether all are places below `extent`
[[maybe_unused]] bool position(I64* __restrict out, I64 const* __restrict a, I64 extent, std::size_t count) {
    U64 outside = 0;  // its sign: whether any place is below 0 or not below the extent
    for (std::size_t k = 0; k < count; ++k) {
        I64 const place = a[k] + (a[k] < 0 ? extent : 0);
        outside |= static_cast<U64>(place) | (static_cast<U64>(extent - 1) - static_cast<U64>(place));
        out[k] = place;
    }
    return (outside >> 63) == 0;
}
