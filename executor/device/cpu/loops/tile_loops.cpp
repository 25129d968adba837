// The loops over vector tiles for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a
// namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake). Of headers nothing is called in here but what
// is in that namespace too, so that no function compiled for one set is taken for another.
#include <cstdint>
#include <type_traits>

#include "executor/device/cpu/loops/tile_aggregate.hpp"
#include "executor/device/cpu/vector_size.hpp"

#include "executor/device/cpu/loops/exact_sums.hpp"     // of the set
#include "executor/device/cpu/loops/folded_rows.hpp"    // of the set
#include "executor/device/cpu/loops/middle_rows.hpp"    // of the set
#include "executor/device/cpu/loops/row_groups.hpp"     // of the set
#include "executor/device/cpu/loops/short_rows.hpp"     // of the set
#include "executor/device/cpu/loops/tile_reduce.hpp"    // of the set
#include "executor/device/cpu/loops/widening_sums.hpp"  // of the set

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

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

/// Short rows of integers in lanes of 32 bits: what is cut off at the end is as if it had never been.
template <class Op, class T>
void short_rows_widened(T* a, T const* v, std::size_t count, std::size_t columns) {
    constexpr bool wraps = std::is_same_v<Op, Sum> || std::is_same_v<Op, Prod>;
    using Lanes = std::conditional_t<wraps, std::uint32_t, std::int32_t>;
    combine_short_rows_in<Op, Lanes>(
        v, count, columns, [&](std::size_t r) { return static_cast<Lanes>(a[r]); },
        [&](std::size_t r, Lanes result) { a[r] = static_cast<T>(result); });
}

/// The same of rows for which their own vectors would be too long.
template <class Op, class T>
void row_groups_widened(T* a, T const* v, std::size_t count, std::size_t columns) {
    constexpr bool wraps = std::is_same_v<Op, Sum> || std::is_same_v<Op, Prod>;
    using Lanes = std::conditional_t<wraps, std::uint32_t, std::int32_t>;
    constexpr std::size_t most = 1024;
    Lanes wide[most];
    std::size_t const together = most / columns;
    for (std::size_t first = 0, n; first < count; first += n, v += n * columns) {
        n = count - first < together ? count - first : together;
        for (std::size_t i = 0; i < n * columns; ++i) wide[i] = static_cast<Lanes>(v[i]);
        reduce_each<Op>(wide, n, columns, [&](std::size_t r, std::size_t results, Lanes const* made) {
            for (std::size_t i = 0; i < results; ++i) {
                T& result = a[first + r + i];
                result = Op::of(result, static_cast<T>(made[i]));
            }
        });
    }
}

template <class Op, class T>
void rows(void* acc, void const* values, std::size_t count, std::size_t columns) {
    auto* const a = static_cast<T*>(acc);
    auto const* const v = static_cast<T const*>(values);
    if constexpr (folds_rows<Op, T>)
        if (are_folded<T>(columns) && count > 1)
            return fold_rows<Op>(v, count, columns, [&](std::size_t r, std::size_t results, T const* made) {
                for (std::size_t i = 0; i < results; ++i) a[r + i] = Op::of(a[r + i], made[i]);
            });
    if constexpr (has_vectors<T> && sizeof(T) >= 4 && Op::has_short_rows)
        if (combine_short_rows<Op>(a, v, count, columns)) return;
    if constexpr (std::is_integral_v<T> && sizeof(T) < 4)
        if (columns > 1 && columns <= longest_short_row) return short_rows_widened<Op>(a, v, count, columns);
    if constexpr (std::is_integral_v<T> && sizeof(T) < 4 && Op::has_short_rows)
        if (columns > longest_short_row && columns < 64 / sizeof(T) && count > 1)
            return row_groups_widened<Op>(a, v, count, columns);
    if constexpr (has_row_groups<Op, T>)
        if (are_grouped<T>(columns) && count > 1)
            return reduce_each<Op>(v, count, columns, [&](std::size_t r, std::size_t results, T const* made) {
                for (std::size_t i = 0; i < results; ++i) a[r + i] = Op::of(a[r + i], made[i]);
            });
    for (std::size_t r = 0; r < count; ++r) a[r] = Op::of(a[r], reduce<Op>(v + r * columns, columns));
}

