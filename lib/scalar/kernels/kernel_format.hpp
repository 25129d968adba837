// What the elementary functions of kernel_math.hpp stand on: the instructions of a processor by one name for float and
// double, and the constants and polynomials of each type. Included, as it is, inside the unnamed namespace of each file
// that compiles it for an instruction set. Polynomials are fitted at Chebyshev nodes, logarithms' are those of
// FreeBSD's libm.
#pragma once

/// a b + c, rounded once.
[[gnu::always_inline]] inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
[[gnu::always_inline]] inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }

// What processors have an instruction for; a recorder of operations has its own (jit/trace.cpp).
[[gnu::always_inline]] inline float floor_of(float x) { return __builtin_floorf(x); }
[[gnu::always_inline]] inline double floor_of(double x) { return __builtin_floor(x); }
[[gnu::always_inline]] inline float ceil_of(float x) { return __builtin_ceilf(x); }
[[gnu::always_inline]] inline double ceil_of(double x) { return __builtin_ceil(x); }
[[gnu::always_inline]] inline float nearest_of(float x) { return __builtin_rintf(x); }  // half to even
[[gnu::always_inline]] inline double nearest_of(double x) { return __builtin_rint(x); }
[[gnu::always_inline]] inline float root_of(float x) { return __builtin_sqrtf(x); }
[[gnu::always_inline]] inline double root_of(double x) { return __builtin_sqrt(x); }

/// The bits and constants of a floating-point type.
template <class T>
struct Format;

template <>
struct Format<float> {
    using Number = float;
    using Bits = std::uint32_t;
    static constexpr int digits = 23, bias = 127;
    static constexpr float shift = 0x1.8p23f;  // adding it leaves a whole number in the low bits
    static constexpr float log2e = 0x1.715476p+0f, ln2_high = 0x1.62ep-1f, ln2_low = 0x1.0bfbe8p-15f;
    static constexpr float ln2 = 0x1.62e430p-1f;
    static constexpr float exp_least = -176, exp_most = 89, silu_least = -112, expm1_least = -20, exp2_least = -151,
                           exp2_most = 129;
    static constexpr float log_scale = 0x1p25f;
    static constexpr float log_scale_digits = 25, log_high = 6.9313812256e-01f, log_low = 9.0580006145e-06f;
    static constexpr Bits root_half = 0x3f3504f3;
    static constexpr float sine_moderate = 1e5, exp_moderate = 87, exp2_moderate = 126, gelu_moderate = 13,
                           gelu_most = 15, erf_most = 4;
    static constexpr float two_thirds = 0x1.555556p-1f, two_thirds_low = -0x1.555556p-26f;
    static constexpr float eighth_turn = 0x1.921fb6p-1f, eighth_turn_low = -0x1.777a5cp-26f;
    static constexpr float cbrt_scale = 0x1p24f;
    static constexpr float cbrt_scale_digits = 24, sinh_least = 0x1p-12f, sinh_most = 89.5f;
    static constexpr float whole_most = 0x1p22f, most = 0x1.fffffep127f;

