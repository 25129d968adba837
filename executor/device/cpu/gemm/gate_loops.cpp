// The loops of gate_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled as pair_loops.cpp
// is.
#include "executor/device/cpu/gemm/gate_loops.hpp"

#include "executor/device/cpu/gemm/gate_multiply.hpp"
#include "executor/device/cpu/gemm/pair_rows.hpp"
#include "executor/device/cpu/gemm/pair_squares.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// The first `count` elements of a line, in a vector of Side; what is behind them is not read.
template <class E, int Side>
auto line_of(E const* from, Index count) {
    using Held = typename Group<E, Side>::Vector;
    Held line{};
    if (count == Side) {
        __builtin_memcpy(&line, from, sizeof line);
        return line;
    }
    if constexpr (Side == lanes<E>) return (Held)first_lanes<E>(from, count);
#if defined(__AVX512F__)
    if constexpr (Side * sizeof(E) == 32 || Side * sizeof(E) == 16) {
        auto const some = (__mmask8)((1u << count) - 1);
        if constexpr (Side == 8) return (Held)_mm256_maskz_loadu_epi32(some, from);
        if constexpr (Side == 4 && sizeof(E) == 8) return (Held)_mm256_maskz_loadu_epi64(some, from);
        if constexpr (Side == 4 && sizeof(E) == 4) return (Held)_mm_maskz_loadu_epi32(some, from);
    }
#endif
    for (Index k = 0; k < at_most(count, Side); ++k) reinterpret_cast<E*>(&line)[k] = from[k];
    return line;
}

/// Its first `count` elements to memory; others there stay.
template <class E, int Side, class Held>
void set_line(E* to, Index count, Held const& line) {
    if (count == Side) return (void)__builtin_memcpy(to, &line, sizeof line);
    if constexpr (Side == lanes<E>) return set_first_lanes<E>(to, count, (Vector<E>)line);
#if defined(__AVX512F__)
    auto const some = (__mmask8)((1u << count) - 1);
    if constexpr (Side == 8 && sizeof(E) == 4) return _mm256_mask_storeu_epi32(to, some, (__m256i)line);
    if constexpr (Side == 4 && sizeof(E) == 8) return _mm256_mask_storeu_epi64(to, some, (__m256i)line);
    if constexpr (Side == 4 && sizeof(E) == 4) return _mm_mask_storeu_epi32(to, some, (__m128i)line);
#endif
    for (Index k = 0; k < at_most(count, Side); ++k) to[k] = reinterpret_cast<E const*>(&line)[k];
}

/// A piece of a box, its elements in the lanes of vectors.
template <class E, int Side>
void bring_piece(GateCall const& call, GatePiece const& piece, E* room) {
    E const* const from = static_cast<E const*>(call.from) + piece.at;
    Seen<E> unused;
    for (Index lane = 0; lane < call.lanes; lane += Side) {
        E const* line[Side];
        for (int i = 0; i < Side; ++i) line[i] = from + call.in.lane[at_most(lane + i, call.lanes - 1)];
        turn_lines<E, Side, false>([&](int i) { return line_of<E, Side>(line[i], piece.count); },
                                   [&](int j, auto const& turned) {
                                       if (j >= piece.count) return;
                                       E* const to = room + piece.elements[j] * call.lanes_in_box + lane;
                                       __builtin_memcpy(to, &turned, sizeof turned);
                                   },
                                   unused);
    }
}
/// Some lanes of it, from the box's working memory.
template <class E, int Side>
void leave_square(GateCall const& call, GatePiece const& piece, E const* room, Index lane) {
    using Held = typename Group<E, Side>::Vector;
    E* const to = static_cast<E*>(call.to) + piece.at;
    Seen<E> unused;
    turn_lines<E, Side, false>(
        [&](int i) {
            Held line;
            int const element = piece.elements[i < piece.count ? i : 0];
            __builtin_memcpy(&line, room + element * call.lanes_in_box + lane, sizeof line);
            return line;
        },
        [&](int j, Held line) {
            if (lane + j >= call.lanes) return;
            E* const there = to + call.out.lane[lane + j];
            if constexpr (Side == lanes<E>) return leave_lanes<E>(call, there, piece.count, (Vector<E>)line);
            if (call.combine) line = added<E>(line, line_of<E, Side>(there, piece.count));
            set_line<E, Side>(there, piece.count, line);
        },
        unused);
}

