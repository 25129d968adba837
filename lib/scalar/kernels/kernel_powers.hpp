// Powers, roots, hyperbolic functions, angles and remainders, on the elementary functions of kernel_math.hpp; included
// behind it and under its rules. At most 3 units in the last place.
#pragma once

/// (e^x - e^-x) / 2 of e^x - 1, a quarter of it so that 2^k cannot overflow before its time.
template <class T>
[[gnu::always_inline]] inline T fast_sinh(T x) {
    using F = Format<T>;
    T const size = absolute(x);
    auto const [r, k] = reduced(clamped(size, 0, F::sinh_most));
    T const quarter = power_of_two<T>(k - 2), r2 = r * r;
    T const half = T(2) * fused(quarter, fused(r2, F::exp_rest(r, r2), r), quarter - T(0.25));  // (e^x - 1) / 2
    T const y = pick(size > T(50), half, half + half / fused(T(2), half, T(1)));                // nan stays
    return with_sign_of(pick(size < T(F::sinh_least), size, y), x);
}

template <class T>
[[gnu::always_inline]] inline T fast_cosh(T x) {
    using F = Format<T>;
    auto const [r, k] = reduced(clamped(absolute(x), 0, F::sinh_most));
    T const quarter = exp_of_reduced(r) * power_of_two<T>(k - 2);  // of e^|x|
    return T(2) * (quarter + T(0.0625) / quarter);
}

/// x = 2^(3 q) v with v in [1, 8): a polynomial, a step of Halley's and one of Newton's for the root of v.
template <class T>
[[gnu::always_inline]] inline T fast_cbrt(T x) {
    using F = Format<T>;
    constexpr auto one = bits_of(Number<T>(1));
    constexpr auto mantissa = decltype(one)((decltype(one)(1) << F::digits) - 1);
    constexpr Number<T> whole = mantissa + 1;
    T const size = absolute(x);
    auto const subnormal = size < T(from_bits<Number<T>>(Bits<Number<T>>(1) << F::digits));
    T const normal = pick(subnormal, size * T(F::cbrt_scale), size);
    T const biased = from_bits<T>((bits_of(normal) >> F::digits) | bits_of(whole)) - T(whole);
    T const exponent = biased - T(F::bias) - pick(subnormal, T(F::cbrt_scale_digits), T(0));
    T const q = floor_of((exponent + T(0.5)) * T(Number<T>(1) / 3)), left = exponent - T(3) * q;
    T const m = from_bits<T>((bits_of(normal) & mantissa) | one);
    T const v = m * pick(left == T(0), T(1), pick(left == T(1), T(2), T(4)));
    T const root = pick(left == T(0), T(1), pick(left == T(1), T(0x1.428a2f98d728bp+0), T(0x1.965fea53d6e3dp+0)));
    T const first =
        root * fused(fused(fused(m, T(0x1.6ae260afe5091p-6), T(-0x1.44f0d2e8403a6p-3)), m, T(0x1.296213a52f037p-1)), m,
                     T(0x1.1c90a1fb8969fp-1));
    T const cube = first * first * first;
    T const near = first * fused(T(2), v, cube) / fused(T(2), cube, v);
    T const square = near * near, lost = fused(near, near, -square);
    T const off = fused(near, square, -v) + near * lost;  // near^3 - v
    T const y = (near - off / (T(3) * square)) * power_of_two<T>(bits_of(q + T(F::shift)));
    return pick((size > T(0)) & (size < T(__builtin_huge_val())), with_sign_of(y, x), x);
}

