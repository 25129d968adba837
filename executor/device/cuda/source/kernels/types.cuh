// Element types as kernels see them, and conversions between them. An element is loaded into a register type (widened):
// bool and the integers up to 32 bits into i32, f16 and bf16 into f32, others into themselves. to_X(value) rounds or
// wraps a register to element type X and gives a register again; narrowed<X>(value) makes the element of such a value.
// Example: narrowed<i8>(to_i8(300)) is 44; to_i32(2.9f) is 2; to_i32(nan) is 0.
#define EIN_FN __device__ __forceinline__
#ifndef EIN_ENTRY  // the entry of a kernel: every kernel has one argument, `a`, passed by value
#define EIN_ENTRY(name, threads, Arguments) \
    extern "C" __global__ void __launch_bounds__(threads) name(Arguments const a)
#endif

namespace ein {

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;

template <class T>
struct alignas(2 * sizeof(T)) complex {
    T re, im;
};
using c64 = complex<float>;
using c128 = complex<double>;

struct f16 {
    u16 bits;
};
struct bf16 {
    u16 bits;
};
struct boolean {
    u8 bits;
};

// ---- f16 and bf16 ----

EIN_FN float f32_of(f16 x) {
#ifdef __CUDA_ARCH__
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return y;
#else
    u32 const sign = (x.bits & 0x8000u) << 16, rest = x.bits & 0x7fffu;
    if (rest >= 0x7c00u) return __uint_as_float(sign | 0x7f800000u | ((rest & 0x3ffu) << 13));
    if (rest >= 0x0400u) return __uint_as_float(sign | ((rest << 13) + 0x38000000u));
    return __uint_as_float(sign | __float_as_uint((float)rest * 5.9604644775390625e-8f));
#endif
}

EIN_FN f16 f16_of(float x) {
#ifdef __CUDA_ARCH__
    f16 y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
#else
    u32 const bits = __float_as_uint(x), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return f16{(u16)(sign | 0x7e00u)};
    if (magnitude >= 0x477ff000u) return f16{(u16)(sign | 0x7c00u)};
    if (magnitude < 0x38800000u)
        return f16{(u16)(sign | (__float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000u))};
    u32 const rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return f16{(u16)(sign | ((rounded - 0x38000000u) >> 13))};
#endif
}

EIN_FN float f32_of(bf16 x) { return __uint_as_float((u32)x.bits << 16); }

EIN_FN bf16 bf16_of(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    bf16 y;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
#else
    u32 const bits = __float_as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return bf16{(u16)((bits >> 16) | 0x40u)};
    return bf16{(u16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
#endif
}

// ---- registers ----

EIN_FN i32 widened(boolean x) { return x.bits != 0; }
EIN_FN i32 widened(i8 x) { return x; }
EIN_FN i32 widened(u8 x) { return x; }
EIN_FN i32 widened(i16 x) { return x; }
EIN_FN i32 widened(i32 x) { return x; }
EIN_FN i64 widened(i64 x) { return x; }
EIN_FN f32 widened(f16 x) { return f32_of(x); }
EIN_FN f32 widened(bf16 x) { return f32_of(x); }
EIN_FN f32 widened(f32 x) { return x; }
EIN_FN f64 widened(f64 x) { return x; }
EIN_FN c64 widened(c64 x) { return x; }
EIN_FN c128 widened(c128 x) { return x; }

/// The register type of an element type.
template <class T>
using Register = decltype(widened(T{}));

/// The element that holds a register's value, which is of type T already.
template <class T>
EIN_FN T narrowed(Register<T> x) {
    return (T)x;
}
template <>
EIN_FN boolean narrowed<boolean>(i32 x) {
    return boolean{(u8)x};
}
template <>
EIN_FN f16 narrowed<f16>(float x) {
    return f16_of(x);
}
template <>
EIN_FN bf16 narrowed<bf16>(float x) {
    return bf16_of(x);
}

// ---- conversions of registers: as the reference has them ----

template <class T>
EIN_FN T real_of(T x) {
    return x;
}
template <class T>
EIN_FN T real_of(complex<T> x) {
    return x.re;
}

/// Truncates; what no i64 can hold (nan, inf, 1e30) gives 0.
EIN_FN i64 whole(i64 x) { return x; }
EIN_FN i32 whole(i32 x) { return x; }
EIN_FN i64 whole(f32 x) { return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (i64)x : 0; }
EIN_FN i64 whole(f64 x) { return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (i64)x : 0; }

template <class T>
EIN_FN i32 to_bool(T x) {
    return x != T(0);
}
template <class T>
EIN_FN i32 to_bool(complex<T> x) {
    return x.re != T(0) || x.im != T(0);
}
template <class T>
EIN_FN i32 to_i8(T x) {
    return (i8)whole(real_of(x));
}
template <class T>
EIN_FN i32 to_u8(T x) {
    return (u8)whole(real_of(x));
}
template <class T>
EIN_FN i32 to_i16(T x) {
    return (i16)whole(real_of(x));
}
template <class T>
EIN_FN i32 to_i32(T x) {
    return (i32)whole(real_of(x));
}
template <class T>
EIN_FN i64 to_i64(T x) {
    return whole(real_of(x));
}
template <class T>
EIN_FN f32 to_f32(T x) {
    return (f32)real_of(x);
}
/// An f32 that may be rounded once more, to f16 or bf16: inexact ones have an odd last bit.
EIN_FN f32 to_odd(f32 x) { return x; }
EIN_FN f32 to_odd(f64 x) {
    f32 const nearest = (f32)x;
    u32 const bits = __float_as_uint(nearest);
    f64 const difference = fabs(x) - fabs((f64)nearest);
    u32 const step = difference > 0 ? 1u : difference < 0 ? ~0u : 0u;
    return __uint_as_float((bits & 1u) != 0 ? bits : bits + step);
}
EIN_FN f32 to_odd(i32 x) { return to_odd((f64)x); }
EIN_FN f32 to_odd(i64 x) {  // of more than 53 digits the last eleven become one
    i64 const most = 1ll << 53, lost = 0x7ff;
    return to_odd((f64)(x > -most && x < most ? x : (((x & lost) + lost) | x) & ~lost));
}
template <class T>
EIN_FN f32 to_f16(T x) {
    return f32_of(f16_of(to_odd(real_of(x))));
}
template <class T>
EIN_FN f32 to_bf16(T x) {
    return f32_of(bf16_of(to_odd(real_of(x))));
}
template <class T>
EIN_FN f64 to_f64(T x) {
    return (f64)real_of(x);
}
template <class T>
EIN_FN c64 to_c64(T x) {
    return c64{(f32)x, 0};
}
template <class T>
EIN_FN c64 to_c64(complex<T> x) {
    return c64{(f32)x.re, (f32)x.im};
}
template <class T>
EIN_FN c128 to_c128(T x) {
    return c128{(f64)x, 0};
}
template <class T>
EIN_FN c128 to_c128(complex<T> x) {
    return c128{(f64)x.re, (f64)x.im};
}

/// What a kernel found wrong: the first thread that finds a fault claims the record and writes it down, the code last,
/// so that who reads a code can read the rest; the host turns it into an error.
struct Fault {
    i32 code;  // 0: none; 1: position() of `index` into `extent` elements
    i32 claimed;
    i64 index, extent;
    i64 task;     // whose launch it is, as its argument says
    i64 operand;  // that has the index, and where from the first element that the launch reads; operand -1: none has
    i64 element;
};

}  // namespace ein
