// Functions of complex numbers, of their parts in f64: e^z, log z, the root, the size and quotients. Of moderate
// arguments they are made of the functions of reals before, so that loops become vector code; others go to the C
// library, and c64 is rounded once. Included behind kernel_powers.hpp and under its rules. Each part errs by at most 3
// units in the last place of the larger one; of e^z and the root, and of log z where it is near 0, of its own. Example:
// of 128 numbers of which one is infinite, all are moderate but that one, and get the same bits as without it.
#pragma once

/// Parts of which squares neither overflow nor lose digits; or 0.
[[gnu::always_inline]] inline bool has_moderate_square(double re, double im) {
    double const a = absolute(re), b = absolute(im), larger = pick(a > b, a, b);
    return ((larger > 0x1p-480) & (larger < 0x1p500) & (a == a) & (b == b)) | ((a == 0) & (b == 0));
}

inline __complex__ double complex_of(double re, double im) {
    __complex__ double z;
    __real__ z = re;
    __imag__ z = im;
    return z;
}

struct ComplexExp {
    static bool is_moderate(double re, double im) {
        return (absolute(re) <= Format<double>::exp_moderate) & (absolute(im) <= Format<double>::sine_moderate);
    }
    static Pair<double> of_moderate(double re, double im) {
        double const size = fast_exp<Range::moderate>(re);
        return {size * sine_of_turned<double, 1>(im), size * sine_of_turned<double, 0>(im)};
    }
    static __complex__ double of_library(__complex__ double z) { return __builtin_cexp(z); }
};

/// With t = sqrt((|z| + |re|) / 2), the parts are t and im / 2 t, or the other way round.
struct ComplexSqrt {
    static bool is_moderate(double re, double im) { return has_moderate_square(re, im); }
    static Pair<double> of_moderate(double re, double im) {
        double const t = root_of(0.5 * (root_of(re * re + im * im) + absolute(re)));
        double const other = pick(t == 0, absolute(im), absolute(im) / (t + t));
        bool const is_right = re >= 0;
        return {pick(is_right, t, other), with_sign_of(pick(is_right, other, t), im)};
    }
    static __complex__ double of_library(__complex__ double z) { return __builtin_csqrt(z); }
};

/// log |z| is half of log1p(|z|^2 - 1) where |z| is near 1, and the difference has the digits that the squares lack.
struct ComplexLog {
    static bool is_moderate(double re, double im) {
        return has_moderate_square(re, im) & ((absolute(re) > 0) | (absolute(im) > 0));
    }
    static Pair<double> of_moderate(double re, double im) {
        double const height = absolute(im), width = absolute(re);
        double const x = pick(height > width, height, width), y = pick(height > width, width, height);
        double const p = x * x, p_low = fused(x, x, -p), q = y * y, q_low = fused(y, y, -q), square = p + q;
        auto const [d, d_low] = sum_of(p, -1.0);
        auto const [s, s_low] = sum_of(d, q);
        auto const [rest, rest_low] = sum_of(p_low, q_low);
        auto const [less, less_low] = sum_of(s, rest);  // |z|^2 - 1
        bool const is_near = (square > 0.5) & (square < 3);
        double const log = pick(is_near, fast_log1p(pick(is_near, less + (less_low + s_low + d_low + rest_low), 0.0)),
                                fast_log(pick(is_near, 1.0, square)));
        return {0.5 * log, fast_atan2(im, re)};
    }
    static __complex__ double of_library(__complex__ double z) { return __builtin_clog(z); }

private:
    /// A sum and what rounding lost of it. Source: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
    [[gnu::always_inline]] static Pair<double> sum_of(double a, double b) {
        double const sum = a + b, added = sum - a;
        return {sum, (a - (sum - added)) + (b - added)};
    }
};

struct ComplexSize {
    static bool is_moderate(double re, double im) { return has_moderate_square(re, im); }
    static double of_moderate(double re, double im) { return root_of(re * re + im * im); }
    static double of_library(__complex__ double z) { return __builtin_hypot(__real__ z, __imag__ z); }
};