/// Columns of some vectors, from `done` on: accumulators stay in registers for all rows.
/// @return where the columns go on
template <class Op, class T, std::size_t Vectors>
std::size_t columns_of_vectors(T* a, char const* first, std::ptrdiff_t step, std::size_t count, std::size_t done,
                               std::size_t width) {
    constexpr std::size_t lanes = vector_bytes / sizeof(T);
    for (; done + Vectors * lanes <= width; done += Vectors * lanes) {
        Vector<T, lanes> part[Vectors], next;
#pragma GCC unroll 8
        for (std::size_t p = 0; p < Vectors; ++p) __builtin_memcpy(&part[p], a + done + p * lanes, sizeof next);
        char const* row = first + done * sizeof(T);
        for (std::size_t r = 0; r < count; ++r, row += step) {
#pragma GCC unroll 8
            for (std::size_t p = 0; p < Vectors; ++p) {
                __builtin_memcpy(&next, row + p * sizeof next, sizeof next);
                part[p] = Op::of(part[p], next);
            }
        }
#pragma GCC unroll 8
        for (std::size_t p = 0; p < Vectors; ++p) __builtin_memcpy(a + done + p * lanes, &part[p], sizeof next);
    }
    return done;
}

/// Rows are read once where they are as long as some vectors. Longer ones whose accumulators stay in the first-level
/// cache are read in order, one by one: by parts, memory is read in pieces and takes three times as long (measured, 257
/// and 512 columns). The longest ones are read by parts again: each row is a stream of its own.
template <class Op, class T>
void columns(void* acc, void const* values, std::ptrdiff_t step, std::size_t count, std::size_t width) {
    auto* const a = static_cast<T*>(acc);
    auto const* const first = static_cast<char const*>(values);
    std::size_t c = 0;
    if constexpr (has_vectors<T>) {
        constexpr std::size_t at_once = 8 * vector_bytes / sizeof(T), in_order = 8192 / sizeof(T);
        if (width > at_once && width <= in_order) {
            for (std::size_t r = 0; r < count; ++r)
                combine<Op, T>(a, first + static_cast<std::ptrdiff_t>(r) * step, width);
            return;
        }
        c = columns_of_vectors<Op, T, 8>(a, first, step, count, c, width);
        c = columns_of_vectors<Op, T, 6>(a, first, step, count, c, width);
        c = columns_of_vectors<Op, T, 4>(a, first, step, count, c, width);
        c = columns_of_vectors<Op, T, 2>(a, first, step, count, c, width);
        c = columns_of_vectors<Op, T, 1>(a, first, step, count, c, width);
    }
    char const* row = first + c * sizeof(T);
    for (std::size_t r = 0; r < count; ++r, row += step) combine<Op, T>(a + c, row, width - c);
}

template <class Op, class T>
void middle(void* acc, void const* values, std::size_t rows, std::size_t terms, std::size_t columns) {
    MiddleRows<Op, T>::run(static_cast<T*>(acc), static_cast<T const*>(values), rows, terms, columns);
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
    if constexpr (has_row_groups<Sum, T>)
        if (are_grouped<T>(columns) && count > 1)
            return reduce_each<Sum>(v, count, columns, [&](std::size_t r, std::size_t results, T const* made) {
                for (std::size_t i = 0; i < results; ++i) add_one(a[r + i], low[r + i], made[i]);
            });
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
        a[i] = low[i] != T{0} && sum == sum ? sum : a[i];  // NOLINT(misc-redundant-expression): no nan
    }
}
template <class T>
void settle_complex(void* acc, void const* lost, std::size_t count) {
    settle<T>(acc, lost, 2 * count);
}

template <class Op, class T>
TileAggregate loops() {
    return {combine<Op, T>, rows<Op, T>, columns<Op, T>, middle<Op, T>, scatter<Op, T>};
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

template <class From>
TileAggregate sums_into(DType accumulator) {
    if (accumulator == DType::i64) return WideningSums<From, std::uint64_t>::loops();
    if constexpr (sizeof(From) < 4)
        if (accumulator == DType::i32) return WideningSums<From, std::uint32_t>::loops();
    return {};
}

}  // namespace

TileAggregate widening_sums(DType values, DType accumulator) {
    switch (values) {
        case DType::u8: return sums_into<std::uint8_t>(accumulator);
        case DType::i8: return sums_into<std::int8_t>(accumulator);
        case DType::i16: return sums_into<std::int16_t>(accumulator);
        case DType::i32: return sums_into<std::int32_t>(accumulator);
        default: return {};
    }
}

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
