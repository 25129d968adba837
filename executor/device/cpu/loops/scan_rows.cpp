#include "executor/device/cpu/loops/scan_rows.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

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
    void save(double* to) const { to[0] = static_cast<double>(held); }
    void load(double const* from) { held = static_cast<T>(from[0]); }
};

template <class T>
struct Times {
    static constexpr T identity = 1;
    static T of(T a, T b) { return a * b; }
};
template <class T>
struct Least {
    static constexpr T identity = std::numeric_limits<T>::infinity();
    static T of(T a, T b) { return a < b || a != a ? a : b; }
};
template <class T>
struct Most {
    static constexpr T identity = -std::numeric_limits<T>::infinity();
    static T of(T a, T b) { return a > b || a != a ? a : b; }
};

template <class T>
T load(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class T>
void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
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
        store(row.to + i * scan.out_step, state.value());
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
            store(to[r] + j * scan.out_step, state[r].value());
        }
    }
    for (std::size_t r = 0; r < Rows; ++r) {
        states[r] = state[r];
        for (Extent j = count; j < rows[r].last - rows[r].first; ++j) {
            states[r].add(load<T>(from[r] + j * scan.in_step));
            store(to[r] + j * scan.out_step, states[r].value());
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

template <class T, class Sum>
ScanRows of_type(scalar::Agg agg) {
    switch (agg) {
        case scalar::Agg::sum: return of<T, Sum>();
        case scalar::Agg::prod: return of<T, Plain<T, Times<T>>>();
        case scalar::Agg::min: return of<T, Plain<T, Least<T>>>();
        case scalar::Agg::max: return of<T, Plain<T, Most<T>>>();
        case scalar::Agg::any:
        case scalar::Agg::all:
        case scalar::Agg::logsumexp: return {};
    }
    return {};
}

}  // namespace

ScanRows scan_rows(scalar::Agg agg, DType type) {
    if (type == DType::f32) return of_type<float, WideSum>(agg);
    return type == DType::f64 ? of_type<double, ExactSum>(agg) : ScanRows{};
}

}  // namespace ein::executor