/// x^y = e^(y log x) with a logarithm of twice the digits, since what it errs by is multiplied by up to 745. The
/// special cases are those of the C library.
template <class T>
[[gnu::always_inline]] inline T fast_pow(T x, T y) {
    using F = Format<T>;
    constexpr Number<T> infinity = __builtin_huge_val();
    T const size = absolute(x);
    T offset(0);
    T const normal = normal_multiple(size, offset);
    auto const [k, f] = split_normal(normal, offset);

    // log(1 + f) = 2 s + s (2/3 z + z^2 log_tail(z)) of s = f / (2 + f) and z = s^2, each with what it lacks
    T const d = T(2) + f, d_low = f - (d - T(2)), inverse = T(1) / d;
    T const s = f * inverse, s_low = (fused(-s, d, f) - s * d_low) * inverse;
    T const z = s * s, z_low = fused(s, s, -z) + T(2) * s * s_low;
    T const tail = z * F::log_tail(z);
    T const w = T(F::two_thirds) + tail, w_low = (tail - (w - T(F::two_thirds))) + T(F::two_thirds_low);
    T const v = z * w, v_low = fused(z, w, -v) + fused(z, w_low, z_low * w);
    T const t = s * v, t_low = fused(s, v, -t) + fused(s, v_low, s_low * v);
    T const near = fused(T(2), s, t), near_low = (t - fused(T(-2), s, near)) + fused(T(2), s_low, t_low);
    T const far = k * T(F::log_high), far_low = fused(k, T(F::log_high), -far);
    T const log = far + near;
    T const log_low = (near - (log - far)) + (near_low + fused(k, T(F::log_low), far_low));

    T const power = y * pick(size == T(0), T(-infinity), pick(size < T(infinity), log, size));
    T const lost = fused(y, log, -power) + y * log_low;
    auto const [r, n] = reduced(clamped(power, F::exp_least, F::exp_most));
    T const result = scaled<Range::whole>(exp_of_reduced(r + pick(absolute(power) < T(2000), lost, T(0))), n);

    T const half = T(0.5) * y;
    auto const whole = nearest_of(y) == y;
    T const with_sign = pick(whole & (nearest_of(half) != half), with_sign_of(result, x), result);
    auto const none = (x < T(0)) & (size < T(infinity)) & (nearest_of(y) != y) & (y == y);
    auto const always_one = (x == T(1)) | (y == T(0)) | ((size == T(1)) & (absolute(y) == T(infinity)));
    return pick(always_one, T(1), pick(none, T(__builtin_nan("")), with_sign));
}

/// The angle of (x, y). Of the two sizes the smaller is divided by the larger; above tan(pi/8), their difference by
/// their sum, which turns by an eighth.
template <class T>
[[gnu::always_inline]] inline T fast_atan2(T y, T x) {
    using F = Format<T>;
    T const height = absolute(y), width = absolute(x);
    auto const steep = height > width;
    T const larger = pick(steep, height, width), smaller = pick(steep, width, height);
    T const scale = pick(larger > T(Number<T>(0.25) * Format<T>::most), T(0.25), T(1));
    T const a = smaller * scale, b = larger * scale;
    auto const alike = (smaller == larger) & (larger > T(0));  // both may be infinite
    auto const wide = (a > T(0x1.a827999fcef32p-2) * b) | alike;
    T const t = pick(smaller == larger, T(0), pick(wide, a - b, a) / pick(wide, a + b, b)), z = t * t;
    T const turn = fused(t * z, F::atan_rest(z), t);
    auto const backward = with_sign_of(T(1), x) < T(0);
    T const within = pick(wide, T(1), T(0)), above = pick(steep, T(2) - within, within);
    T const eighths = pick(backward, T(4) - above, above);
    auto const upright = !steep, forward = !backward;
    auto const falls = (steep & forward) | (upright & backward);
    T const result = fused(eighths, T(F::eighth_turn), fused(eighths, T(F::eighth_turn_low), pick(falls, -turn, turn)));
    return pick((x != x) | (y != y), x + y, with_sign_of(result, y));
}

template <class T>
[[gnu::always_inline]] inline T fast_atan(T x) {
    return fast_atan2(x, T(1));
}

/// The tangent of x for |x| <= 1e5.
template <class T>
[[gnu::always_inline]] inline T tangent(T argument) {
    auto const [r, quadrant] = in_quarters(argument);
    double const z = r * r, sine = Turn<T>::sine(r, z), cosine = Turn<T>::cosine(z);
    bool const even = (quadrant & 1) == 0;
    T const result = static_cast<T>((even ? sine : -cosine) / (even ? cosine : sine));
    return argument == T(0) ? argument : result;
}

