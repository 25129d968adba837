// Elementary functions of float and double without a branch or a call, so that loops over them become vector code.
// Only for kernel_loops.hpp, inside whose unnamed namespace it is included: each instruction set has its own copy.
// Everything is inlined by force: one call left in a loop and the loop is no vector code.
// Method: e^x by Cody and Waite's reduction x = k ln2 + r, |r| <= ln2/2, and a polynomial fitted at Chebyshev nodes;
// logarithms as in FreeBSD's libm. At most 2 units in the last place where nothing else is said.
#pragma once

/// The bits and constants of a floating-point type.
template <class T>
struct Format;

template <>
struct Format<float> {
    using Bits = std::uint32_t;
    static constexpr int digits = 23, bias = 127;
    static constexpr float shift = 0x1.8p23f;  // adding it leaves a whole number in the low bits
    static constexpr float log2e = 0x1.715476p+0f, ln2_high = 0x1.62ep-1f, ln2_low = 0x1.0bfbe8p-15f;
    static constexpr float ln2 = 0x1.62e430p-1f;
    static constexpr float exp_least = -104, exp_most = 89, silu_least = -112, expm1_least = -20, exp2_least = -151,
                           exp2_most = 129;
    static constexpr float log_scale = 0x1p25f;
    static constexpr float log_scale_digits = 25, log_high = 6.9313812256e-01f, log_low = 9.0580006145e-06f;
    static constexpr Bits root_half = 0x3f3504f3;

    /// (e^r - 1 - r) / r^2
    static float exp_rest(float r) {
        return (((0x1.6d1106p-10f * r + 0x1.120b6cp-7f) * r + 0x1.55551ap-5f) * r + 0x1.5554dcp-3f) * r + 0.5f;
    }
    static float log_rest(float z) {
        float const w = z * z;
        return w * (0x1.99c264p-2f + w * 0x1.f13c4cp-3f) + z * (0x1.555554p-1f + w * 0x1.23d3dcp-2f);
    }
};

template <>
struct Format<double> {
    using Bits = std::uint64_t;
    static constexpr int digits = 52, bias = 1023;
    static constexpr double shift = 0x1.8p52;
    static constexpr double log2e = 0x1.71547652b82fep+0, ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    static constexpr double ln2 = 0x1.62e42fefa39efp-1;
    static constexpr double exp_least = -746, exp_most = 710, silu_least = -760, expm1_least = -40, exp2_least = -1076,
                            exp2_most = 1025;
    static constexpr double log_scale = 0x1p54;
    static constexpr double log_scale_digits = 54, log_high = 6.93147180369123816490e-01,
                            log_low = 1.90821492927058770002e-10;
    static constexpr Bits root_half = 0x3fe6a09e667f3bcd;