    /// (e^r - 1 - r) / r^2, of r and r^2
    template <class T>
    static T exp_rest(T r, T r2) {
        T const high = fused(r2, 0x1.6d1106p-10f, fused(0x1.120b6cp-7f, r, 0x1.55551ap-5f));
        return fused(r2, high, fused(0x1.5554dcp-3f, r, 0.5f));
    }
    template <class T>
    static T log_rest(T z) {
        T const w = z * z;
        T const even = fused(w, 0x1.f13c4cp-3f, 0x1.99c264p-2f), odd = fused(w, 0x1.23d3dcp-2f, 0x1.555554p-1f);
        return fused(w, even, z * odd);
    }
    /// The area of the normal distribution beyond a >= 0, erfc(a / sqrt(2)) / 2, divided by e^(-a^2 / 2), times m: a
    /// quotient of polynomials fitted at Chebyshev nodes of 1 / (4 + a), for f64 up to 39, for f32 up to 14.6. All
    /// coefficients are positive, so nothing cancels; the 1 below is added last, which rounds least where a is small.
    template <class T>
    static T tail_over(T a, T m) {
        T const a2 = a * a;
        T const above = fused(a2, fused(a2, 0x1.0ecceep-8f, fused(a, 0x1.4ddb9ap-5f, 0x1.780b3p-3f)),
                              fused(a, 0x1.c15f2cp-2f, 0.5f));
        T const rest = fused(a2, fused(a2, 0x1.5364f6p-7f, fused(a, 0x1.a2743ep-4f, 0x1.e1c21p-2f)),
                             fused(a, 0x1.344208p+0f, 0x1.acf1c6p+0f));
        return m * above / fused(a, rest, 1.0f);
    }
    /// erf(z) / z - 1 of s = z^2 for z <= 0.85.
    template <class T>
    static T erf_series(T s) {
        T const s2 = s * s;
        T const high = fused(s2, fused(s, -0x1.4ba372p-11f, 0x1.4b2706p-8f), fused(s, -0x1.b7271ap-6f, 0x1.ce2432p-4f));
        return fused(s2, high, fused(s, -0x1.81271cp-2f, 0x1.06eba8p-3f));
    }
    /// (log((1 + s) / (1 - s)) / s - 2 - 2 z / 3) / z^2 of z = s^2, for numbers between the roots of 1/2 and of 2.
    template <class T>
    static T log_tail(T z) {
        return fused(z, fused(z, 0x1.d80b28p-3f, 0x1.247a24p-2f), 0x1.9999a4p-2f);
    }
    /// (atan(t) / t - 1) / z of z = t^2 for |t| <= tan(pi/8).
    template <class T>
    static T atan_rest(T z) {
        T const z2 = z * z;
        T const high = fused(z2, -0x1.08432cp-4f, fused(z, 0x1.b80f88p-4f, -0x1.24202ep-3f));
        return fused(z2, high, fused(z, 0x1.99973p-3f, -0x1.555554p-2f));
    }
};

template <>
struct Format<double> {
    using Number = double;
    using Bits = std::uint64_t;
    static constexpr int digits = 52, bias = 1023;
    static constexpr double shift = 0x1.8p52;
    static constexpr double log2e = 0x1.71547652b82fep+0, ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    static constexpr double ln2 = 0x1.62e42fefa39efp-1;
    static constexpr double exp_least = -1418, exp_most = 710, silu_least = -760, expm1_least = -40, exp2_least = -1076,
                            exp2_most = 1025;
    static constexpr double log_scale = 0x1p54;
    static constexpr double log_scale_digits = 54, log_high = 6.93147180369123816490e-01,
                            log_low = 1.90821492927058770002e-10;
    static constexpr Bits root_half = 0x3fe6a09e667f3bcd;

    static constexpr double sine_moderate = 1e5, exp_moderate = 708, exp2_moderate = 1022, gelu_moderate = 37,
                            gelu_most = 39, erf_most = 6;
    static constexpr double two_thirds = 0x1.5555555555555p-1, two_thirds_low = 0x1.5555555555555p-55;
    static constexpr double eighth_turn = 0x1.921fb54442d18p-1, eighth_turn_low = 0x1.1a62633145c07p-55;
    static constexpr double cbrt_scale = 0x1p54;
    static constexpr double cbrt_scale_digits = 54, sinh_least = 0x1p-27, sinh_most = 710.6;
    static constexpr double whole_most = 0x1p51, most = 0x1.fffffffffffffp1023;

