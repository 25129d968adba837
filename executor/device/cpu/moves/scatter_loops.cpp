// The loops of scatter_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in
// a namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake).
#include "executor/device/cpu/moves/scatter_loops.hpp"

#include <cstdint>

#include "executor/device/cpu/vector_operations.hpp"
#include "executor/device/cpu/vector_size.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

constexpr Extent rows_ahead = 8;  // are asked for

template <class T>
T load(std::byte const* from) {
    T value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

/// Halves as they lie in memory.
struct F16 {
    std::uint16_t bits;
};
struct BF16 {
    std::uint16_t bits;
};

template <class To, class From>
To same_bits(From const& from) {
    static_assert(sizeof(To) == sizeof from);
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

/// N elements from memory as those of another type. Halves by their bits: of f16 the exponent is scaled.
template <class From, class To, int N>
Vector<To, N> load_as(std::byte const* from) {
    using Bits = Vector<std::uint32_t, N>;
    using Floats = Vector<float, N>;
    if constexpr (std::is_same_v<From, BF16>) {
        Bits const bits = converted<std::uint32_t, N>(load<Vector<std::uint16_t, N>>(from));
        return converted<To, N>(same_bits<Floats>(static_cast<Bits>(bits << 16)));
    } else if constexpr (std::is_same_v<From, F16>) {
        Bits const bits = converted<std::uint32_t, N>(load<Vector<std::uint16_t, N>>(from));
        Bits const magnitude = (bits & 0x7fffU) << 13, sign = (bits & 0x8000U) << 16;
        Bits const scaled = same_bits<Bits>(static_cast<Floats>(same_bits<Floats>(magnitude) * 0x1p112F));
        Bits const whole = magnitude < 0x0f800000U ? scaled : magnitude | 0x7f800000U;  // others: inf and nan
        return converted<To, N>(same_bits<Floats>(static_cast<Bits>(whole | sign)));
    } else {
        return converted<To, N>(load<Vector<From, N>>(from));
    }
}

/// `Vectors` vectors of N sums, which stay in registers. @param at  of the first in its row
template <class From, class To, class Op, int N, int Vectors>
void add_columns(std::byte* sums, Extent at, RowsInOrder const& rows) {
    using Sums = Vector<To, N>;
    constexpr Extent row_vector = N * Extent{sizeof(From)}, line = 64;
    Sums total[Vectors];
    __builtin_memcpy(total, sums + at * Extent{sizeof(To)}, sizeof total);
    std::byte const* const data = rows.data + at * Extent{sizeof(From)};
    for (Extent k = 0; k < rows.count; ++k) {
        std::byte const* const row = data + rows.order[k];
        if (k + rows_ahead < rows.count + rows.further)
            for (Extent byte = 0; byte < Vectors * row_vector; byte += line)
                __builtin_prefetch(data + rows.order[k + rows_ahead] + byte);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) total[v] = Op::of(total[v], load_as<From, To, N>(row + v * row_vector));
    }
    __builtin_memcpy(sums + at * Extent{sizeof(To)}, total, sizeof total);
}

/// @param width  in numbers: twice that of complex elements
template <class From, class To, class Op, int N>
void add_narrow(std::byte* sums, Extent at, Extent width, RowsInOrder const& rows) {
    for (; at + N <= width; at += N) add_columns<From, To, Op, N, 1>(sums, at, rows);
    if constexpr (N > 1) add_narrow<From, To, Op, N / 2>(sums, at, width, rows);
}

template <class To>
constexpr int lanes_of = vector_bytes / static_cast<int>(sizeof(To));

template <class From, class To, class Op, int Parts>
void add_rows(std::byte* sums, Extent width, RowsInOrder const& rows) {
    constexpr int n = lanes_of<To>;
    Extent at = 0;
    for (; at + 4 * n <= Parts * width; at += 4 * n) add_columns<From, To, Op, n, 4>(sums, at, rows);
    add_narrow<From, To, Op, n>(sums, at, Parts * width, rows);
}

template <class From, class To, class Op, int Parts>
void add_whole_vectors(std::byte* sums, Extent width, RowsInOrder const& rows) {
    constexpr int n = lanes_of<To>;
    Extent at = 0;
    for (; at + 4 * n <= Parts * width; at += 4 * n) add_columns<From, To, Op, n, 4>(sums, at, rows);
    switch ((Parts * width - at + n - 1) / n) {
        case 1: return add_columns<From, To, Op, n, 1>(sums, at, rows);
        case 2: return add_columns<From, To, Op, n, 2>(sums, at, rows);
        case 3: return add_columns<From, To, Op, n, 3>(sums, at, rows);
        case 4: return add_columns<From, To, Op, n, 4>(sums, at, rows);
        default: return;
    }
}

template <class To, class Op, int Parts>
void add_at(std::byte* sums, Extent length, Extent const* rows, std::byte const* values, Extent count) {
    for (Extent k = 0; k < count; ++k) {
        if (static_cast<std::uint64_t>(rows[k]) >= static_cast<std::uint64_t>(length)) continue;
        for (int part = 0; part < Parts; ++part) {
            std::byte* const to = sums + (Parts * rows[k] + part) * Extent{sizeof(To)};
            To const total = Op::of(load<To>(to), load<To>(values + (Parts * k + part) * Extent{sizeof(To)}));
            __builtin_memcpy(to, &total, sizeof total);
        }
    }
}

/// @tparam Bytes  of a vector  @param vectors  of a row
template <class To, class Op, int Bytes>
void add_vectors(ScatterTable const& table, ScatteredRows const& rows, Extent vectors) {
    using Sums = Vector<To, Bytes / static_cast<int>(sizeof(To))>;
    std::byte const* from = rows.data;
    for (Extent k = 0; k < rows.count; ++k, from += rows.step) {
        if (static_cast<std::uint64_t>(rows.rows[k]) >= static_cast<std::uint64_t>(table.length)) continue;
        std::byte* const to = table.sums + rows.rows[k] * vectors * Bytes;
        for (Extent v = 0; v < vectors; ++v) {
            Sums const total = Op::of(load<Sums>(to + v * Bytes), load<Sums>(from + v * Bytes));
            __builtin_memcpy(to + v * Bytes, &total, sizeof total);
        }
    }
}

template <class To, class Op>
void add_to_table(ScatterTable const& table, ScatteredRows const& rows) {
    if (table.row_bytes == 16) return add_vectors<To, Op, 16>(table, rows, 1);
    if constexpr (vector_bytes == 64) {
        if (table.row_bytes == 32) return add_vectors<To, Op, 32>(table, rows, 1);
    }
    if (table.row_bytes == vector_bytes) return add_vectors<To, Op, vector_bytes>(table, rows, 1);
    add_vectors<To, Op, vector_bytes>(table, rows, table.row_bytes / vector_bytes);
}

template <class To, class Op>
void merge(std::byte* sums, std::byte const* more, Extent bytes) {
    using Sums = Vector<To, vector_bytes / static_cast<int>(sizeof(To))>;
    Extent at = 0;
    for (; at + vector_bytes <= bytes; at += vector_bytes) {
        Sums const total = Op::of(load<Sums>(sums + at), load<Sums>(more + at));
        __builtin_memcpy(sums + at, &total, sizeof total);
    }
    for (; at < bytes; at += Extent{sizeof(To)}) {
        To const total = Op::of(load<To>(sums + at), load<To>(more + at));
        __builtin_memcpy(sums + at, &total, sizeof total);
    }
}

/// @tparam From  of data  @tparam Parts  numbers of an element
template <class From, class To, class Op, int Parts = 1>
ScatterLoops loops(bool same) {
    return {same ? add_rows<To, To, Op, Parts> : add_rows<From, To, Op, Parts>,
            same ? add_whole_vectors<To, To, Op, Parts> : add_whole_vectors<From, To, Op, Parts>, add_at<To, Op, Parts>,
            add_to_table<To, Op>, merge<To, Op>};
}

/// @param from  the type of data whose rows are added as they are, beside that of sums
template <class From, class To, int Parts = 1>
ScatterLoops sums_of(DType from, DType data, DType sums) {
    ScatterLoops made = loops<From, To, Plus<To>, Parts>(data == sums);
    if (data != sums && data != from) made.add_rows = made.add_whole_vectors = nullptr;
    return made;
}

template <class T, class Op>
ScatterLoops of_one_type(bool same) {
    return {same ? add_rows<T, T, Op, 1> : nullptr, same ? add_whole_vectors<T, T, Op, 1> : nullptr, add_at<T, Op, 1>,
            add_to_table<T, Op>, merge<T, Op>};
}

template <class T>
ScatterLoops further(scalar::Agg agg, bool same) {
    using Wraps =
        typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
    switch (agg) {
        case scalar::Agg::prod: return of_one_type<Wraps, Times<Wraps>>(same);
        case scalar::Agg::min: return of_one_type<T, Least<T>>(same);
        case scalar::Agg::max: return of_one_type<T, Most<T>>(same);
        default: return {};
    }
}

template <class T>
ScatterLoops of_small(scalar::Agg agg, bool same) {
    using Wraps = std::make_unsigned_t<T>;
    return agg == scalar::Agg::sum ? of_one_type<Wraps, Plus<Wraps>>(same) : further<T>(agg, same);
}

ScatterLoops of_sums(DType data, DType sums) {
    switch (sums) {
        case DType::f32: return sums_of<float, float>(sums, data, sums);
        case DType::f64: return sums_of<float, double>(DType::f32, data, sums);
        case DType::c64: return sums_of<float, float, 2>(sums, data, sums);
        case DType::c128: return sums_of<float, double, 2>(DType::c64, data, sums);
        case DType::i32: return sums_of<std::uint32_t, std::uint32_t>(sums, data, sums);
        case DType::i64: return sums_of<std::int32_t, std::uint64_t>(DType::i32, data, sums);
        default: return {};
    }
}

template <class Half, class Op>
void take_halves(ScatterLoops& made) {
    made.add_rows = add_rows<Half, float, Op, 1>;
    made.add_whole_vectors = add_whole_vectors<Half, float, Op, 1>;
}

/// Halves are combined as f32.
template <class Op>
void take_halves(DType data, ScatterLoops& made) {
    if (data == DType::f16) take_halves<F16, Op>(made);
    if (data == DType::bf16) take_halves<BF16, Op>(made);
}

ScatterLoops of_floats(scalar::Agg agg, DType data) {
    ScatterLoops made = agg == scalar::Agg::sum ? of_sums(data, DType::f32) : further<float>(agg, data == DType::f32);
    if (agg == scalar::Agg::sum) take_halves<Plus<float>>(data, made);
    if (agg == scalar::Agg::min) take_halves<Least<float>>(data, made);
    if (agg == scalar::Agg::max) take_halves<Most<float>>(data, made);
    return made;
}

}  // namespace

ScatterLoops scatter_loops(scalar::Agg agg, DType data, DType sums_type) {
    bool const same = data == sums_type, adds = agg == scalar::Agg::sum;
    switch (sums_type) {
        case DType::f32: return of_floats(agg, data);
        case DType::f64: return adds ? of_sums(data, sums_type) : further<double>(agg, same);
        case DType::i8: return of_small<std::int8_t>(agg, same);
        case DType::u8: return of_small<std::uint8_t>(agg, same);
        case DType::i16: return of_small<std::int16_t>(agg, same);
        case DType::i32: return adds ? of_sums(data, sums_type) : further<std::int32_t>(agg, same);
        case DType::i64: return adds ? of_sums(data, sums_type) : further<std::int64_t>(agg, same);
        default: return adds ? of_sums(data, sums_type) : ScatterLoops{};
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
