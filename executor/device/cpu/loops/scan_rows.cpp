#include "executor/device/cpu/loops/scan_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "lib/base/float16.hpp"

namespace ein::executor {
namespace {

/// f32 in f64: nothing is lost that a sum of fewer than 2^29 terms could show.
struct WideSum {
    double sum = 0;
    void add(float x) { sum += static_cast<double>(x); }
    void add(WideSum const& other) { sum += other.sum; }
    float value() const { return static_cast<float>(sum); }
    void save(double* to) const { to[0] = sum; }
    void load(double const* from) { sum = from[0]; }
};

/// With what rounding drops. Source: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B.
struct ExactSum {
    double sum = 0, low = 0;
    void add(double x) {
        double const next = sum + x, added = next - sum;
        low += (sum - (next - added)) + (x - added);
        sum = next;
    }
    void add(ExactSum const& other) {
        add(other.sum);
        low += other.low;
    }
    /// A sum that became infinite has no number in `low`; one that is exact keeps its sign, should it be a zero.
    double value() const {
        double const all = sum + low;
        return low != 0 && all == all ? all : sum;
    }
    void save(double* to) const { to[0] = sum, to[1] = low; }
    void load(double const* from) { sum = from[0], low = from[1]; }
};

template <class T, class Op>
struct Plain {
    T held = Op::identity;
    void add(T x) { held = Op::of(held, x); }
    void add(Plain const& other) { held = Op::of(held, other.held); }
    T value() const { return held; }
    void save(double* to) const { std::memcpy(to, &held, sizeof held); }
    void load(double const* from) { std::memcpy(&held, from, sizeof held); }
};

/// Sums and products of integers wrap, as those of i64 or of unsigned numbers do when they are cut.
template <class T>
using Modular =
    std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>, T>;

template <class T>
struct Plus {
    static constexpr T identity = 0;
    static T of(T a, T b) { return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b)); }
};
template <class T>
struct Times {
    static constexpr T identity = 1;
    static T of(T a, T b) { return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b)); }
};
template <class T>
bool is_nan(T a) {
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(a);
    else
        return false;
}

template <class T>
struct Least {
    using Limits = std::numeric_limits<T>;
    static constexpr T identity = Limits::has_infinity ? Limits::infinity() : Limits::max();
    static T of(T a, T b) { return a < b || is_nan(a) ? a : b; }
};
template <class T>
struct Most {
    using Limits = std::numeric_limits<T>;
    static constexpr T identity = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    static T of(T a, T b) { return a > b || is_nan(a) ? a : b; }
};