    template <class T>
    static T exp_rest(T r, T r2) {
        T const low =
            fused(r2, fused(0x1.11111111109b4p-7, r, 0x1.5555555553d64p-5), fused(0x1.5555555555556p-3, r, 0.5));
        T const middle = fused(r2, fused(0x1.71de0daf7a6ccp-19, r, 0x1.a019b90eefe8ep-16),
                               fused(0x1.a01a01a7c3d59p-13, r, 0x1.6c16c1788b646p-10));
        T const high = fused(0x1.af38a71a18cb9p-26, r, 0x1.2891834686c7ep-22), r4 = r2 * r2;
        return fused(r4, fused(r4, high, middle), low);
    }
    template <class T>
    static T log_rest(T z) {
        T const w = z * z;
        T const even = fused(w, fused(w, 1.531383769920937332e-01, 2.222219843214978396e-01), 3.999999999940941908e-01);
        T const odd =
            fused(w, fused(w, fused(w, 1.479819860511658591e-01, 1.818357216161805012e-01), 2.857142874366239149e-01),
                  6.666666666666735130e-01);
        return fused(w, even, z * odd);
    }
    template <class T>
    static T tail_over(T a, T m) {
        T const b = a * a, c = b * b;
        T const above0 =
            fused(b, fused(a, 0x1.27cd822d40c63p-2, 0x1.2fd7c4d330ba1p-1), fused(a, 0x1.8c8a153e44cdcp-1, 0.5));
        T const above1 = fused(b, fused(a, 0x1.ff8033bb1e82ep-12, 0x1.0ae7896743f5p-8),
                               fused(a, 0x1.81d5c23716429p-6, 0x1.8f43d9ff99d44p-4));
        T const above2 = fused(a, 0x1.70825364d29f6p-20, 0x1.36553b3244043p-15);
        T const rest0 = fused(b, fused(a, 0x1.8fb90412bf928p-1, 0x1.b65ee57b962b1p+0),
                              fused(a, 0x1.479ae6a03694bp+1, 0x1.2c661f6e733f7p+1));
        T const rest1 = fused(b, fused(a, 0x1.417009e5f3d8dp-10, 0x1.518dc1c8ef4ffp-7),
                              fused(a, 0x1.ed88668e7c2fp-5, 0x1.0477477053965p-2));
        T const rest = fused(c, fused(c, fused(a, 0x1.cddb8eaf4eb5p-19, 0x1.84f1d4d9c5359p-14), rest1), rest0);
        return m * fused(c, fused(c, above2, above1), above0) / fused(a, rest, 1.0);
    }
    template <class T>
    static T erf_series(T s) {
        T const s2 = s * s, s4 = s2 * s2;
        T const low = fused(s2, fused(s, -0x1.b82ce311319dfp-6, 0x1.ce2f21a03ec76p-4),
                            fused(s, -0x1.812746b03799ep-2, 0x1.06eba8214db68p-3));
        T const middle = fused(s2, fused(s, -0x1.f4b254bbbfecbp-17, 0x1.f9a19ee06394ap-14),
                               fused(s, -0x1.c02da7eaddd24p-11, 0x1.565bccd2da297p-8));
        T const high = fused(s2, 0x1.6ed065198882dp-27, fused(s, -0x1.5117ce32e8c5ep-23, 0x1.b835eabda2807p-20));
        return fused(s4, fused(s4, high, middle), low);
    }
    template <class T>
    static T log_tail(T z) {
        T const z2 = z * z;
        T const high = fused(z2, fused(z, 0x1.e03a7aec6ada2p-4, 0x1.df7ba1f141b59p-4),
                             fused(z, 0x1.1118cd673776bp-3, 0x1.3b1395b826983p-3));
        T const low = fused(z2, fused(z, 0x1.745d177ad437ep-3, 0x1.c71c71c6ea5acp-3),
                            fused(z, 0x1.2492492492522p-2, 0x1.999999999999ap-2));
        return fused(z2 * z2, high, low);
    }
    template <class T>
    static T atan_rest(T z) {
        T const z2 = z * z, z4 = z2 * z2;
        T const low = fused(z2, fused(z, 0x1.c71c7185314cbp-4, -0x1.24924924360cbp-3),
                            fused(z, 0x1.999999999934ap-3, -0x1.5555555555555p-2));
        T const middle = fused(z2, fused(z, 0x1.dfe61e808ffddp-5, -0x1.10fa75382533cp-4),
                               fused(z, 0x1.3b1262d955799p-4, -0x1.745d0b26b83e6p-4));
        T const high = fused(z2, -0x1.3a2b7a07c45fbp-6, fused(z, 0x1.41603647c4b41p-5, -0x1.a098bb6ba36fbp-5));
        return fused(z4, fused(z4, high, middle), low);
    }
};