/// The remainder with the sign of y: a quotient that was rounded to the next whole number is put right.
template <class T>
[[gnu::always_inline]] inline T remainder_of_moderate(T x, T y) {
    T const size = absolute(x), step = absolute(y);
    T rest = fused(-floor_of(size / step), step, size);
    rest = pick(rest < T(0), rest + step, rest);
    rest = pick(rest >= step, rest - step, rest);
    auto const differ = with_sign_of(T(1), from_bits<T>(bits_of(x) ^ bits_of(y))) < T(0);
    return with_sign_of(pick(differ & (rest > T(0)), step - rest, rest), y);
}

// ---- the same for kernel_rows.hpp, as in kernel_ops.hpp ----

struct Cbrt {
    template <class T>
    static T of(T a) {
        return fast_cbrt(a);
    }
};
struct Sinh {
    template <class T>
    static T of(T a) {
        return fast_sinh(a);
    }
};
struct Cosh {
    template <class T>
    static T of(T a) {
        return fast_cosh(a);
    }
};
struct Atan {
    template <class T>
    static T of(T a) {
        return fast_atan(a);
    }
};
struct Pow {
    template <class T>
    static T of(T a, T b) {
        return fast_pow(a, b);
    }
};
struct Atan2 {
    template <class T>
    static T of(T a, T b) {
        return fast_atan2(a, b);
    }
};
struct Tan {
    template <Range range, class T>
    static T of(T a) {
        if (range == Range::moderate || absolute(a) <= moderate<T>) return tangent(a);
        return sizeof(T) == 4 ? T(__builtin_tanf(float(a))) : T(__builtin_tan(double(a)));  // of the C library
    }
    template <class T>
    static constexpr T moderate = Format<T>::sine_moderate;
};
struct ModOfReals {  // the sign of the divisor, as in NumPy
    template <Range range, class T>
    static T of(T a, T b) {
        if (range == Range::moderate || is_moderate(a, b)) return remainder_of_moderate(a, b);
        T const rest =
            sizeof(T) == 4 ? T(__builtin_fmodf(float(a), float(b))) : T(__builtin_fmod(double(a), double(b)));
        if (rest == 0) return with_sign_of(T(0), b);
        return (rest < 0) != (b < 0) && rest == rest ? rest + b : rest;
    }
    /// Whether b fits into a fewer times than whole numbers are exact.
    template <class T>
    static bool is_moderate(T a, T b) {
        return (absolute(a) < T(Format<T>::whole_most) * absolute(b)) & (absolute(b) < T(__builtin_huge_val()));
    }
};

/// Of integers of 64 bits: the sign of the divisor, 0 when that is 0. A quotient of f64 is wrong by what rounding lost
/// of it, so that the remainder is too large by up to 2^12 and some divisors; of what is left the quotient is wrong by
/// one at most.
struct ModOfWide {
    template <Range range>
    static I64 of(I64 a, I64 b) {
        bool const is_unit = (b <= 1) & (b >= -1);
        I64 const divisor = is_unit ? 2 : b;
        if (range == Range::whole && !is_moderate(a, b)) {
            I64 const rest = a % divisor;
            return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
        }
        double const inverse = 1 / static_cast<double>(divisor);
        I64 const near = less_quotient(less_quotient(a, divisor, inverse), divisor, inverse);
        I64 const size = divisor < 0 ? -divisor : divisor, sized = divisor < 0 ? -near : near;
        I64 const lifted = sized < 0 ? sized + size : sized, rest = lifted >= size ? lifted - size : lifted;
        return is_unit ? 0 : divisor < 0 ? -rest : rest;
    }
    static bool is_moderate(I64, I64 b) {
        constexpr I64 most = I64(1) << 50;
        return (b < most) & (b > -most);
    }

private:
    static I64 less_quotient(I64 a, I64 divisor, double inverse) {
        U64 const quotient = bits(static_cast<I64>(floor_of(static_cast<double>(a) * inverse)));
        return wrapped<I64>(bits(a) - quotient * bits(divisor));
    }
};
