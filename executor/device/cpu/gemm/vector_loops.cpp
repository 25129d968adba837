// The loops of vector_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in
// a namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake).
#include "executor/device/cpu/gemm/vector_loops.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "executor/device/cpu/gemm/pair_product.hpp"
#include "executor/device/cpu/gemm/pair_vectors.hpp"
#include "executor/device/cpu/loops/exact_sums.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class T, int Count>
using Some [[gnu::vector_size(Count * sizeof(T))]] = T;

/// As many as registers hold the sums of, each waiting for its own.
template <class T>
constexpr int rows_at_once = lanes<T> < 4         ? lanes<T>
                             : vector_bytes == 64 ? 8
                                                  : 4;

struct Half {
    std::uint16_t bits;
};
struct Bfloat {
    std::uint16_t bits;
};

template <class V, class From>
V load(From const* from) {
    V value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}

/// The next numbers of a row, in the type of sums.
template <class To, class From>
Vector<To> widened(From const* from) {
    if constexpr (__is_same(To, From)) {
        return load<Vector<To>>(from);
    } else if constexpr (__is_same(From, float)) {
        return __builtin_convertvector(load<Some<float, lanes<To>>>(from), Vector<To>);
    } else if constexpr (std::is_integral_v<From>) {
        using Narrow = Some<From, lanes<To>>;
        using Whole = Some<std::int32_t, lanes<To>>;
        Whole const whole = __builtin_convertvector(load<Narrow>(from), Whole);
        return __builtin_convertvector(whole, Vector<To>);
    } else {
        using Narrow = Some<std::uint16_t, lanes<To>>;
        using Bits = Some<std::uint32_t, lanes<To>>;
        Bits const bits = __builtin_convertvector(load<Narrow>(from), Bits);
        if constexpr (__is_same(From, Bfloat)) return reinterpret_cast<Vector<float>>(bits << 16);
        Bits const sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
        Vector<float> const scaled = reinterpret_cast<Vector<float>>(rest << 13) * 0x1p112f;  // exact
        Bits const special = rest >= 0x7c00u;
        Bits const magnitude = (special & (0x7f800000u | (rest << 13))) | (~special & reinterpret_cast<Bits>(scaled));
        return reinterpret_cast<Vector<float>>(sign | magnitude);
    }
}

/// Lanes from `first` on; the others are 0, whatever they were.
template <class T>
Vector<T> lanes_from(Vector<T> value, int first) {
    Bits<T> number;
    for (int lane = 0; lane < lanes<T>; ++lane) number[lane] = lane;
    return reinterpret_cast<Vector<T>>(reinterpret_cast<Bits<T>>(value) & (number >= first));
}

/// Lane i: a's lanes i and i + Step where Step is not in i, else b's i - Step and i.
template <int Step, class T, int... I>
Vector<T> pairs_of_lanes(Vector<T> a, Vector<T> b, std::integer_sequence<int, I...>) {
    constexpr int n = lanes<T>;
    return __builtin_shufflevector(a, b, (I & Step ? n + I - Step : I)...) +
           __builtin_shufflevector(a, b, (I & Step ? n + I : I + Step)...);
}

/// The sum of each row's lanes.
template <class T, int Rows, int Step = 1>
[[gnu::always_inline]] inline void sum_lanes(Vector<T> const* rows, T* sums) {
    if constexpr (Rows > 1) {
        Vector<T> half[Rows / 2];
        for (int k = 0; k < Rows / 2; ++k)
            half[k] =
                pairs_of_lanes<Step, T>(rows[2 * k], rows[2 * k + 1], std::make_integer_sequence<int, lanes<T>>());
        sum_lanes<T, Rows / 2, 2 * Step>(half, sums);
    } else {
        T lane[lanes<T>];
        __builtin_memcpy(lane, rows, sizeof lane);
        for (int width = lanes<T> / 2; width >= Step; width /= 2)
            for (int k = 0; k < width; ++k) lane[k] += lane[k + width];
        __builtin_memcpy(sums, lane, Step * sizeof(T));
    }
}

/// The sums of a run of some rows.
template <class From, class To, int Vectors>
[[gnu::always_inline]] inline void add_run(From const* const* row, VectorRun const& run, VectorCall const& call,
                                           To (&of_run)[Vectors][rows_at_once<To>]) {
    constexpr int n = lanes<To>, rows = rows_at_once<To>;
    Vector<To> sums[Vectors][rows] = {};
    To const* x[Vectors];
    for (int v = 0; v < Vectors; ++v) x[v] = static_cast<To const*>(call.x[v]) + run.x;
    Extent k = 0;
    for (; k + n <= run.count; k += n) {
        if (call.ahead > 0)
#pragma GCC unroll 8
            for (int r = 0; r < rows; ++r) __builtin_prefetch(row[r] + run.a + k + call.ahead);
        for (int v = 0; v < Vectors; ++v) {
            Vector<To> const factor = load<Vector<To>>(x[v] + k);
#pragma GCC unroll 8
            for (int r = 0; r < rows; ++r) sums[v][r] += widened<To>(row[r] + run.a + k) * factor;
        }
    }
    if (k < run.count) {  // the last vector of the run, without what was added already
        int const first = static_cast<int>(k + n - run.count);
        k = run.count - n;
        for (int v = 0; v < Vectors; ++v) {
            Vector<To> const factor = lanes_from<To>(load<Vector<To>>(x[v] + k), first);
#pragma GCC unroll 8
            for (int r = 0; r < rows; ++r)
                sums[v][r] += lanes_from<To>(widened<To>(row[r] + run.a + k), first) * factor;
        }
    }
    for (int v = 0; v < Vectors; ++v) sum_lanes<To, rows>(sums[v], of_run[v]);
}

