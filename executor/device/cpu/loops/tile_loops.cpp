// The loops over vector tiles for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a
// namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake). Of headers nothing is called in here but what
// is in that namespace too, so that no function compiled for one set is taken for another.
#include <cstdint>

#include "executor/device/cpu/loops/tile_aggregate.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/vector_size.hpp"

#include "executor/device/cpu/loops/exact_sums.hpp"  // of the set

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

struct Sum {
    static constexpr bool rounds = true;
    template <class T>
    static T of(T a, T b) {
        return a + b;
    }
};
struct Prod {
    static constexpr bool rounds = false;
    template <class T>
    static T of(T a, T b) {
        return a * b;
    }
};
// A nan wins and stays. In two steps, the first of which is one instruction.
struct Min {
    static constexpr bool rounds = false;
    template <class T>
    static T of(T a, T b) {
        T const best = b < a ? b : a;
        return b != b ? b : best;
    }
};
struct Max {
    static constexpr bool rounds = false;
    template <class T>
    static T of(T a, T b) {
        T const best = b > a ? b : a;
        return b != b ? b : best;
    }
};
struct Any {
    static constexpr bool rounds = false;
    template <class T>
    static T of(T a, T b) {
        return a | b;
    }
};
struct All {
    static constexpr bool rounds = false;
    template <class T>
    static T of(T a, T b) {
        return a & b;
    }
};

/// Integers wrap: sums and products are those of the unsigned type.
struct Integer {
    std::uint64_t bits;
    friend Integer operator+(Integer a, Integer b) { return {a.bits + b.bits}; }
    friend Integer operator*(Integer a, Integer b) { return {a.bits * b.bits}; }
    friend Integer operator|(Integer a, Integer b) { return {a.bits | b.bits}; }
    friend Integer operator&(Integer a, Integer b) { return {a.bits & b.bits}; }
    friend bool operator<(Integer a, Integer b) {
        return static_cast<std::int64_t>(a.bits) < static_cast<std::int64_t>(b.bits);
    }
    friend bool operator>(Integer a, Integer b) { return b < a; }
    friend bool operator!=(Integer a, Integer b) { return a.bits != b.bits; }
};

template <class T>
struct Complex {
    T re, im;
    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
};

template <class Op, class T>
void combine(void* acc, void const* values, std::size_t count) {
    auto* const a = static_cast<T*>(acc);
    auto const* const v = static_cast<T const*>(values);
    for (std::size_t i = 0; i < count; ++i) a[i] = Op::of(a[i], v[i]);
}

template <class T>
constexpr bool has_vectors = false;
template <>
constexpr bool has_vectors<float> = true;
template <>
constexpr bool has_vectors<double> = true;

template <class T, std::size_t Lanes>
using Vector [[gnu::vector_size(Lanes * sizeof(T))]] = T;

/// The lanes combined by halves; the count is known when compiling, so that it stays in registers. Vectors by name,
/// here and below, because compilers leave minima and maxima of lanes to branches.
template <class Op, std::size_t Lanes, class T>
T fold(T* lane) {
    constexpr std::size_t half = Lanes / 2;
    if constexpr (half > 1 && half * sizeof(T) <= vector_bytes && has_vectors<T>) {
        Vector<T, half> a, b;
        __builtin_memcpy(&a, lane, sizeof a);
        __builtin_memcpy(&b, lane + half, sizeof b);
        a = Op::of(a, b);
        __builtin_memcpy(lane, &a, sizeof a);
        return fold<Op, half>(lane);
    } else if constexpr (Lanes > 1) {
        for (std::size_t l = 0; l < half; ++l) lane[l] = Op::of(lane[l], lane[l + half]);
        return fold<Op, half>(lane);
    }
    return lane[0];
}

/// Rows of lanes that are combined one after another, where rounding matters: further ones are combined apart first.
constexpr std::size_t longest_run = 16;

