// Elementary functions of float and double without a branch or a call, so that loops over them become vector code.
// Only for kernel_loops.cpp, inside whose unnamed namespace it is included: each instruction set has its own copy.
// Everything is inlined by force: one call left in a loop and the loop is no vector code.
// Method: e^x by Cody and Waite's reduction x = k ln2 + r, |r| <= ln2/2, and a polynomial fitted at Chebyshev nodes, in
// pairs of terms (Estrin) because chains of dependent operations are what limits a loop; logarithms as in FreeBSD's
// libm. Polynomials are sums of fused multiply-adds, half the operations; on a processor without them the C library
// computes them, slowly, so that every instruction set gives the same bits. At most 2 units in the last place where
// nothing else is said. Functions with a `Range` have a shorter form for arguments of moderate size, which gives the
// same bits for them.
#pragma once

template <class T>
using Bits = typename Format<T>::Bits;
template <class T>
using Number = typename Format<T>::Number;  // of constants

template <class T>
constexpr Bits<T> bits_of(T x) {
    return __builtin_bit_cast(Bits<T>, x);
}
template <class T>
struct FromBits {
    static constexpr T of(Bits<T> bits) { return __builtin_bit_cast(T, bits); }
};
template <class T>
constexpr T from_bits(Bits<T> bits) {
    return FromBits<T>::of(bits);
}

/// condition ? a : b, of numbers that may be traced.
template <class T>
[[gnu::always_inline]] inline T pick(bool condition, T a, T b) {
    return condition ? a : b;
}

template <class T>
[[gnu::always_inline]] inline T clamped(T x, Number<T> least, Number<T> most) {  // nan stays
    x = pick(x < T(least), T(least), x);
    return pick(x > T(most), T(most), x);
}

/// 2^k for a k (two's complement) of a normal number.
template <class T>
[[gnu::always_inline]] inline T power_of_two(Bits<T> k) {
    return from_bits<T>((k + Format<T>::bias) << Format<T>::digits);
}

/// Arguments of any size, or those whose exponentials are normal numbers.
enum class Range { whole, moderate };

/// x 2^k, rounded once: in two steps, each by a normal number, where one number may not hold 2^k.
template <Range range, class T>
[[gnu::always_inline]] inline T scaled(T x, Bits<T> k) {
    if constexpr (range == Range::moderate) return x * power_of_two<T>(k);
    Bits<T> const half = k >> 1;
    return x * power_of_two<T>(half) * power_of_two<T>(k - half);
}

/// x = k ln2 + r.
template <class T>
struct Reduced {
    T r;        // |r| <= ln2 / 2
    Bits<T> k;  // in the low bits; above them are bits that shifts by `digits` lose
};

template <class T>
[[gnu::always_inline]] inline Reduced<T> reduced(T x) {
    using F = Format<T>;
    T const shifted = fused(x, T(F::log2e), T(F::shift));
    T const n = shifted - T(F::shift);
    return {fused(-n, T(F::ln2_low), fused(-n, T(F::ln2_high), x)), bits_of(shifted)};
}

/// e^r for |r| <= ln2 / 2.
template <class T>
[[gnu::always_inline]] inline T exp_of_reduced(T r) {
    T const r2 = r * r;
    return T(1) + fused(r2, Format<T>::exp_rest(r, r2), r);
}

template <Range range, class T>
[[gnu::always_inline]] inline T fast_exp(T x) {
    using F = Format<T>;
    if constexpr (range == Range::moderate) {
        auto const [r, k] = reduced(x);
        return from_bits<T>(bits_of(exp_of_reduced(r)) + (k << F::digits));
    }
    auto const [r, k] = reduced(clamped(x, F::exp_least, F::exp_most));
    return scaled<range>(exp_of_reduced(r), k);
}

template <Range range, class T>
[[gnu::always_inline]] inline T fast_exp2(T x) {
    using F = Format<T>;
    if constexpr (range == Range::whole) x = clamped(x, F::exp2_least, F::exp2_most);
    T const shifted = x + T(F::shift);
    return scaled<range>(exp_of_reduced((x - (shifted - T(F::shift))) * T(F::ln2)), bits_of(shifted));
}

template <class T>
constexpr auto top_bit = bits_of(Number<T>(-0.0));

template <class T>
[[gnu::always_inline]] inline T absolute(T x) {
    return from_bits<T>(bits_of(x) & ~top_bit<T>);
}