template <class T>
T load(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class T, class Value>
void store(std::byte* to, Value value) {
    T const stored(value);
    std::memcpy(to, &stored, sizeof stored);
}

template <class T, class State>
void totals(std::span<ScanRow> rows, Scan const& scan) {
    for (ScanRow& row : rows) {
        State state[4];
        Extent j = row.first;
        for (; j + 4 <= row.last; j += 4)
            for (Extent k = 0; k < 4; ++k) state[k].add(load<T>(row.from + (j + k) * scan.in_step));
        for (; j < row.last; ++j) state[0].add(load<T>(row.from + j * scan.in_step));
        for (int k = 1; k < 4; ++k) state[0].add(state[k]);
        state[0].save(row.total);
    }
}

template <class State>
void carry(ScanRow const* before, ScanRow& row) {
    State state, own;
    if (before != nullptr) {
        state.load(before->carried);
        own.load(before->total);
        state.add(own);
    }
    state.save(row.carried);
}

/// The outputs of a part of a row: those that end among its terms, and at its ends those before and after all terms.
Extent first_output(ScanRow const& row, Scan const& scan) {
    return row.is_first ? 0 : std::clamp<Extent>(row.first - scan.offset, 0, scan.outputs);
}
Extent last_output(ScanRow const& row, Scan const& scan) {
    return row.is_last ? scan.outputs : std::clamp<Extent>(row.last - scan.offset, 0, scan.outputs);
}

template <class T, class State>
void scan_one(ScanRow& row, Scan const& scan, State state) {
    Extent done = row.first;
    for (Extent i = first_output(row, scan), last = last_output(row, scan); i < last; ++i) {
        for (Extent const end = std::clamp(i + scan.offset + 1, row.first, row.last); done < end; ++done)
            state.add(load<T>(row.from + done * scan.in_step));
        store<T>(row.to + i * scan.out_step, state.value());
    }
}

/// As many terms as outputs in every row: the common case, all rows together.
template <class T, class State, std::size_t Rows>
void scan_together(std::span<ScanRow> rows, Scan const& scan, State* states) {
    State state[Rows];
    std::byte const* from[Rows];
    std::byte* to[Rows];
    Extent count = std::numeric_limits<Extent>::max();
    for (std::size_t r = 0; r < Rows; ++r) {
        state[r] = states[r];
        from[r] = rows[r].from + rows[r].first * scan.in_step;
        to[r] = rows[r].to + (rows[r].first - scan.offset) * scan.out_step;
        count = std::min(count, rows[r].last - rows[r].first);
    }
    for (Extent j = 0; j < count; ++j) {
        T read[Rows];  // before anything is stored: rows lie whole pages apart, and processors compare parts of
                       // addresses
        for (std::size_t r = 0; r < Rows; ++r) read[r] = load<T>(from[r] + j * scan.in_step);
        for (std::size_t r = 0; r < Rows; ++r) {
            state[r].add(read[r]);
            store<T>(to[r] + j * scan.out_step, state[r].value());
        }
    }
    for (std::size_t r = 0; r < Rows; ++r) {
        states[r] = state[r];
        for (Extent j = count; j < rows[r].last - rows[r].first; ++j) {
            states[r].add(load<T>(from[r] + j * scan.in_step));
            store<T>(to[r] + j * scan.out_step, states[r].value());
        }
    }
}

template <class T, class State>
void run(std::span<ScanRow> rows, Scan const& scan) {
    State states[ScanRows::most_rows];
    for (std::size_t r = 0; r < rows.size(); ++r) {
        bool const carried = !rows[r].is_first;
        if (carried) states[r].load(rows[r].carried);
    }
    bool const even = scan.offset == 0 && scan.outputs == scan.terms;
    if (even && rows.size() == 4) return scan_together<T, State, 4>(rows, scan, states);
    for (std::size_t r = 0; r < rows.size(); ++r) scan_one<T, State>(rows[r], scan, states[r]);
}

template <class T, class State>
ScanRows of() {
    return {run<T, State>, totals<T, State>, carry<State>};
}

/// @tparam T  as elements lie in memory  @tparam Value  as they are combined
template <class T, class Value, class Sum>
ScanRows of_type(scalar::Agg agg) {
    switch (agg) {
        case scalar::Agg::sum: return of<T, Sum>();
        case scalar::Agg::prod: return of<T, Plain<Value, Times<Value>>>();
        case scalar::Agg::min: return of<T, Plain<Value, Least<Value>>>();
        case scalar::Agg::max: return of<T, Plain<Value, Most<Value>>>();
        case scalar::Agg::any:
        case scalar::Agg::all:
        case scalar::Agg::logsumexp: return {};
    }
    return {};
}

template <class T>
ScanRows of_integers(scalar::Agg agg) {
    return of_type<T, T, Plain<T, Plus<T>>>(agg);
}

}  // namespace

ScanRows scan_rows(scalar::Agg agg, DType type) {
    switch (type) {
        case DType::f32: return of_type<float, float, WideSum>(agg);
        case DType::f64: return of_type<double, double, ExactSum>(agg);
        case DType::f16: return of_type<Half, float, WideSum>(agg);
        case DType::bf16: return of_type<BFloat16, float, WideSum>(agg);
        case DType::i8: return of_integers<std::int8_t>(agg);
        case DType::u8: return of_integers<std::uint8_t>(agg);
        case DType::i16: return of_integers<std::int16_t>(agg);
        case DType::i32: return of_integers<std::int32_t>(agg);
        case DType::i64: return of_integers<std::int64_t>(agg);
        default: return {};
    }
}

}  // namespace ein::executor
