// The loops of scan_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled once for each, in a
// namespace of its own (ein_instruction_sets in cmake/EinLibrary.cmake).
#include "executor/device/cpu/loops/scan_loops.hpp"

#include <cstdint>
#include <type_traits>

#include "executor/device/cpu/vector_size.hpp"

#include "executor/device/cpu/loops/exact_sums.hpp"  // of the set
#include "executor/device/cpu/vector_operations.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

template <class T>
T load(std::byte const* from) {
    T value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
}
template <class T>
void store(std::byte* to, T const& value) {
    __builtin_memcpy(to, &value, sizeof value);
}

// States of N columns. `Kept` are the elements of their planes.

/// f32 in f64: nothing is lost that a sum of fewer than 2^29 terms could show.
template <int N>
struct WideSum {
    using Element = float;
    using Kept = double;
    static constexpr int lanes = vector_bytes / 8, planes = 1;
    template <int M>
    using Of = WideSum<M>;
    Vector<double, N> kept[1];

    static WideSum start() { return {}; }
    void add(Vector<float, N> x) { kept[0] += converted<double, N>(x); }
    void add(WideSum const& other) { kept[0] += other.kept[0]; }
    Vector<float, N> value() const { return converted<float, N>(kept[0]); }
};

/// A sum that became infinite has no number in `low`; one that is exact keeps its sign, should it be a zero.
template <class V>
V settled(V sum, V low) {
    V const all = sum + low;
    return is_nan(all) | (low == 0) ? sum : all;
}

/// With what rounding drops.
template <int N>
struct ExactSum {
    using Element = double;
    using Kept = double;
    static constexpr int lanes = vector_bytes / 8, planes = 2;
    template <int M>
    using Of = ExactSum<M>;
    Vector<double, N> kept[2];

    static ExactSum start() { return {}; }
    void add(Vector<double, N> x) { add_one(kept[0], kept[1], x); }
    void add(ExactSum const& other) {
        add(other.kept[0]);
        kept[1] += other.kept[1];
    }
    Vector<double, N> value() const { return settled(kept[0], kept[1]); }
};

template <class T, class Op, int N>
struct Plain {
    using Element = T;
    using Kept = T;
    static constexpr int lanes = std::is_arithmetic_v<T> ? vector_bytes / static_cast<int>(sizeof(T)) : 1, planes = 1;
    template <int M>
    using Of = Plain<T, Op, M>;
    Vector<T, N> kept[1];

    static Plain start() {
        if constexpr (N == 1)
            return {{Op::identity}};
        else
            return {{Vector<T, N>{} + Op::identity}};
    }
    void add(Vector<T, N> x) { kept[0] = Op::of(kept[0], x); }
    void add(Plain const& other) { add(other.kept[0]); }
    Vector<T, N> value() const { return kept[0]; }
};

template <class T>
struct Complex {
    T re, im;
};
template <class T>
struct ComplexTimes {
    static constexpr Complex<T> identity{1, 0};
    static Complex<T> of(Complex<T> a, Complex<T> b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
};
template <class State>
State load_state(std::byte const* state, Extent columns, Extent at) {
    State out;
    for (int plane = 0; plane < State::planes; ++plane)
        __builtin_memcpy(&out.kept[plane], state + (plane * columns + at) * Extent{sizeof(typename State::Kept)},
                         sizeof out.kept[plane]);
    return out;
}
template <class State>
void store_state(State const& from, std::byte* state, Extent columns, Extent at) {
    for (int plane = 0; plane < State::planes; ++plane)
        __builtin_memcpy(state + (plane * columns + at) * Extent{sizeof(typename State::Kept)}, &from.kept[plane],
                         sizeof from.kept[plane]);
}

/// `Vectors` times N columns from `at` on, whose totals stay in registers.
template <class State, int N, int Vectors, bool Shows>
void run_columns(ScanBlock const& block, std::byte* state, Extent at) {
    using Of = typename State::template Of<N>;
    using Element = typename State::Element;
    using Values = Vector<Element, N>;
    Of held[Vectors];
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) held[v] = load_state<Of>(state, block.columns, at + v * N);
    std::byte const* from = block.from + at * Extent{sizeof(Element)};
    std::byte* to = Shows ? block.to + at * Extent{sizeof(Element)} : nullptr;
    for (Extent row = 0; row < block.rows; ++row, from += block.from_step) {
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v) {
            held[v].add(load<Values>(from + v * Extent{sizeof(Values)}));
            if constexpr (Shows) store<Values>(to + v * Extent{sizeof(Values)}, held[v].value());
        }
        if constexpr (Shows) to += block.to_step;
    }
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) store_state(held[v], state, block.columns, at + v * N);
}

template <class State, bool Shows>
void run_all(ScanBlock const& block, std::byte* state) {
    constexpr int n = State::lanes;
    Extent at = 0;
    for (; at + 4 * n <= block.columns; at += 4 * n) run_columns<State, n, 4, Shows>(block, state, at);
    for (; at + n <= block.columns; at += n) run_columns<State, n, 1, Shows>(block, state, at);
    if constexpr (n > 4)
        for (; at + 4 <= block.columns; at += 4) run_columns<State, 4, 1, Shows>(block, state, at);
    if constexpr (n > 2)
        for (; at + 2 <= block.columns; at += 2) run_columns<State, 2, 1, Shows>(block, state, at);
    for (; at < block.columns; ++at) run_columns<State, 1, 1, Shows>(block, state, at);
}