template <class T>
[[gnu::always_inline]] inline T with_sign_of(T magnitude, T sign) {
    return from_bits<T>((bits_of(magnitude) & ~top_bit<T>) | (bits_of(sign) & top_bit<T>));
}

/// 2^k (e^r - 1) + (2^k - 1), halved so that 2^k cannot overflow before its time.
template <class T>
[[gnu::always_inline]] inline T fast_expm1(T x) {
    using F = Format<T>;
    auto const [r, k] = reduced(clamped(x, F::expm1_least, F::exp_most));
    T const half = power_of_two<T>(k - 1);
    T const r2 = r * r;
    T const small = fused(r2, F::exp_rest(r, r2), r);
    return with_sign_of(fused(half, small, half - T(0.5)) * T(2), x);  // -0 stays -0
}

/// x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).
template <class T>
struct Split {
    T k, f;
};

/// Of normal x > 0.
template <class T>
[[gnu::always_inline]] inline Split<T> split_normal(T x, T exponent_offset) {
    using F = Format<T>;
    constexpr auto one = bits_of(Number<T>(1));
    constexpr auto mantissa = decltype(one)((decltype(one)(1) << F::digits) - 1);
    constexpr Number<T> whole = mantissa + 1;  // whose low bits hold the integers below it
    Bits<T> const moved = bits_of(x) + (one - F::root_half);
    T const biased = from_bits<T>((moved >> F::digits) | bits_of(whole)) - T(whole);
    return {biased - T(F::bias) - exponent_offset, from_bits<T>((moved & mantissa) + F::root_half) - T(1)};
}

/// With s = f / (2 + f), log(1 + f) is series - half_square + f.
template <class T>
struct Logarithm {
    T k, f, half_square, series;
};

template <class T>
[[gnu::always_inline]] inline Logarithm<T> logarithm(T x, T exponent_offset) {
    auto const [k, f] = split_normal(x, exponent_offset);
    T const s = f / (T(2) + f);
    T const half_square = T(0.5) * f * f;
    return {k, f, half_square, s * (half_square + Format<T>::log_rest(s * s))};
}

/// log(x) + correction.
template <class T>
[[gnu::always_inline]] inline T log_of_normal(T x, T correction, T exponent_offset) {
    using F = Format<T>;
    auto const [k, f, half_square, series] = logarithm(x, exponent_offset);
    return fused(k, T(F::log_high), series + fused(k, T(F::log_low), correction) - half_square + f);
}

/// At most 3 units in the last place of f32.
template <class T>
[[gnu::always_inline]] inline T log2_of_normal(T x, T exponent_offset) {
    auto const [k, f, half_square, series] = logarithm(x, exponent_offset);
    return fused(series - half_square + f, T(Format<T>::log2e), k);
}

/// Logarithms of what is no positive number; `y` of what is.
template <class T>
[[gnu::always_inline]] inline T logarithm_or_special(T x, T y) {
    constexpr Number<T> infinity = __builtin_huge_val();
    y = pick(x < T(infinity), y, x);  // inf, nan
    y = pick(x < T(0), T(__builtin_nan("")), y);
    return pick(x == T(0), T(-infinity), y);
}

/// x > 0, or x 2^exponent_offset where x is subnormal.
template <class T>
[[gnu::always_inline]] inline T normal_multiple(T x, T& exponent_offset) {
    using F = Format<T>;
    auto const subnormal = x < T(from_bits<Number<T>>(Bits<Number<T>>(1) << F::digits));
    exponent_offset = pick(subnormal, T(F::log_scale_digits), T(0));
    return pick(subnormal, x * T(F::log_scale), x);
}

template <class T>
[[gnu::always_inline]] inline T fast_log(T x) {
    T offset(0);
    T const normal = normal_multiple(x, offset);
    return logarithm_or_special(x, log_of_normal(normal, T(0), offset));
}

template <class T>
[[gnu::always_inline]] inline T fast_log2(T x) {
    T offset(0);
    T const normal = normal_multiple(x, offset);
    return logarithm_or_special(x, log2_of_normal(normal, offset));
}

/// log(1 + x) for finite x > -1: what 1 + x rounds away is put back.
template <class T>
[[gnu::always_inline]] inline T log1p_of_finite(T x) {
    T const u = T(1) + x;
    return log_of_normal(u, (x - (u - T(1))) / u, T(0));
}

