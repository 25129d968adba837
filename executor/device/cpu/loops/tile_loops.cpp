// The loops over vector tiles for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a
// namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake). Of headers nothing is called in here but what
// is in that namespace too, so that no function compiled for one set is taken for another.
#include <cstdint>
#include <type_traits>

#include "executor/device/cpu/loops/tile_aggregate.hpp"
#include "executor/device/cpu/vector_size.hpp"

#include "executor/device/cpu/loops/exact_sums.hpp"  // of the set
#include "executor/device/cpu/loops/short_rows.hpp"  // of the set

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// `rounds`: the order matters; `has_short_rows`: common enough for loops of their own.
struct Sum {
    static constexpr bool rounds = true;
    static constexpr bool has_short_rows = true;
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a + b);
    }
};
struct Prod {
    static constexpr bool rounds = false;
    static constexpr bool has_short_rows = false;
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::is_same_v<T, std::uint16_t>)  // which promotes to int, that has no room for it
            return static_cast<T>(1u * a * b);
        else
            return static_cast<T>(a * b);
    }
};
// A nan wins and stays. In two steps, the first of which is one instruction.
struct Min {
    static constexpr bool rounds = false;
    static constexpr bool has_short_rows = true;
    template <class T>
    static T of(T a, T b) {
        T const best = b < a ? b : a;
        return b != b ? b : best;
    }
};
struct Max {
    static constexpr bool rounds = false;
    static constexpr bool has_short_rows = true;
    template <class T>
    static T of(T a, T b) {
        T const best = b > a ? b : a;
        return b != b ? b : best;
    }
};
struct Any {
    static constexpr bool rounds = false;
    static constexpr bool has_short_rows = false;
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a | b);
    }
};
struct All {
    static constexpr bool rounds = false;
    static constexpr bool has_short_rows = false;
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(a & b);
    }
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
constexpr bool has_vectors = std::is_arithmetic_v<T>;

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
    if (count >= vector) return reduce_in_lanes<Op, vector>(v, count);
    T result = v[0];
    for (std::size_t i = 1; i < count; ++i) result = Op::of(result, v[i]);
    return result;
}

template <class Op, class T>
void rows(void* acc, void const* values, std::size_t count, std::size_t columns) {
    auto* const a = static_cast<T*>(acc);
    auto const* const v = static_cast<T const*>(values);
    if constexpr (has_vectors<T> && sizeof(T) >= 4 && Op::has_short_rows)
        if (combine_short_rows<Op>(a, v, count, columns)) return;
    for (std::size_t r = 0; r < count; ++r) a[r] = Op::of(a[r], reduce<Op>(v + r * columns, columns));
}

/// Accumulators stay in registers for all rows.
template <class Op, class T>
void columns(void* acc, void const* values, std::ptrdiff_t step, std::size_t count, std::size_t width) {
    auto* const a = static_cast<T*>(acc);
    auto const* const first = static_cast<char const*>(values);
    std::size_t c = 0;
    if constexpr (has_vectors<T>) {
        constexpr std::size_t lanes = vector_bytes / sizeof(T), parts = 4;
        Vector<T, lanes> part[parts], next;
        for (; c + parts * lanes <= width; c += parts * lanes) {
#pragma GCC unroll 4
            for (std::size_t p = 0; p < parts; ++p) __builtin_memcpy(&part[p], a + c + p * lanes, sizeof next);
            char const* row = first + c * sizeof(T);
            for (std::size_t r = 0; r < count; ++r, row += step) {
#pragma GCC unroll 4
                for (std::size_t p = 0; p < parts; ++p) {
                    __builtin_memcpy(&next, row + p * sizeof next, sizeof next);
                    part[p] = Op::of(part[p], next);
                }
            }
#pragma GCC unroll 4
            for (std::size_t p = 0; p < parts; ++p) __builtin_memcpy(a + c + p * lanes, &part[p], sizeof next);
        }
    }
    char const* row = first + c * sizeof(T);
    for (std::size_t r = 0; r < count; ++r, row += step) combine<Op, T>(a + c, row, width - c);
}

template <class Op, class T>
void scatter(void* acc, std::size_t const* at, void const* values, std::size_t count) {
    auto* const a = static_cast<T*>(acc);
    auto const* const v = static_cast<T const*>(values);
    for (std::size_t i = 0; i < count; ++i) a[at[i]] = Op::of(a[at[i]], v[i]);
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

template <class T>
void add_scattered(void* acc, void* lost, std::size_t const* at, void const* values, std::size_t count) {
    auto* const a = static_cast<T*>(acc);
    auto* const low = static_cast<T*>(lost);
    auto const* const v = static_cast<T const*>(values);
    for (std::size_t i = 0; i < count; ++i) add_one(a[at[i]], low[at[i]], v[i]);
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
    return {combine<Op, T>, rows<Op, T>, columns<Op, T>, scatter<Op, T>};
}

template <class T>
TileAggregate sums() {
    TileAggregate made = loops<Sum, T>();
    made.add = add<T>;
    made.add_rows = add_rows<T>;
    made.add_scattered = add_scattered<T>;
    made.settle = settle<T>;
    return made;
}

template <class T>
TileAggregate complex_sums() {
    TileAggregate made = loops<Sum, Complex<T>>();
    made.add = add<Complex<T>>;
    made.add_rows = add_rows<Complex<T>>;
    made.add_scattered = add_scattered<Complex<T>>;
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

/// Sums and products wrap as those of the unsigned type do.
template <class T>
TileAggregate integer_loops(TileOp op) {
    using Unsigned = std::make_unsigned_t<T>;
    switch (op) {
        case TileOp::sum: return loops<Sum, Unsigned>();
        case TileOp::prod: return loops<Prod, Unsigned>();
        case TileOp::min: return loops<Min, T>();
        case TileOp::max: return loops<Max, T>();
        case TileOp::any: return loops<Any, Unsigned>();
        case TileOp::all: return loops<All, Unsigned>();
    }
    return {};
}

template <class T>
TileAggregate complex_loops(TileOp op) {
    if (op == TileOp::sum) return complex_sums<T>();
    return op == TileOp::prod ? loops<Prod, Complex<T>>() : TileAggregate{};
}

}  // namespace

TileAggregate tile_loops(TileOp op, DType register_type) {
    if (op == TileOp::sum && register_type == DType::f32) return sums<float>();
    if (op == TileOp::sum && register_type == DType::f64) return sums<double>();
    switch (register_type) {
        case DType::f32: return ordered_loops<float>(op);
        case DType::f64: return ordered_loops<double>(op);
        case DType::c64: return complex_loops<float>(op);
        case DType::c128: return complex_loops<double>(op);
        case DType::i8: return integer_loops<std::int8_t>(op);
        case DType::i16: return integer_loops<std::int16_t>(op);
        case DType::i32: return integer_loops<std::int32_t>(op);
        case DType::u8: return integer_loops<std::uint8_t>(op);
        default: return integer_loops<std::int64_t>(op);
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