/// The bits of plain_math.cpp's, without branches: the larger part of the divisor is divided by. Of a divisor 0 the
/// quotients are those of its parts by 0: nan, or infinite.
[[gnu::always_inline]] inline Pair<double> quotient(Pair<double> a, Pair<double> b) {
    double const re = absolute(b.re), im = absolute(b.im);
    bool const is_wide = re >= im, is_none = (re == 0) & (im == 0);
    double const larger = pick(is_wide, b.re, b.im), ratio = pick(is_wide, b.im, b.re) / larger;
    double const scale = 1.0 / (larger + pick(is_wide, b.im, b.re) * ratio);
    double const along = pick(is_wide, a.re, a.im), across = pick(is_wide, a.im, a.re), turned = along * ratio;
    constexpr double infinity = __builtin_huge_val();
    return {pick(is_none, a.re * infinity, (along + across * ratio) * scale),
            pick(is_none, a.im * infinity, pick(is_wide, across - turned, turned - across) * scale)};
}

// ---- loops ----

[[gnu::always_inline]] inline void set_parts(Pair<double> from, double& re, double& im) { re = from.re, im = from.im; }
[[gnu::always_inline]] inline void set_parts(double from, double& re, double&) { re = from; }
inline void set_parts(__complex__ double from, double& re, double& im) { re = __real__ from, im = __imag__ from; }
template <class T>
[[gnu::always_inline]] inline void set_rounded(Pair<T>& to, double re, double im) {
    to = {static_cast<T>(re), static_cast<T>(im)};
}
template <class T>
[[gnu::always_inline]] inline void set_rounded(T& to, double re, double) {
    to = static_cast<T>(re);
}

/// Parts lie apart while they are computed. @tparam R  of T: a pair, or a number
template <class F, class R, class T>
void complex_by_range(void* out, void const* a, std::size_t count) {
    constexpr std::size_t stretch = 128;
    auto* __restrict r = static_cast<R*>(out);
    auto const* x = static_cast<Pair<T> const*>(a);
    double re[stretch], im[stretch];
    for (std::size_t n = 0; count > 0; r += n, x += n, count -= n) {
        n = count < stretch ? count : stretch;
        for (std::size_t i = 0; i < n; ++i) re[i] = x[i].re, im[i] = x[i].im;
        int beyond = 0;
        for (std::size_t i = 0; i < n; ++i) beyond |= !F::is_moderate(re[i], im[i]);
        if (beyond == 0) {
            for (std::size_t i = 0; i < n; ++i) set_parts(F::of_moderate(re[i], im[i]), re[i], im[i]);
            for (std::size_t i = 0; i < n; ++i) set_rounded(r[i], re[i], im[i]);
            continue;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (F::is_moderate(re[i], im[i]))
                set_parts(F::of_moderate(re[i], im[i]), re[i], im[i]);
            else
                set_parts(F::of_library(complex_of(re[i], im[i])), re[i], im[i]);
            set_rounded(r[i], re[i], im[i]);
        }
    }
}

/// Parts lie apart, as above.
template <class T, bool a_single, bool b_single>
void complex_quotients(void* out, void const* a, void const* b, std::size_t count) {
    constexpr std::size_t stretch = 128;
    auto* __restrict r = static_cast<Pair<T>*>(out);
    auto const* x = static_cast<Pair<T> const*>(a);
    auto const* y = static_cast<Pair<T> const*>(b);
    double re[stretch], im[stretch], y_re[stretch], y_im[stretch];
    for (std::size_t n = 0; count > 0; r += n, x += a_single ? 0 : n, y += b_single ? 0 : n, count -= n) {
        n = count < stretch ? count : stretch;
        for (std::size_t i = 0; i < n; ++i) re[i] = x[a_single ? 0 : i].re, im[i] = x[a_single ? 0 : i].im;
        for (std::size_t i = 0; i < n; ++i) y_re[i] = y[b_single ? 0 : i].re, y_im[i] = y[b_single ? 0 : i].im;
        for (std::size_t i = 0; i < n; ++i) set_parts(quotient({re[i], im[i]}, {y_re[i], y_im[i]}), re[i], im[i]);
        for (std::size_t i = 0; i < n; ++i) set_rounded(r[i], re[i], im[i]);
    }
}

template <class T>
void enter_complex_functions(Kernels& table, int number) {
    auto const function = [&](Op op) -> UnaryKernel& { return table.unary[static_cast<int>(op)][number]; };
    function(Op::exp) = complex_by_range<ComplexExp, Pair<T>, T>;
    function(Op::log) = complex_by_range<ComplexLog, Pair<T>, T>;
    function(Op::sqrt) = complex_by_range<ComplexSqrt, Pair<T>, T>;
    if (sizeof(T) == 8) function(Op::abs) = complex_by_range<ComplexSize, T, T>;
    table.binary[static_cast<int>(Op::div)][number] = {
        complex_quotients<T, false, false>, complex_quotients<T, false, true>, complex_quotients<T, true, false>};
}
