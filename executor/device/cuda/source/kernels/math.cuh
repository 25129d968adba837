// The scalar functions of joins on registers: integers (exact, wrapped by to_X afterwards), f32 and f64. op_X is the
// operation X of an expression. Without fast approximations: a few units in the last place.
// Example: op_round(2.5f) is 2; op_mod(-7, 3) is 2; op_min(nan, 1) is nan.
namespace ein {

// ---- integers: add, sub and mul wrap at the width of the register ----

EIN_FN i32 op_add(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }
EIN_FN i64 op_add(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
EIN_FN i32 op_sub(i32 a, i32 b) { return (i32)((u32)a - (u32)b); }
EIN_FN i64 op_sub(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
EIN_FN i32 op_mul(i32 a, i32 b) { return (i32)((u32)a * (u32)b); }
EIN_FN i64 op_mul(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }
EIN_FN i32 op_neg(i32 x) { return op_sub(0, x); }
EIN_FN i64 op_neg(i64 x) { return op_sub((i64)0, x); }
EIN_FN i32 op_abs(i32 x) { return x < 0 ? op_neg(x) : x; }
EIN_FN i64 op_abs(i64 x) { return x < 0 ? op_neg(x) : x; }
EIN_FN i32 op_sign(i32 x) { return (x > 0) - (x < 0); }
EIN_FN i64 op_sign(i64 x) { return (x > 0) - (x < 0); }
EIN_FN i32 op_relu(i32 x) { return x > 0 ? x : 0; }
EIN_FN i64 op_relu(i64 x) { return x > 0 ? x : 0; }
EIN_FN i32 op_imag(i32) { return 0; }
EIN_FN i64 op_imag(i64) { return 0; }
EIN_FN i32 op_floor(i32 x) { return x; }
EIN_FN i64 op_floor(i64 x) { return x; }
EIN_FN i32 op_ceil(i32 x) { return x; }
EIN_FN i64 op_ceil(i64 x) { return x; }
EIN_FN i32 op_round(i32 x) { return x; }
EIN_FN i64 op_round(i64 x) { return x; }
EIN_FN i32 op_min(i32 a, i32 b) { return a < b ? a : b; }
EIN_FN i64 op_min(i64 a, i64 b) { return a < b ? a : b; }
EIN_FN i32 op_max(i32 a, i32 b) { return a > b ? a : b; }
EIN_FN i64 op_max(i64 a, i64 b) { return a > b ? a : b; }

/// The sign of the divisor; 0 when that is 0.
template <class I>
EIN_FN I integer_mod(I a, I b) {
    if (b == 0 || b == -1) return 0;
    I const rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
EIN_FN i32 op_mod(i32 a, i32 b) { return integer_mod(a, b); }
EIN_FN i64 op_mod(i64 a, i64 b) { return integer_mod(a, b); }

/// Wraps; a negative exponent gives 0 but for the bases 1 and -1.
template <class I>
EIN_FN I integer_pow(I base, I exponent) {
    if (exponent < 0) {
        if (base == -1) return exponent % 2 == 0 ? 1 : -1;
        return base == 1 ? 1 : 0;
    }
    I value = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0) value = op_mul(value, base);
        base = op_mul(base, base);
    }
    return value;
}
EIN_FN i32 op_pow(i32 a, i32 b) { return integer_pow(a, b); }
EIN_FN i64 op_pow(i64 a, i64 b) { return integer_pow(a, b); }

// ---- reals: what CUDA's library has, by one name for both types ----

#define EIN_REAL(name, single, whole) \
    EIN_FN f32 name(f32 x) { return single; } \
    EIN_FN f64 name(f64 x) { return whole; }
EIN_REAL(op_neg, -x, -x)
EIN_REAL(op_abs, fabsf(x), fabs(x))
EIN_REAL(op_floor, floorf(x), floor(x))
EIN_REAL(op_ceil, ceilf(x), ceil(x))
EIN_REAL(op_round, rintf(x), rint(x))
EIN_REAL(op_sqrt, sqrtf(x), sqrt(x))
EIN_REAL(op_rsqrt, rsqrtf(x), rsqrt(x))
EIN_REAL(op_cbrt, cbrtf(x), cbrt(x))
EIN_REAL(op_exp, expf(x), exp(x))
EIN_REAL(op_exp2, exp2f(x), exp2(x))
EIN_REAL(op_expm1, expm1f(x), expm1(x))
EIN_REAL(op_log, logf(x), log(x))
EIN_REAL(op_log2, log2f(x), log2(x))
EIN_REAL(op_log1p, log1pf(x), log1p(x))
EIN_REAL(op_sin, sinf(x), sin(x))
EIN_REAL(op_cos, cosf(x), cos(x))
EIN_REAL(op_tan, tanf(x), tan(x))
EIN_REAL(op_atan, atanf(x), atan(x))
EIN_REAL(op_sinh, sinhf(x), sinh(x))
EIN_REAL(op_cosh, coshf(x), cosh(x))
EIN_REAL(op_tanh, tanhf(x), tanh(x))
EIN_REAL(op_asinh, asinhf(x), asinh(x))
EIN_REAL(op_acosh, acoshf(x), acosh(x))
EIN_REAL(op_atanh, atanhf(x), atanh(x))
EIN_REAL(op_erf, erff(x), erf(x))
EIN_REAL(normal, normcdff(x), normcdf(x))  // the normal distribution: its tails keep their digits
#undef EIN_REAL

EIN_FN f32 op_pow(f32 a, f32 b) { return powf(a, b); }
EIN_FN f64 op_pow(f64 a, f64 b) { return pow(a, b); }
EIN_FN f32 op_atan2(f32 a, f32 b) { return atan2f(a, b); }
EIN_FN f64 op_atan2(f64 a, f64 b) { return atan2(a, b); }
EIN_FN f32 fused(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
EIN_FN f64 fused(f64 a, f64 b, f64 c) { return fma(a, b, c); }
EIN_FN f32 remainder_of(f32 a, f32 b) { return fmodf(a, b); }
EIN_FN f64 remainder_of(f64 a, f64 b) { return fmod(a, b); }
EIN_FN f32 with_sign(f32 a, f32 b) { return copysignf(a, b); }
EIN_FN f64 with_sign(f64 a, f64 b) { return copysign(a, b); }
EIN_FN f32 length_of(f32 a, f32 b) { return hypotf(a, b); }
EIN_FN f64 length_of(f64 a, f64 b) { return hypot(a, b); }

#define EIN_INFINITY __longlong_as_double(0x7ff0000000000000ll)
#define EIN_NAN __longlong_as_double(0x7ff8000000000000ll)

/// e^x loses its digits below this, x e^x does not yet.
EIN_FN bool is_deep(f32 x) { return x < -80; }
EIN_FN bool is_deep(f64 x) { return x < -700; }

template <class T>
EIN_FN T real_sign(T x) {
    return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
}
template <class T>
EIN_FN T real_sigmoid(T x) {
    T const small = op_exp(-op_abs(x));
    return (x >= 0 ? T(1) : small) / (T(1) + small);
}
template <class T>
EIN_FN T real_silu(T x) {
    if (!is_deep(x) || x == T(-EIN_INFINITY)) return x * real_sigmoid(x);
    T const root = op_exp(x / 2);
    return x * root * root;
}
template <class T>
EIN_FN T real_softplus(T x) {
    return (x > 0 ? x : x < 0 ? T(0) : x) + op_log1p(op_exp(-op_abs(x)));
}
template <class T>
EIN_FN T real_mod(T a, T b) {
    T const rest = remainder_of(a, b);
    if (rest == 0) return with_sign(T(0), b);
    return (rest < 0) != (b < 0) && rest == rest ? rest + b : rest;
}
/// The lesser of two; nan if either is; of equal ones the second, as zeros of both signs are.
template <class T>
EIN_FN T real_min(T a, T b) {
    return a < b || a != a ? a : b;
}
template <class T>
EIN_FN T real_max(T a, T b) {
    return a > b || a != a ? a : b;
}
/// The same for aggregations, whose values come in any order: -0 is less than 0, on every GPU.
EIN_FN bool is_negative(f32 x) { return (__float_as_uint(x) >> 31) != 0; }
EIN_FN bool is_negative(f64 x) { return __double_as_longlong(x) < 0; }
template <class T>
EIN_FN T smaller(T a, T b) {
    return a < b || a != a || (a == b && is_negative(a)) ? a : b;
}
template <class T>
EIN_FN T larger(T a, T b) {
    return a > b || a != a || (a == b && is_negative(b)) ? a : b;
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800  // one instruction
EIN_FN f32 smaller(f32 a, f32 b) {
    f32 least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}
EIN_FN f32 larger(f32 a, f32 b) {
    f32 most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
}
#endif
/// x^0.5: pow(-inf, 0.5) is inf, sqrt(-inf) nan; pow(-0, 0.5) is 0, sqrt(-0) -0.
template <class T>
EIN_FN T root(T x) {
    return x == T(-EIN_INFINITY) ? T(EIN_INFINITY) : op_sqrt(x + T(0));
}

#define EIN_REAL_OPS(T) \
    EIN_FN T op_sign(T x) { return real_sign(x); } \
    EIN_FN T op_sigmoid(T x) { return real_sigmoid(x); } \
    EIN_FN T op_relu(T x) { return x < 0 ? T(0) : x; } \
    EIN_FN T op_silu(T x) { return real_silu(x); } \
    EIN_FN T op_gelu(T x) { return x * normal(x); } \
    EIN_FN T op_softplus(T x) { return real_softplus(x); } \
    EIN_FN T op_imag(T) { return 0; } \
    EIN_FN T op_add(T a, T b) { return a + b; } \
    EIN_FN T op_sub(T a, T b) { return a - b; } \
    EIN_FN T op_mul(T a, T b) { return a * b; } \
    EIN_FN T op_div(T a, T b) { return a / b; } \
    EIN_FN T op_mod(T a, T b) { return real_mod(a, b); } \
    EIN_FN T op_min(T a, T b) { return real_min(a, b); } \
    EIN_FN T op_max(T a, T b) { return real_max(a, b); }
EIN_REAL_OPS(f32)
EIN_REAL_OPS(f64)
#undef EIN_REAL_OPS

// ---- any type ----

template <class T>
EIN_FN T op_conj(T x) {
    return x;
}
template <class T>
EIN_FN T op_real(T x) {
    return x;
}
template <class T>
EIN_FN i32 op_lt(T a, T b) {
    return a < b;
}
template <class T>
EIN_FN i32 op_le(T a, T b) {
    return a <= b;
}
template <class T>
EIN_FN i32 op_gt(T a, T b) {
    return a > b;
}
template <class T>
EIN_FN i32 op_ge(T a, T b) {
    return a >= b;
}
template <class T>
EIN_FN i32 op_eq(T a, T b) {
    return a == b;
}
template <class T>
EIN_FN i32 op_ne(T a, T b) {
    return a != b;
}
template <class T>
EIN_FN complex<T> op_complex(T re, T im) {
    return {re, im};
}

/// x, or x + extent when negative; a fault, and 0, when that is not in [0, extent).
/// @param a  the kernel's argument  @param operand, element  where the index was read, as struct Fault says
template <class Arguments>
EIN_FN i64 op_position(i64 index, i64 extent, Arguments const& a, i32 operand, i64 element) {
    i64 const place = index < 0 ? op_add(index, extent) : index;
    if (place >= 0 && place < extent) return place;
    Fault* const fault = a.fault;
    if (atomicCAS(&fault->claimed, 0, 1) == 0) {
        fault->index = index;
        fault->extent = extent;
        fault->task = a.task;
        fault->operand = operand;
        fault->element = element;
        __threadfence_system();
        *(i32 volatile*)&fault->code = 1;
    }
    return 0;
}

}  // namespace ein