// ---- strips ----

/// Element 3i + First of three vectors, for each element i. I is each lane of the processor's.
template <class E, int First, int... I>
Vector<E> every_third(Vector<E> x, Vector<E> y, Vector<E> z, std::integer_sequence<int, I...>) {
    constexpr int one = lanes_of_one<E>, n = lanes<E>;
    constexpr auto of = [](int lane) { return 3 * (lane / one) + First; };
    Vector<E> const two = __builtin_shufflevector(x, y, (of(I) < 2 * n ? of(I) * one + I % one : 0)...);
    return __builtin_shufflevector(two, z, (of(I) < 2 * n ? I : (of(I) - n) * one + I % one)...);
}
/// The Number-th vector of three whose elements take turns.
template <class E, int Number, int... I>
Vector<E> in_turns(Vector<E> x, Vector<E> y, Vector<E> z, std::integer_sequence<int, I...>) {
    constexpr int one = lanes_of_one<E>, n = lanes<E>;
    constexpr auto at = [](int lane) { return Number * n + lane / one; };
    Vector<E> const two =
        __builtin_shufflevector(x, y, (at(I) % 3 == 2 ? 0 : (at(I) / 3 + (at(I) % 3 == 1 ? n : 0)) * one + I % one)...);
    return __builtin_shufflevector(two, z, (at(I) % 3 == 2 ? (n + at(I) / 3) * one + I % one : I)...);
}

/// Of a strip of Count vectors, element by element of each lane: a vector for each element.
template <class E, int Count>
[[gnu::always_inline]] inline void take_apart(Vector<E> (&strip)[Count]) {
    constexpr std::make_integer_sequence<int, lanes<E> * lanes_of_one<E>> numbers;
    if constexpr (Count > 1) {
        constexpr int of = Count % 2 == 0 ? 2 : 3, each = Count / of;
        Vector<E> part[of][each];
        for (int k = 0; k < each; ++k) {
            Vector<E> const* const here = strip + of * k;
            if constexpr (of == 2) {
                part[0][k] = every_second<E>(here[0], here[1], 0, numbers);
                part[1][k] = every_second<E>(here[0], here[1], 1, numbers);
            } else {
                part[0][k] = every_third<E, 0>(here[0], here[1], here[2], numbers);
                part[1][k] = every_third<E, 1>(here[0], here[1], here[2], numbers);
                part[2][k] = every_third<E, 2>(here[0], here[1], here[2], numbers);
            }
        }
        for (int j = 0; j < of; ++j) {
            take_apart<E, each>(part[j]);
            for (int k = 0; k < each; ++k) strip[j + of * k] = part[j][k];
        }
    }
}
/// The other way.
template <class E, int Count>
[[gnu::always_inline]] inline void put_together(Vector<E> (&strip)[Count]) {
    constexpr std::make_integer_sequence<int, lanes<E> * lanes_of_one<E>> numbers;
    if constexpr (Count > 1) {
        constexpr int of = Count % 2 == 0 ? 2 : 3, each = Count / of;
        Vector<E> part[of][each];
        for (int j = 0; j < of; ++j) {
            for (int k = 0; k < each; ++k) part[j][k] = strip[j + of * k];
            put_together<E, each>(part[j]);
        }
        for (int k = 0; k < each; ++k) {
            Vector<E>* const here = strip + of * k;
            if constexpr (of == 2) {
                here[0] = merged<lanes_of_one<E>>(part[0][k], part[1][k], 0, numbers);
                here[1] = merged<lanes_of_one<E>>(part[0][k], part[1][k], 1, numbers);
            } else {
                here[0] = in_turns<E, 0>(part[0][k], part[1][k], part[2][k], numbers);
                here[1] = in_turns<E, 1>(part[0][k], part[1][k], part[2][k], numbers);
                here[2] = in_turns<E, 2>(part[0][k], part[1][k], part[2][k], numbers);
            }
        }
    }
}