/// All runs of some rows, their sums added without loss.
template <class From, class To, int Vectors>
void add_runs(From const* const* row, VectorCall const& call, To (&sums)[Vectors][rows_at_once<To>]) {
    constexpr int rows = rows_at_once<To>;
    To low[Vectors][rows] = {};
    add_run<From, To, Vectors>(row, call.runs[0], call, sums);
    for (Extent number = 1; number < call.runs_count; ++number) {
        To of_run[Vectors][rows];
        add_run<From, To, Vectors>(row, call.runs[number], call, of_run);
        for (int v = 0; v < Vectors; ++v) add_total(sums[v], low[v], of_run[v], rows);
    }
    for (int v = 0; v < Vectors; ++v)
        for (int r = 0; r < rows; ++r) sums[v][r] += low[v][r];
}

template <class From, class To, int Vectors>
void dot(VectorCall const& call) {
    constexpr int rows = rows_at_once<To>;
    for (Extent first = 0; first < call.rows; first += rows) {
        Extent const left = call.rows - first;
        int const count = left < rows ? static_cast<int>(left) : rows;
        From const* row[rows];  // the last one again where there are fewer
#pragma GCC unroll 8
        for (int r = 0; r < rows; ++r)
            row[r] = static_cast<From const*>(call.a) + call.row_at[first + (r < count ? r : count - 1)];
        To sums[Vectors][rows];
        if (call.runs_count == 1)
            add_run<From, To, Vectors>(row, call.runs[0], call, sums);
        else
            add_runs<From, To, Vectors>(row, call, sums);
        for (int v = 0; v < Vectors; ++v) {
            To* const to = static_cast<To*>(call.sums[v]) + first;
            if (count == rows)
                __builtin_memcpy(to, sums[v], sizeof sums[v]);
            else
                for (int r = 0; r < count; ++r) to[r] = sums[v][r];
        }
    }
}

template <class V, class To>
void store(To* to, V value) {
    __builtin_memcpy(to, &value, sizeof value);
}

/// Some rows from one column on, by their factors. @param first  lanes before it are not added to
template <class From, class To, int Vectors, int Rows>
[[gnu::always_inline]] inline void add_columns(From const* const* row, To const (&factor)[Vectors][Rows], Extent at,
                                               To* const (&sums)[Vectors], int first) {
    Vector<To> products[Vectors] = {};
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
        Vector<To> const numbers = widened<To>(row[r] + at);
        for (int v = 0; v < Vectors; ++v) products[v] += numbers * factor[v][r];
    }
    for (int v = 0; v < Vectors; ++v) {
        Vector<To> const added = first > 0 ? lanes_from<To>(products[v], first) : products[v];
        store(sums[v] + at, load<Vector<To>>(sums[v] + at) + added);
    }
}

template <class From, class To, int Vectors, int Rows>
void add_some_rows(ColumnsCall const& call, Extent first_row) {
    constexpr int n = lanes<To>;
    From const* row[Rows];
    To factor[Vectors][Rows];
    To* sums[Vectors];
    for (int r = 0; r < Rows; ++r) row[r] = static_cast<From const*>(call.a) + (first_row + r) * call.row_step;
    for (int v = 0; v < Vectors; ++v) {
        for (int r = 0; r < Rows; ++r) factor[v][r] = static_cast<To const*>(call.factors[v])[first_row + r];
        sums[v] = static_cast<To*>(call.sums[v]);
    }
    Extent at = 0;
    for (; at + n <= call.width; at += n) add_columns<From, To, Vectors, Rows>(row, factor, at, sums, 0);
    if (at < call.width)
        add_columns<From, To, Vectors, Rows>(row, factor, call.width - n, sums, static_cast<int>(at + n - call.width));
}

template <class From, class To, int Vectors>
void add_rows(ColumnsCall const& call) {
    Extent row = 0;
    for (; row + 8 <= call.rows; row += 8) add_some_rows<From, To, Vectors, 8>(call, row);
    for (; row < call.rows; ++row) add_some_rows<From, To, Vectors, 1>(call, row);
}

template <class T>
void add_totals(void* total, void* low, void const* values, Extent count) {
    add_total(static_cast<T*>(total), static_cast<T*>(low), static_cast<T const*>(values),
              static_cast<std::size_t>(count));
}

template <class From, class To>
VectorLoops loops(int vectors) {
    if (vectors == 1) return {dot<From, To, 1>, add_rows<From, To, 1>, add_totals<To>, rows_at_once<To>, lanes<To>};
    return {dot<From, To, 2>, add_rows<From, To, 2>, add_totals<To>, rows_at_once<To>, lanes<To>};
}

}  // namespace

VectorLoops vector_loops(DType matrix, DType sums, int vectors) {
    if (sums == DType::f64) {
        if (matrix == DType::f64) return loops<double, double>(vectors);
        if (matrix == DType::f32) return loops<float, double>(vectors);
        if (matrix == DType::i32 && vectors == 1) return loops<std::int32_t, double>(1);
    }
    if (sums == DType::f32) {
        if (matrix == DType::f32) return loops<float, float>(vectors);
        if (matrix == DType::bf16) return loops<Bfloat, float>(vectors);
        if (matrix == DType::f16) return loops<Half, float>(vectors);
    }
    if (vectors == 1 && matrix == DType::i16 && sums == DType::f64) return loops<std::int16_t, double>(1);
    if (vectors == 1 && matrix == DType::i16 && sums == DType::f32) return loops<std::int16_t, float>(1);
    return {};
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
