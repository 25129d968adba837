// Integers of every width: how they wrap, what comparisons of them give, remainders. Included before kernel_ops.hpp, as
// it is. Example: wrapped<std::int8_t>(bits<std::int8_t>(100) + bits<std::int8_t>(100)) is -56.
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