/// Whole vectors of lanes, and then the others one by one.
template <class E, int Count>
void bring_strip(GateCall const& call, GatePiece const& piece, E* room) {
    E const* const from = static_cast<E const*>(call.from) + piece.at + call.in.lane[0];
    Index lane = 0;
    for (; lane + lanes<E> <= call.lanes; lane += lanes<E>) {
        Vector<E> strip[Count];
        for (int k = 0; k < Count; ++k) strip[k] = *(Anywhere<E> const*)(from + lane * Count + k * lanes<E>);
        take_apart<E, Count>(strip);
        for (int j = 0; j < Count; ++j) *(Anywhere<E>*)(room + piece.elements[j] * call.lanes_in_box + lane) = strip[j];
    }
    for (; lane < call.lanes; ++lane)
        for (int j = 0; j < Count; ++j) room[piece.elements[j] * call.lanes_in_box + lane] = from[lane * Count + j];
}
template <class E, int Count>
void leave_strip(GateCall const& call, GatePiece const& piece, E const* room) {
    E* const to = static_cast<E*>(call.to) + piece.at + call.out.lane[0];
    Index lane = 0;
    for (; lane + lanes<E> <= call.lanes; lane += lanes<E>) {
        Vector<E> strip[Count];
        for (int j = 0; j < Count; ++j)
            strip[j] = *(Anywhere<E> const*)(room + piece.elements[j] * call.lanes_in_box + lane);
        put_together<E, Count>(strip);
        for (int k = 0; k < Count; ++k) leave_lanes<E>(call, to + lane * Count + k * lanes<E>, lanes<E>, strip[k]);
    }
    for (; lane < call.lanes; ++lane)
        for (int j = 0; j < Count; ++j) {
            auto const value = line_of<E, 1>(room + piece.elements[j] * call.lanes_in_box + lane, 1);
            E* const there = to + lane * Count + j;
            set_line<E, 1>(there, 1, call.combine ? added<E>(value, line_of<E, 1>(there, 1)) : value);
        }
}

/// Calls use() with a strip's count.
template <class Use>
void with_strip(int count, Use const& use) {
    switch (count) {
        case 2: return use.template operator()<2>();
        case 3: return use.template operator()<3>();
        case 4: return use.template operator()<4>();
        case 6: return use.template operator()<6>();
        case 8: return use.template operator()<8>();
        case 9: return use.template operator()<9>();
        case 12: return use.template operator()<12>();
        case 16: return use.template operator()<16>();
        case 18: return use.template operator()<18>();
        case 24: return use.template operator()<24>();
        default: return use.template operator()<27>();
    }
}

// ---- boxes ----

/// Calls use() with the least side that a piece fits in.
template <class E, class Use>
void with_side(Index count, Use const& use) {
    if (count == 1) return use.template operator()<1>();
    if (count == 2) return use.template operator()<2>();
    if constexpr (lanes<E> >= 4)
        if (count <= 4) return use.template operator()<4>();
    if constexpr (lanes<E> >= 8)
        if (count <= 8) return use.template operator()<8>();
    if constexpr (lanes<E> >= 16) return use.template operator()<16>();
}

template <class E>
void bring(GateCall const& call, E* room) {
    if (call.in.runs == nullptr) {
        for (Index p = 0; p < call.in.pieces_count; ++p) {
            GatePiece const& piece = call.in.pieces[p];
            if (piece.strip)
                with_strip(piece.count, [&]<int Count>() { bring_strip<E, Count>(call, piece, room); });
            else
                with_side<E>(piece.count, [&]<int Side>() { bring_piece<E, Side>(call, piece, room); });
        }
        return;
    }
    for (Index e = 0; e < call.in.elements; ++e)
        for (GateRun const* run = call.in.runs; run->first < call.lanes; ++run) {
            E const* const from = static_cast<E const*>(call.from) + call.in.at[e] + run->at;
            E* const to = room + e * call.lanes_in_box + run->first;
            Index const count = at_most(run->count, call.lanes - run->first);
            Index done = 0;
            for (; done + lanes<E> <= count; done += lanes<E>)
                *(Anywhere<E>*)(to + done) = *(Anywhere<E> const*)(from + done);
            if (done < count) set_first_lanes<E>(to + done, count - done, first_lanes<E>(from + done, count - done));
        }
}