template <class State>
void run(ScanBlock const& block, std::byte* state) {
    if (block.to != nullptr)
        run_all<State, true>(block, state);
    else
        run_all<State, false>(block, state);
}

template <class State>
using One = typename State::template Of<1>;

template <class State>
void start(std::byte* state, Extent columns) {
    for (Extent c = 0; c < columns; ++c) store_state(One<State>::start(), state, columns, c);
}

template <class State>
void show(std::byte const* state, std::byte* to, Extent columns) {
    using Element = typename State::Element;
    for (Extent c = 0; c < columns; ++c)
        store<Element>(to + c * Extent{sizeof(Element)}, load_state<One<State>>(state, columns, c).value());
}

template <class State>
One<State> from_total(ScanTotal const& total) {
    One<State> out;
    __builtin_memcpy(&out, &total, sizeof out);
    return out;
}
template <class State>
void to_total(One<State> const& from, ScanTotal& total) {
    static_assert(sizeof from <= sizeof total);
    __builtin_memcpy(&total, &from, sizeof from);
}

template <class State>
void load_totals(std::byte* state, Extent columns, ScanTotal const* from, Extent adjacent, Extent step) {
    for (Extent c = 0; c < columns; ++c)
        store_state(from_total<State>(from[c / adjacent * step + c % adjacent]), state, columns, c);
}
template <class State>
void save_totals(std::byte const* state, Extent columns, ScanTotal* to, Extent adjacent, Extent step) {
    for (Extent c = 0; c < columns; ++c)
        to_total<State>(load_state<One<State>>(state, columns, c), to[c / adjacent * step + c % adjacent]);
}

template <class State>
void add(ScanTotal& to, ScanTotal const& further) {
    One<State> sum = from_total<State>(to);
    sum.add(from_total<State>(further));
    to_total<State>(sum, to);
}

/// Term k goes to the total k modulo 32; these are combined in turn: the same in every instruction set.
template <class State>
void total(std::byte const* from, Extent terms, ScanTotal& to) {
    constexpr Extent together = 32;
    using Element = typename State::Element;
    alignas(64) std::byte state[together * ScanLoops::state_bytes];
    start<State>(state, together);
    Extent const rows = terms / together, bytes = together * Extent{sizeof(Element)};
    run_all<State, false>({from, bytes, nullptr, 0, rows, together}, state);
    One<State> sum = One<State>::start();
    for (Extent c = 0; c < together; ++c) sum.add(load_state<One<State>>(state, together, c));
    for (Extent k = rows * together; k < terms; ++k) sum.add(load<Element>(from + k * Extent{sizeof(Element)}));
    to_total<State>(sum, to);
}

template <class State, Extent Parts = 1>
ScanLoops of() {
    return {Parts,
            start<State>,
            run<State>,
            show<State>,
            load_totals<State>,
            save_totals<State>,
            add<State>,
            Parts == 1 ? total<State> : nullptr};
}

template <class T>
ScanLoops order_loops(scalar::Agg agg) {
    return agg == scalar::Agg::min ? of<Plain<T, Least<T>, 1>>() : of<Plain<T, Most<T>, 1>>();
}

template <class T>
ScanLoops integer_loops(scalar::Agg agg) {
    using Wraps = std::make_unsigned_t<T>;
    if (agg == scalar::Agg::sum) return of<Plain<Wraps, Plus<Wraps>, 1>>();
    return agg == scalar::Agg::prod ? of<Plain<Wraps, Times<Wraps>, 1>>() : order_loops<T>(agg);
}

template <class T, class Sum>
ScanLoops real_loops(scalar::Agg agg) {
    if (agg == scalar::Agg::sum) return of<Sum>();
    return agg == scalar::Agg::prod ? of<Plain<T, Times<T>, 1>>() : order_loops<T>(agg);
}

template <class T, class Sum>
ScanLoops complex_loops(scalar::Agg agg) {
    if (agg == scalar::Agg::sum) return of<Sum, 2>();
    return agg == scalar::Agg::prod ? of<Plain<Complex<T>, ComplexTimes<T>, 1>>() : ScanLoops{};
}

ScanLoops truth_loops(scalar::Agg agg) {
    bool const all = agg == scalar::Agg::all || agg == scalar::Agg::prod || agg == scalar::Agg::min;
    return order_loops<std::uint8_t>(all ? scalar::Agg::min : scalar::Agg::max);
}

}  // namespace

ScanLoops scan_loops(scalar::Agg agg, DType type) {
    if (agg == scalar::Agg::logsumexp) return {};
    if (type == DType::boolean) return truth_loops(agg);
    if (agg == scalar::Agg::any || agg == scalar::Agg::all) return {};
    switch (type) {
        case DType::f32: return real_loops<float, WideSum<1>>(agg);
        case DType::f64: return real_loops<double, ExactSum<1>>(agg);
        case DType::c64: return complex_loops<float, WideSum<1>>(agg);
        case DType::c128: return complex_loops<double, ExactSum<1>>(agg);
        case DType::i8: return integer_loops<std::int8_t>(agg);
        case DType::u8: return integer_loops<std::uint8_t>(agg);
        case DType::i16: return integer_loops<std::int16_t>(agg);
        case DType::i32: return integer_loops<std::int32_t>(agg);
        case DType::i64: return integer_loops<std::int64_t>(agg);
        default: return {};
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