template <class T>
[[gnu::always_inline]] inline T fast_log1p(T x) {
    constexpr Number<T> infinity = __builtin_huge_val();
    T y = with_sign_of(log1p_of_finite(x), x);  // -0 stays -0
    y = pick(x < T(infinity), y, x);            // inf, nan
    y = pick(x < T(-1), T(__builtin_nan("")), y);
    return pick(x == T(-1), T(-infinity), y);
}

template <class T>
[[gnu::always_inline]] inline T fast_tanh(T x) {  // at most 3 units in the last place
    T const t = fast_expm1(T(-2) * absolute(x));
    return with_sign_of(-t / (t + T(2)), x);
}

/// Beyond this the 1 in x^2 + 1 and in x^2 - 1 is lost: both inverses are log(2 x).
template <class T>
constexpr Number<T> inverse_large = 0x1p28;

/// log(1 + t) where x is not large, log(2 x) where it is: +-asinh and acosh.
template <class T>
[[gnu::always_inline]] inline T log1p_or_of_twice(T t, T x) {
    auto const large = x > T(inverse_large<T>);
    T const u = T(1) + t;
    T const y = log_of_normal(pick(large, x, u), pick(large, T(0), (t - (u - T(1))) / u), pick(large, T(-1), T(0)));
    return pick(x < T(__builtin_huge_val()), y, x);  // inf, nan
}

template <class T>
[[gnu::always_inline]] inline T fast_asinh(T x) {  // at most 3 units in the last place
    T const size = absolute(x), root = root_of(fused(size, size, T(1)));
    return with_sign_of(log1p_or_of_twice(size + size * size / (T(1) + root), size), x);
}

template <class T>
[[gnu::always_inline]] inline T fast_acosh(T x) {  // at most 3 units in the last place
    T const t = x - T(1);
    return pick(x < T(1), T(__builtin_nan("")), log1p_or_of_twice(t + root_of(fused(t, t, t + t)), x));
}

template <class T>
[[gnu::always_inline]] inline T fast_atanh(T x) {  // at most 3 units in the last place
    T const size = absolute(x), y = T(0.5) * log1p_of_finite((size + size) / (T(1) - size));
    T const edge = pick(size == T(1), T(__builtin_huge_val()), T(__builtin_nan("")));
    return with_sign_of(pick(size < T(1), y, pick(size != size, x, edge)), x);
}

template <Range range, class T>
[[gnu::always_inline]] inline T fast_sigmoid(T x) {  // at most 3 units in the last place
    T const small = fast_exp<range>(-absolute(x));
    return pick(x < T(0), small, T(1)) / (T(1) + small);
}

/// -inf * 0.
template <class T>
[[gnu::always_inline]] inline T nan_at_minus_infinity(T x, T y) {
    return pick(x == T(-__builtin_huge_val()), T(__builtin_nan("")), y);
}

/// x e^x / (1 + e^x) for x < 0, where 2^k comes last: x e^x has digits where e^x alone has lost them. At most 4 units
/// in the last place.
template <Range range, class T>
[[gnu::always_inline]] inline T fast_silu(T x) {
    using F = Format<T>;
    T const minus = range == Range::whole ? clamped(-absolute(x), F::silu_least, 0) : -absolute(x);
    auto const [r, k] = reduced(minus);
    T const mantissa = exp_of_reduced(r);
    T const whole = T(1) + scaled<range>(mantissa, k);
    auto const negative = x < T(0);
    T const y = pick(negative, mantissa * minus, x) / whole;
    T const z = pick(negative, scaled<range>(y, k), y);
    return range == Range::whole ? nan_at_minus_infinity(x, z) : z;
}

template <Range range, class T>
[[gnu::always_inline]] inline T fast_softplus(T x) {
    T const positive = pick(x < T(0), T(0), x);  // nan stays
    return positive + log1p_of_finite(fast_exp<range>(-absolute(x)));
}

/// e^(-c z^2) = m 2^k for c 1 or 1/2. Rounding z^2 would cost as many units in the last place as its size, so what it
/// loses is put back.
template <class T>
struct Power {
    T m;
    Bits<T> k;
};

template <class T>
[[gnu::always_inline]] inline Power<T> exp_of_minus_square(T z, T c) {
    T const square = z * z, lost = fused(z, z, -square);
    auto const [r, k] = reduced(-c * square);
    return {exp_of_reduced(fused(-c, lost, r)), k};
}