    static double exp_rest(double r) {
        double y = 0x1.af38a71a18cb9p-26 * r + 0x1.2891834686c7ep-22;
        y = y * r + 0x1.71de0daf7a6ccp-19;
        y = y * r + 0x1.a019b90eefe8ep-16;
        y = y * r + 0x1.a01a01a7c3d59p-13;
        y = y * r + 0x1.6c16c1788b646p-10;
        y = y * r + 0x1.11111111109b4p-7;
        y = y * r + 0x1.5555555553d64p-5;
        y = y * r + 0x1.5555555555556p-3;
        return y * r + 0.5;
    }
    static double log_rest(double z) {
        double const w = z * z;
        double const even =
            w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
        double const odd =
            z * (6.666666666666735130e-01 +
                 w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
        return even + odd;
    }
};

template <class T>
using Bits = typename Format<T>::Bits;

template <class T>
constexpr Bits<T> bits_of(T x) {
    return __builtin_bit_cast(Bits<T>, x);
}
template <class T>
constexpr T from_bits(Bits<T> bits) {
    return __builtin_bit_cast(T, bits);
}

template <class T>
[[gnu::always_inline]] inline T clamped(T x, T least, T most) {  // nan stays
    x = x < least ? least : x;
    return x > most ? most : x;
}

/// 2^k for a k (two's complement) of a normal number.
template <class T>
[[gnu::always_inline]] inline T power_of_two(Bits<T> k) {
    return from_bits<T>((k + Format<T>::bias) << Format<T>::digits);
}

/// x 2^k in two steps, each by a normal number, so that overflow and subnormal results round once.
template <class T>
[[gnu::always_inline]] inline T scaled(T x, Bits<T> k) {
    constexpr Bits<T> positive = 4096;  // logical shifts alone have vector forms everywhere
    Bits<T> const half = ((k + positive) >> 1) - positive / 2;
    return x * power_of_two<T>(half) * power_of_two<T>(k - half);
}

template <class T>
struct Reduced {
    T r;  // |r| <= ln2 / 2
    Bits<T> k;
};

template <class T>
[[gnu::always_inline]] inline Reduced<T> reduced(T x) {
    using F = Format<T>;
    T const shifted = x * F::log2e + F::shift;
    T const n = shifted - F::shift;
    return {(x - n * F::ln2_high) - n * F::ln2_low, bits_of(shifted) - bits_of(F::shift)};
}

template <class T>
[[gnu::always_inline]] inline T fast_exp(T x) {
    using F = Format<T>;
    auto const [r, k] = reduced(clamped(x, F::exp_least, F::exp_most));
    return scaled(T(1) + (r + r * r * F::exp_rest(r)), k);
}

template <class T>
[[gnu::always_inline]] inline T fast_exp2(T x) {
    using F = Format<T>;
    x = clamped(x, F::exp2_least, F::exp2_most);
    T const shifted = x + F::shift;
    T const r = (x - (shifted - F::shift)) * F::ln2;
    return scaled(T(1) + (r + r * r * F::exp_rest(r)), bits_of(shifted) - bits_of(F::shift));
}

template <class T>
[[gnu::always_inline]] inline T absolute(T x) {
    return from_bits<T>(bits_of(x) & ~(Bits<T>(1) << (8 * sizeof(T) - 1)));
}

template <class T>
[[gnu::always_inline]] inline T with_sign_of(T magnitude, T sign) {
    constexpr Bits<T> top = Bits<T>(1) << (8 * sizeof(T) - 1);
    return from_bits<T>((bits_of(magnitude) & ~top) | (bits_of(sign) & top));
}

/// 2^k (e^r - 1) + (2^k - 1), halved so that 2^k cannot overflow before its time.
template <class T>
[[gnu::always_inline]] inline T fast_expm1(T x) {
    using F = Format<T>;
    auto const [r, k] = reduced(clamped(x, F::expm1_least, F::exp_most));
    T const half = power_of_two<T>(k - 1);
    T const small = r + r * r * F::exp_rest(r);
    return with_sign_of((half * small + (half - T(0.5))) * T(2), x);  // -0 stays -0
}

/// log(x) + correction for normal x > 0, by x = 2^k m, sqrt(1/2) <= m < sqrt(2), s = (m - 1) / (m + 1).
template <class T>
[[gnu::always_inline]] inline T log_of_normal(T x, T correction, T exponent_offset) {
    using F = Format<T>;
    constexpr Bits<T> one = Bits<T>(F::bias) << F::digits;
    constexpr Bits<T> mantissa = (Bits<T>(1) << F::digits) - 1;
    Bits<T> const moved = bits_of(x) + (one - F::root_half);
    T const biased = from_bits<T>((moved >> F::digits) | bits_of(T(mantissa + 1))) - T(mantissa + 1);  // int to T
    T const k = biased - T(F::bias) - exponent_offset;
    T const f = from_bits<T>((moved & mantissa) + F::root_half) - T(1);
    T const s = f / (T(2) + f);
    T const half_square = T(0.5) * f * f;
    return s * (half_square + F::log_rest(s * s)) + (k * F::log_low + correction) - half_square + f + k * F::log_high;
}

template <class T>
[[gnu::always_inline]] inline T fast_log(T x) {
    using F = Format<T>;
    constexpr T least_normal = from_bits<T>(Bits<T>(1) << F::digits);
    constexpr T infinity = __builtin_huge_val();
    bool const subnormal = x < least_normal;
    T const normal = subnormal ? x * F::log_scale : x;
    T y = log_of_normal(normal, T(0), subnormal ? T(F::log_scale_digits) : T(0));
    y = x < infinity ? y : x;  // inf, nan
    y = x < T(0) ? T(__builtin_nan("")) : y;
    return x == T(0) ? -infinity : y;
}

/// log(1 + x) for 0 <= x <= 1: what 1 + x rounds away is put back.
template <class T>
[[gnu::always_inline]] inline T fast_log1p_of_small(T x) {
    T const u = T(1) + x;
    return log_of_normal(u, (x - (u - T(1))) / u, T(0));
}

template <class T>
[[gnu::always_inline]] inline T fast_tanh(T x) {  // at most 3 units in the last place
    T const t = fast_expm1(T(-2) * absolute(x));
    return with_sign_of(-t / (t + T(2)), x);
}

template <class T>
[[gnu::always_inline]] inline T fast_sigmoid(T x) {  // at most 3 units in the last place
    T const small = fast_exp(-absolute(x));
    return (x < T(0) ? small : T(1)) / (T(1) + small);
}

/// x e^x / (1 + e^x) for x < 0, where 2^k comes last: x e^x has digits where e^x alone has lost them. At most 4 units in
/// the last place.
template <class T>
[[gnu::always_inline]] inline T fast_silu(T x) {
    using F = Format<T>;
    T const minus = clamped(-absolute(x), F::silu_least, T(0));
    auto const [r, k] = reduced(minus);
    T const mantissa = T(1) + (r + r * r * F::exp_rest(r));
    T const whole = T(1) + scaled(mantissa, k);
    T const tail = scaled(mantissa * (minus / whole), k);
    T const y = x < T(0) ? tail : x / whole;
    return x == -T(__builtin_huge_val()) ? T(__builtin_nan("")) : y;  // -inf * 0
}

template <class T>
[[gnu::always_inline]] inline T fast_softplus(T x) {
    T const positive = x < T(0) ? T(0) : x;  // nan stays
    return positive + fast_log1p_of_small(fast_exp(-absolute(x)));
}

/// The complementary error function of z >= 0 to 9 digits, for f32: e^(-z^2) t Q(t), t = 2 / (2 + z), and Q fitted at
/// Chebyshev nodes up to z = 10.3, beyond which the result is no f32.
[[gnu::always_inline]] inline double erfc_for_f32(double z) {
    double const t = 2 / (2 + (z > 10.3 ? 10.3 : z));
    double q = -0x1.068d60d5c052dp-5 * t + 0x1.e6f7072545d69p-3;
    q = q * t - 0x1.82495ca68101bp-1;
    q = q * t + 0x1.4c242eb11dd09p+0;
    q = q * t - 0x1.407e994318bb5p+0;
    q = q * t + 0x1.532b533c2ebdcp-1;
    q = q * t - 0x1.333833a9c8f94p-2;
    q = q * t + 0x1.57df5580ebd97p-3;
    q = q * t + 0x1.47a6864270934p-3;
    q = q * t + 0x1.fdb925a0b6422p-3;
    q = q * t + 0x1.20b5da64ab955p-2;
    q = q * t + 0x1.20debe36976d1p-2;
    return fast_exp(-z * z) * t * q;
}

[[gnu::always_inline]] inline float fast_erf(float x) {
    double const z = absolute(static_cast<double>(x));
    double const s = z * z;
    double series = -0x1.936a4a783000ep-11 * s + 0x1.54d076df270b9p-8;
    series = series * s - 0x1.b8203032a459bp-6;
    series = series * s + 0x1.ce2ef239ee028p-4;
    series = series * s - 0x1.8127466f5b8a1p-2;
    series = (series * s + 0x1.20dd75041b4eap+0) * z;
    double const far = 1 - erfc_for_f32(z);
    return with_sign_of(static_cast<float>(z < 0.5 ? series : far), x);
}

/// x Phi(x) = x erfc(-x / sqrt(2)) / 2.
[[gnu::always_inline]] inline float fast_gelu(float x) {
    double const wide = x;
    double const tail = erfc_for_f32(absolute(wide) * 0x1.6a09e667f3bcdp-1);
    return static_cast<float>(0.5 * wide * (wide < 0 ? tail : 2 - tail));
}