/// lane[l] = v[l] op v[l + Lanes] op ..., of `count` rows of lanes.
template <class Op, std::size_t Lanes, class T>
void reduce_rows(T* lane, T const* v, std::size_t count) {
    constexpr std::size_t run = Op::rounds ? longest_run : ~std::size_t{0};
    if constexpr (has_vectors<T>) {
        constexpr std::size_t width = vector_bytes / sizeof(T), parts = Lanes / width;
        using Part = Vector<T, width>;
        Part part[parts], further[parts], next;
#pragma GCC unroll 16
        for (std::size_t p = 0; p < parts; ++p) __builtin_memcpy(&part[p], v + p * width, sizeof next);
        std::size_t i = 1;
        for (; i < count && i < run; ++i) {
#pragma GCC unroll 16
            for (std::size_t p = 0; p < parts; ++p) {
                __builtin_memcpy(&next, v + i * Lanes + p * width, sizeof next);
                part[p] = Op::of(part[p], next);
            }
        }
        while (i < count) {
            std::size_t const end = count - i < run ? count : i + run;
#pragma GCC unroll 16
            for (std::size_t p = 0; p < parts; ++p)
                __builtin_memcpy(&further[p], v + i * Lanes + p * width, sizeof next);
            for (++i; i < end; ++i) {
#pragma GCC unroll 16
                for (std::size_t p = 0; p < parts; ++p) {
                    __builtin_memcpy(&next, v + i * Lanes + p * width, sizeof next);
                    further[p] = Op::of(further[p], next);
                }
            }
#pragma GCC unroll 16
            for (std::size_t p = 0; p < parts; ++p) part[p] = Op::of(part[p], further[p]);
        }
#pragma GCC unroll 16
        for (std::size_t p = 0; p < parts; ++p) __builtin_memcpy(lane + p * width, &part[p], sizeof next);
    } else {
        T further[Lanes];
        for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
            end = count - begin < run ? count : begin + run;
            T* const into = begin == 0 ? lane : further;
            for (std::size_t l = 0; l < Lanes; ++l) into[l] = v[begin * Lanes + l];
            for (std::size_t i = begin + 1; i < end; ++i)
                for (std::size_t l = 0; l < Lanes; ++l) into[l] = Op::of(into[l], v[i * Lanes + l]);
            for (std::size_t l = 0; begin > 0 && l < Lanes; ++l) lane[l] = Op::of(lane[l], further[l]);
        }
    }
}

/// Separate accumulators in a fixed number of lanes, whatever the instruction set.
template <class Op, std::size_t Lanes, class T>
[[gnu::noinline]] T reduce_in_lanes(T const* v, std::size_t count) {
    T lane[Lanes];
    reduce_rows<Op, Lanes>(lane, v, count / Lanes);
    for (std::size_t i = count / Lanes * Lanes, l = 0; i < count; ++i, ++l) lane[l] = Op::of(lane[l], v[i]);
    return fold<Op, Lanes>(lane);
}

template <class Op, class T>
T reduce(T const* v, std::size_t count) {
    constexpr std::size_t vector = 64 / sizeof(T), most = Op::rounds ? 128 * 4 * vector : ~std::size_t{0};
    if (count > most) {  // so that few runs follow one another
        std::size_t const half = count / (8 * vector) * 4 * vector;
        T const first = reduce<Op>(v, half);  // read in order, as memory likes it
        return Op::of(first, reduce<Op>(v + half, count - half));
    }
    if (count >= 8 * vector) return reduce_in_lanes<Op, 4 * vector>(v, count);
    if (count >= 2 * vector) return reduce_in_lanes<Op, vector>(v, count);
    T result = v[0];
    for (std::size_t i = 1; i < count; ++i) result = Op::of(result, v[i]);
    return result;
}

template <class Op, class T>
void rows(void* acc, void const* values, std::size_t count, std::size_t columns) {
    auto* const a = static_cast<T*>(acc);
    auto const* const v = static_cast<T const*>(values);
    for (std::size_t r = 0; r < count; ++r) a[r] = Op::of(a[r], reduce<Op>(v + r * columns, columns));
}

template <class Op, class T>
void columns(void* acc, void const* values, std::size_t count, std::size_t width) {
    auto const* const v = static_cast<T const*>(values);
    for (std::size_t r = 0; r < count; ++r) combine<Op, T>(acc, v + r * width, width);
}

template <class T>
void add_one(Complex<T>& a, Complex<T>& low, Complex<T> v) {
    add_one(a.re, low.re, v.re);
    add_one(a.im, low.im, v.im);
}

template <class T>
void add(void* __restrict acc, void* __restrict lost, void const* __restrict values, std::size_t count) {
    auto* const a = static_cast<T*>(acc);
    auto* const low = static_cast<T*>(lost);
    auto const* const v = static_cast<T const*>(values);
    for (std::size_t i = 0; i < count; ++i) add_one(a[i], low[i], v[i]);
}

template <class T>
void add_rows(void* acc, void* lost, void const* values, std::size_t count, std::size_t columns) {
    auto* const a = static_cast<T*>(acc);
    auto* const low = static_cast<T*>(lost);
    auto const* const v = static_cast<T const*>(values);
    for (std::size_t r = 0; r < count; ++r) add_one(a[r], low[r], reduce<Sum>(v + r * columns, columns));
}

/// A sum that became infinite has no number in `low`; one that is exact keeps its sign, should it be a zero.
template <class T>
void settle(void* __restrict acc, void const* __restrict lost, std::size_t count) {
    auto* const a = static_cast<T*>(acc);
    auto const* const low = static_cast<T const*>(lost);
    for (std::size_t i = 0; i < count; ++i) {
        T const sum = a[i] + low[i];
        a[i] = low[i] != T{0} && sum == sum ? sum : a[i];
    }
}
template <class T>
void settle_complex(void* acc, void const* lost, std::size_t count) {
    settle<T>(acc, lost, 2 * count);
}

template <class Op, class T>
TileAggregate loops() {
    return {combine<Op, T>, rows<Op, T>, columns<Op, T>};
}