template <class T>
[[gnu::always_inline]] inline T fast_erf(T x) {
    using F = Format<T>;
    T const size = absolute(x);
    T const z = pick(size > T(F::erf_most), T(F::erf_most), size);  // nan stays
    auto const [m, k] = exp_of_minus_square(z, T(1));
    T const far = fused(T(-2), scaled<Range::moderate>(F::tail_over(z * T(0x1.6a09e667f3bcdp+0), m), k), T(1));
    T const near = fused(size, F::erf_series(z * z), size);
    return with_sign_of(pick(size < T(0.85), near, far), x);
}

/// x Phi(x), where Phi(x) is the normal distribution: the tail for x < 0, 1 - the tail for x >= 0. 2^k comes last, as
/// for silu. At most 5 units in the last place, mostly within one: the quotient and e^(-x^2 / 2) round a dozen times.
template <Range range, class T>
[[gnu::always_inline]] inline T fast_gelu(T x) {
    using F = Format<T>;
    T const size = absolute(x);
    T const a = range == Range::whole ? pick(size > T(F::gelu_most), T(F::gelu_most), size) : size;  // nan stays
    auto const [m, k] = exp_of_minus_square(a, T(0.5));
    auto const negative = x < T(0);
    T const y = scaled<range>(F::tail_over(a, pick(negative, -a * m, m)), k);
    T const z = pick(negative, y, x * (T(1) - y));
    return range == Range::whole ? nan_at_minus_infinity(x, z) : z;
}

/// sin and cos for |r| <= pi/4, as in FreeBSD's libm: r + r^3 S(r^2), 1 - r^2/2 + r^4 C(r^2).
template <class T>
struct Turn;

template <>
struct Turn<double> {
    static double sine(double r, double z) {
        double const low = fused(z, -1.98412698298579493134e-04, 8.33333333332248946124e-03);
        double const high =
            fused(z, fused(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08), 2.75573137070700646789e-06);
        double const rest = fused(z, fused(z * z, high, low), -1.66666666666666324348e-01);
        return fused(r * z, rest, r);
    }
    static double cosine(double z) {
        double const w = z * z, half = 0.5 * z, whole = 1 - half;
        double const low =
            fused(z, fused(z, 2.48015872894767294178e-05, -1.38888888888741095749e-03), 4.16666666666666019037e-02);
        double const high =
            fused(z, fused(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09), -2.75573143513906633035e-07);
        return whole + fused(w, fused(w * z, high, low), (1 - whole) - half);
    }
};

/// For f32, with all steps in f64.
template <>
struct Turn<float> {
    static double sine(double r, double z) {
        double const low = fused(z, 0x1.11110896efbb2p-7, -0x1.5555554cbac77p-3);
        double const high = fused(z, 0x1.6cd878c3b46a7p-19, -0x1.a00f9e2cae774p-13);
        return fused(r * z, fused(z * z, high, low), r);
    }
    static double cosine(double z) {
        double const w = z * z;
        double const middle = fused(z, -0x1.6c087e80f1e27p-10, 0x1.55553e1053a42p-5);
        return fused(w, fused(w, 0x1.99342e0ee5069p-16, middle), fused(z, -0x1.ffffffd0c5e81p-2, 1));
    }
};

/// x = n pi/2 + r, |r| <= pi/4, for |x| <= 1e5, up to which multiples of the first two parts of pi/2 are exact.
struct Quarters {
    double r;
    Bits<double> n;  // in the low bits
};

[[gnu::always_inline]] inline Quarters in_quarters(double x) {
    using F = Format<double>;
    double const shifted = fused(x, 0x1.45f306dc9c883p-1, F::shift);
    double const n = shifted - F::shift;
    double const first = fused(-n, 1.57079632673412561417e+00, x), part = n * 6.07710050630396597660e-11;
    double const second = first - part;
    return {second - fused(n, 2.02226624879595063154e-21, part - (first - second)), bits_of(shifted)};
}

/// The sine of x + quarters pi/2.
template <class T, int quarters>
[[gnu::always_inline]] inline T sine_of_turned(T argument) {
    auto const [r, n] = in_quarters(argument);
    Bits<double> const quadrant = n + quarters;
    double const z = r * r;
    double const sine = Turn<T>::sine(r, z), cosine = Turn<T>::cosine(z);
    double const y = (quadrant & 1) == 0 ? sine : cosine;
    T const result = static_cast<T>(from_bits<double>(bits_of(y) ^ (quadrant >> 1 << 63)));
    return quarters == 0 && argument == T(0) ? argument : result;  // -0 stays -0
}
