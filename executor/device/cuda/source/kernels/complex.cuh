// Functions of complex numbers, for f32 and f64 parts alike.
// Example: op_mul({1, 2}, {3, 4}) is {-5, 10}; op_sqrt({-4, 0}) is {0, 2}.
namespace ein {

template <class T>
EIN_FN T op_abs(complex<T> x) {
    return length_of(x.re, x.im);
}
template <class T>
EIN_FN T op_real(complex<T> x) {
    return x.re;
}
template <class T>
EIN_FN T op_imag(complex<T> x) {
    return x.im;
}
template <class T>
EIN_FN complex<T> op_conj(complex<T> x) {
    return {x.re, -x.im};
}
template <class T>
EIN_FN complex<T> op_neg(complex<T> x) {
    return {-x.re, -x.im};
}
template <class T>
EIN_FN complex<T> op_add(complex<T> a, complex<T> b) {
    return {a.re + b.re, a.im + b.im};
}
template <class T>
EIN_FN complex<T> op_sub(complex<T> a, complex<T> b) {
    return {a.re - b.re, a.im - b.im};
}
template <class T>
EIN_FN complex<T> op_mul(complex<T> a, complex<T> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
EIN_FN complex<T> op_div(complex<T> a, complex<T> b) {  // Smith's method
    T const real = op_abs(b.re), imag = op_abs(b.im);
    if (real == 0 && imag == 0) return {a.re / real, a.im / real};
    if (real >= imag) {
        T const ratio = b.im / b.re, scale = T(1) / (b.re + b.im * ratio);
        return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    T const ratio = b.re / b.im, scale = T(1) / (b.im + b.re * ratio);
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
template <class T>
EIN_FN i32 op_eq(complex<T> a, complex<T> b) {
    return a.re == b.re && a.im == b.im;
}
template <class T>
EIN_FN i32 op_ne(complex<T> a, complex<T> b) {
    return a.re != b.re || a.im != b.im;
}

template <class T>
EIN_FN complex<T> scaled(complex<T> x, T factor) {
    return {x.re * factor, x.im * factor};
}
template <class T>
EIN_FN complex<T> turned(complex<T> x) {  // i x
    return {-x.im, x.re};
}
template <class T>
EIN_FN complex<T> turned_back(complex<T> x) {  // -i x
    return {x.im, -x.re};
}
template <class T>
EIN_FN complex<T> one_over(complex<T> x) {
    return op_div(complex<T>{1, 0}, x);
}

template <class T>
EIN_FN complex<T> op_sqrt(complex<T> x) {
    if (x.re == 0 && x.im == 0) return {0, x.im};
    T const half = op_sqrt((op_abs(x.re) + op_abs(x)) / 2);
    T const other = x.im / (2 * half);
    if (x.re >= 0) return {half, other};
    return {op_abs(other), with_sign(half, x.im)};
}
template <class T>
EIN_FN complex<T> op_rsqrt(complex<T> x) {
    return one_over(op_sqrt(x));
}
template <class T>
EIN_FN complex<T> op_exp(complex<T> x) {
    T const size = op_exp(x.re);
    if (x.im == 0) return {size, x.im};
    return {size * op_cos(x.im), size * op_sin(x.im)};
}
template <class T>
EIN_FN complex<T> op_exp2(complex<T> x) {
    return op_exp(scaled(x, T(0.693147180559945309417)));
}
/// e^x cos y - 1 without cancellation near 0, and e^x sin y, in which nothing cancels.
template <class T>
EIN_FN complex<T> op_expm1(complex<T> x) {
    T const half = op_sin(x.im / 2);
    return {op_expm1(x.re) * op_cos(x.im) - 2 * half * half, op_exp(x).im};
}

template <class T>
struct ExactSum {
    T sum, lost;
};
template <class T>
EIN_FN ExactSum<T> exact_sum(T a, T b) {
    T const sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
}
/// linear + a^2 + b^2: what products and sums lose is added last, so that its digits stay where it is almost 0.
template <class T>
EIN_FN T with_squares(T linear, T a, T b) {
    T const a2 = a * a, b2 = b * b;
    ExactSum<T> const part = exact_sum(linear, a2), all = exact_sum(part.sum, b2);
    return all.sum + (all.lost + (part.lost + (fused(a, a, -a2) + fused(b, b, -b2))));
}
template <class T>
EIN_FN complex<T> op_log(complex<T> x) {
    T const size = op_abs(x), most = op_max(op_abs(x.re), op_abs(x.im)), least = op_min(op_abs(x.re), op_abs(x.im));
    bool const near_one = size > T(0.5) && size < T(2);
    T const log = near_one ? op_log1p(with_squares(T(-1), most, least)) / 2 : op_log(size);
    return {log, op_atan2(x.im, x.re)};
}
template <class T>
EIN_FN complex<T> op_log2(complex<T> x) {
    return scaled(op_log(x), T(1.44269504088896340736));
}
template <class T>
EIN_FN complex<T> op_log1p(complex<T> x) {
    T const square = with_squares(2 * x.re, x.re, x.im);  // |1 + x|^2 - 1
    bool const near_one = square > T(-0.5) && square < 1;
    return {near_one ? op_log1p(square) / 2 : op_log(length_of(1 + x.re, x.im)), op_atan2(x.im, 1 + x.re)};
}
template <class T>
EIN_FN complex<T> op_sinh(complex<T> x) {
    return {op_sinh(x.re) * op_cos(x.im), op_cosh(x.re) * op_sin(x.im)};
}
template <class T>
EIN_FN complex<T> op_cosh(complex<T> x) {
    return {op_cosh(x.re) * op_cos(x.im), op_sinh(x.re) * op_sin(x.im)};
}
/// With t = tan(im): (sinh re cosh re (1 + t^2) + i t) / (1 + sinh^2 re (1 + t^2)); 1 + t^2 is 1 / cos^2.
template <class T>
EIN_FN complex<T> op_tanh(complex<T> x) {
    if (op_abs(x.re) > 40)
        return {with_sign(T(1), x.re), 4 * op_sin(x.im) * op_cos(x.im) * op_exp(-2 * op_abs(x.re))};
    T const sinh = op_sinh(x.re), cosine = op_cos(x.im);
    T const below = sinh * sinh + cosine * cosine;
    return {sinh * op_cosh(x.re) / below, op_sin(x.im) * cosine / below};
}
template <class T>
EIN_FN complex<T> op_sin(complex<T> x) {
    return turned_back(op_sinh(turned(x)));
}
template <class T>
EIN_FN complex<T> op_cos(complex<T> x) {
    return op_cosh(turned(x));
}
template <class T>
EIN_FN complex<T> op_tan(complex<T> x) {
    return turned_back(op_tanh(turned(x)));
}
/// re = atan2(2 re, 1 - |x|^2) / 2, |im| = log1p(4 |im| / (re^2 + (1 - |im|)^2)) / 4.
template <class T>
EIN_FN complex<T> op_atan(complex<T> x) {
    T const square = x.re * x.re, size = op_abs(x.im), above = 1 - size;
    return {op_atan2(2 * x.re, (1 - x.im) * (1 + x.im) - square) / 2,
            with_sign(op_log1p(4 * size / (square + above * above)) / 4, x.im)};
}
template <class T>
EIN_FN complex<T> op_atanh(complex<T> x) {
    return turned_back(op_atan(turned(x)));
}
/// [Kahan 1987, Branch cuts for complex elementary functions]: asinh x is -i asin(i x), by the roots of 1 - ix and
/// 1 + ix.
template <class T>
EIN_FN complex<T> op_asinh(complex<T> x) {
    complex<T> const below = op_sqrt(complex<T>{1 + x.im, -x.re}), above = op_sqrt(complex<T>{1 - x.im, x.re});
    T const angle = op_atan2(-x.im, below.re * above.re - below.im * above.im);
    return {op_asinh(below.re * above.im - below.im * above.re), -angle};
}
template <class T>
EIN_FN complex<T> op_acosh(complex<T> x) {
    complex<T> const below = op_sqrt(complex<T>{x.re - 1, x.im}), above = op_sqrt(complex<T>{x.re + 1, x.im});
    return {op_asinh(below.re * above.re + below.im * above.im), 2 * op_atan2(below.im, above.re)};
}
template <class T>
EIN_FN complex<T> op_sigmoid(complex<T> x) {
    complex<T> const one{1, 0};
    if (x.re >= 0) return one_over(op_add(one, op_exp(op_neg(x))));
    complex<T> const small = op_exp(x);
    return op_div(small, op_add(one, small));
}
template <class T>
EIN_FN complex<T> op_silu(complex<T> x) {
    return op_mul(x, op_sigmoid(x));
}

/// Whole exponents below 100 by multiplication, 0 to the power of what is not positive nan.
template <class T>
EIN_FN complex<T> op_pow(complex<T> base, complex<T> exponent) {
    if (exponent.re == 0 && exponent.im == 0) return {1, 0};
    T const size = op_abs(exponent.re);
    bool const multiplied = exponent.im == 0 && size == op_floor(size) && size < 100;
    if (base.re == 0 && base.im == 0 && !(multiplied && exponent.re > 0)) {
        T const value = exponent.re > 0 && exponent.im == 0 ? T(0) : T(EIN_NAN);
        return {value, value};
    }
    if (!multiplied) return op_exp(op_mul(exponent, op_log(base)));
    complex<T> value{1, 0};
    bool empty = true;  // the first factor is taken as it is: 1 * inf would be nan in one part
    for (i32 left = (i32)size; left > 0; left /= 2) {
        if (left % 2 != 0) {
            value = empty ? base : op_mul(value, base);
            empty = false;
        }
        if (left > 1) base = op_mul(base, base);
    }
    return exponent.re < 0 ? one_over(value) : value;
}

}  // namespace ein