template <class T>
TileAggregate sums() {
    TileAggregate made = loops<Sum, T>();
    made.add = add<T>;
    made.add_rows = add_rows<T>;
    made.settle = settle<T>;
    return made;
}

template <class T>
TileAggregate complex_sums() {
    TileAggregate made = loops<Sum, Complex<T>>();
    made.add = add<Complex<T>>;
    made.add_rows = add_rows<Complex<T>>;
    made.settle = settle_complex<T>;
    return made;
}

template <class T>
TileAggregate ordered_loops(TileOp op) {
    switch (op) {
        case TileOp::sum: return loops<Sum, T>();
        case TileOp::prod: return loops<Prod, T>();
        case TileOp::min: return loops<Min, T>();
        case TileOp::max: return loops<Max, T>();
        default: return {};
    }
}

template <class T>
TileAggregate complex_loops(TileOp op) {
    if (op == TileOp::sum) return complex_sums<T>();
    return op == TileOp::prod ? loops<Prod, Complex<T>>() : TileAggregate{};
}

}  // namespace

// The halves' bit patterns, with the rounding of lib/tensor: every case is computed and one is chosen, so that loops
// vectorise.

namespace {

float as_float(std::uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}
std::uint32_t as_bits(float value) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    return bits;
}

float from_half(std::uint16_t half) {
    std::uint32_t const sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
    std::uint32_t const finite = as_bits(as_float(rest << 13) * 0x1p112f);  // exact; makes subnormals normal
    return as_float(sign | (rest >= 0x7c00u ? 0x7f800000u | (rest << 13) : finite));
}
std::uint16_t to_half(float value) {
    std::uint32_t const bits = as_bits(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
    std::uint32_t const normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    float const small = as_float(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f;  // the add rounds to 2^-24
    std::uint32_t const finite = magnitude < 0x38800000u ? as_bits(small) - 0x3f000000u : normal;
    std::uint32_t const special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return static_cast<std::uint16_t>(sign | (magnitude >= 0x477ff000u ? special : finite));
}
float from_bfloat(std::uint16_t bfloat) { return as_float(static_cast<std::uint32_t>(bfloat) << 16); }
std::uint16_t to_bfloat(float value) {
    std::uint32_t const bits = as_bits(value), rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : rounded);
}

template <class From, class To, To (*convert)(From)>
void convert_adjacent(void const* __restrict from, void* __restrict to, std::size_t count) {
    auto const* const source = static_cast<From const*>(from);
    auto* const target = static_cast<To*>(to);
    for (std::size_t i = 0; i < count; ++i) target[i] = convert(source[i]);
}

template <class From, class To>
To plain(From value) {
    return static_cast<To>(value);
}
template <class To>
To from_boolean(std::uint8_t byte) {
    return static_cast<To>(byte != 0);
}

template <class To>
ConvertLoop widening(DType from) {
    switch (from) {
        case DType::boolean: return convert_adjacent<std::uint8_t, To, from_boolean<To>>;
        case DType::u8: return convert_adjacent<std::uint8_t, To, plain<std::uint8_t, To>>;
        case DType::i8: return convert_adjacent<std::int8_t, To, plain<std::int8_t, To>>;
        case DType::i16: return convert_adjacent<std::int16_t, To, plain<std::int16_t, To>>;
        case DType::i32: return convert_adjacent<std::int32_t, To, plain<std::int32_t, To>>;
        default: return nullptr;
    }
}

}  // namespace

ConvertLoop convert_loop(DType from, DType to) {
    if (from == DType::f16 && to == DType::f32) return convert_adjacent<std::uint16_t, float, from_half>;
    if (from == DType::f32 && to == DType::f16) return convert_adjacent<float, std::uint16_t, to_half>;
    if (from == DType::bf16 && to == DType::f32) return convert_adjacent<std::uint16_t, float, from_bfloat>;
    if (from == DType::f32 && to == DType::bf16) return convert_adjacent<float, std::uint16_t, to_bfloat>;
    if (from == DType::f32 && to == DType::f64) return convert_adjacent<float, double, plain<float, double>>;
    if (from == DType::f64 && to == DType::f32) return convert_adjacent<double, float, plain<double, float>>;
    return to == DType::f32 ? widening<float>(from) : to == DType::f64 ? widening<double>(from) : nullptr;
}

TileAggregate tile_loops(TileOp op, DType register_type) {
    if (op == TileOp::sum && register_type == DType::f32) return sums<float>();
    if (op == TileOp::sum && register_type == DType::f64) return sums<double>();
    switch (register_type) {
        case DType::f32: return ordered_loops<float>(op);
        case DType::f64: return ordered_loops<double>(op);
        case DType::c64: return complex_loops<float>(op);
        case DType::c128: return complex_loops<double>(op);
        default: break;
    }
    if (op == TileOp::any) return loops<Any, Integer>();
    if (op == TileOp::all) return loops<All, Integer>();
    return ordered_loops<Integer>(op);
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