/// A box's results on their way to where they belong, some at a time: squares, strips, or all lanes of an element.
template <class E>
class Leaving {
public:
    explicit Leaving(GateCall const* call)
        : call_(call), room_(call == nullptr ? nullptr : static_cast<E const*>(call->out_room)) {}

    /// How many they are, about.
    Index parts() const {
        if (call_ == nullptr) return 0;
        return call_->out.runs != nullptr ? call_->out.elements
                                          : call_->out.pieces_count * parts_of(call_->lanes, lanes<E>);
    }
    void some(Index parts) {
        for (; parts > 0 && !done(); --parts) one();
    }
    void rest() {
        while (!done()) one();
    }

private:
    bool done() const {
        return call_ == nullptr ||
               next_ == (call_->out.runs != nullptr ? call_->out.elements : call_->out.pieces_count);
    }
    void one() {
        if (call_->out.runs != nullptr) return leave_element(next_++);
        GatePiece const& piece = call_->out.pieces[next_];
        if (piece.strip) {
            with_strip(piece.count, [&]<int Count>() { leave_strip<E, Count>(*call_, piece, room_); });
            ++next_;
            return;
        }
        with_side<E>(piece.count, [&]<int Side>() {
            leave_square<E, Side>(*call_, piece, room_, lane_);
            lane_ += Side;
        });
        if (lane_ < call_->lanes) return;
        lane_ = 0;
        ++next_;
    }
    void leave_element(Index element) const {
        for (GateRun const* run = call_->out.runs; run->first < call_->lanes; ++run) {
            E* const to = static_cast<E*>(call_->to) + call_->out.at[element] + run->at;
            E const* const from = room_ + element * call_->lanes_in_box + run->first;
            Index const count = at_most(run->count, call_->lanes - run->first);
            for (Index done = 0; done < count; done += lanes<E>)
                leave_lanes<E>(*call_, to + done, count - done, *(Anywhere<E> const*)(from + done));
        }
    }

    GateCall const* call_;
    E const* room_;
    Index next_ = 0, lane_ = 0;  // of pieces or elements
};

template <class E>
void finish(GateCall const* last) {
    Leaving<E>(last).rest();
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

template <class T, int Parts>
void run_box(GateCall const& call) {
    using E = ElementOf<T, Parts>;
    E* const in_room = static_cast<E*>(call.in_room);
    if (!call.in.direct) bring<E>(call, in_room);
    Vectors<E const> const in = call.in.direct ? Vectors<E const>{static_cast<E const*>(call.from), call.in.at, 0}
                                               : Vectors<E const>{in_room, nullptr, call.lanes_in_box};
    Vectors<E> const out = call.out.direct ? Vectors<E>{static_cast<E*>(call.to), call.out.at, 0}
                                           : Vectors<E>{static_cast<E*>(call.out_room), nullptr, call.lanes_in_box};
    Leaving<E> leaving(call.before);
    Index const a_tile = parts_of(leaving.parts(), tiles_of_a_box<Parts>(call, lanes<E>));
    multiply_box<T, Parts>(call, in, out, [&] { leaving.some(a_tile); });
    leaving.rest();
    if (call.leave_at_once && call.ends) finish<E>(&call);
}

template <class T, int Parts>
void run(GateCall const& call) {
    if constexpr (Parts == 1) {
        run_box<T, Parts>(call);
    } else {
        ComplexFactors<T> const factors(1, call.conjugate_matrix, call.conjugate_large);
        GateCall with_factors = call;
        with_factors.factors = &factors;
        run_box<T, Parts>(with_factors);
    }
}

template <class T, int Parts>
GateLoops loops() {
    using E = ElementOf<T, Parts>;
    if constexpr (!fused)
        return {};
    else
        return {run<T, Parts>, finish<E>, lanes<E>, gate_columns<Parts>};
}

}  // namespace

GateLoops gate_loops(DType type) {
    switch (type) {
        case DType::f32: return loops<float, 1>();
        case DType::f64: return loops<double, 1>();
        case DType::i32: return loops<std::int32_t, 1>();
        case DType::c64: return loops<float, 2>();
        case DType::c128: return loops<double, 2>();
        default: return {};
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
