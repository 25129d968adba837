// The loops of gate_loops.hpp for one instruction set, whose name is EIN_INSTRUCTION_SET: compiled as pair_loops.cpp
// is.
#include "executor/device/cpu/gemm/gate_loops.hpp"

#include "executor/device/cpu/gemm/gate_multiply.hpp"
#include "executor/device/cpu/gemm/pair_rows.hpp"
#include "executor/device/cpu/gemm/pair_squares.hpp"

namespace ein::executor::EIN_INSTRUCTION_SET {
namespace {

/// The first `count` elements of a line, in a vector of Side; what is behind them is not read.
template <class T, int Side>
auto line_of(T const* from, Index count) {
    typedef T Held __attribute__((vector_size(Side * sizeof(T))));
    Held line{};
    if (count == Side) {
        __builtin_memcpy(&line, from, sizeof line);
        return line;
    }
    if constexpr (Side == lanes<T>) return (Held)first_lanes<T>(from, count);
#if defined(__AVX512F__)
    if constexpr (Side * sizeof(T) == 32 || Side * sizeof(T) == 16) {
        auto const some = (__mmask8)((1u << count) - 1);
        if constexpr (Side == 8) return (Held)_mm256_maskz_loadu_epi32(some, from);
        if constexpr (Side == 4 && sizeof(T) == 8) return (Held)_mm256_maskz_loadu_epi64(some, from);
        if constexpr (Side == 4 && sizeof(T) == 4) return (Held)_mm_maskz_loadu_epi32(some, from);
    }
#endif
    for (Index k = 0; k < count; ++k) line[k] = from[k];
    return line;
}

/// Its first `count` elements to memory; others there stay.
template <class T, int Side, class Held>
void set_line(T* to, Index count, Held const& line) {
    if (count == Side) return (void)__builtin_memcpy(to, &line, sizeof line);
    if constexpr (Side == lanes<T>) return set_first_lanes<T>(to, count, (Vector<T>)line);
#if defined(__AVX512F__)
    auto const some = (__mmask8)((1u << count) - 1);
    if constexpr (Side == 8 && sizeof(T) == 4) return _mm256_mask_storeu_epi32(to, some, (__m256i)line);
    if constexpr (Side == 4 && sizeof(T) == 8) return _mm256_mask_storeu_epi64(to, some, (__m256i)line);
    if constexpr (Side == 4 && sizeof(T) == 4) return _mm_mask_storeu_epi32(to, some, (__m128i)line);
#endif
    for (Index k = 0; k < count; ++k) to[k] = line[k];
}

/// A piece of a box, its elements in the lanes of vectors.
template <class T, int Side>
void bring_piece(GateCall const& call, GatePiece const& piece, T* room) {
    T const* const from = static_cast<T const*>(call.from) + piece.at;
    Seen<T> unused;
    for (Index lane = 0; lane < call.lanes; lane += Side) {
        T const* line[Side];
        for (int i = 0; i < Side; ++i) line[i] = from + call.in.lane[at_most(lane + i, call.lanes - 1)];
        turn_lines<T, Side, false>([&](int i) { return line_of<T, Side>(line[i], piece.count); },
                                   [&](int j, auto const& turned) {
                                       if (j >= piece.count) return;
                                       T* const to = room + piece.elements[j] * call.lanes_in_box + lane;
                                       __builtin_memcpy(to, &turned, sizeof turned);
                                   },
                                   unused);
    }
}
/// Some lanes of it, from the box's working memory.
template <class T, int Side>
void leave_square(GateCall const& call, GatePiece const& piece, T const* room, Index lane) {
    typedef T Held __attribute__((vector_size(Side * sizeof(T))));
    T* const to = static_cast<T*>(call.to) + piece.at;
    Seen<T> unused;
    turn_lines<T, Side, false>(
        [&](int i) {
            Held line;
            int const element = piece.elements[i < piece.count ? i : 0];
            __builtin_memcpy(&line, room + element * call.lanes_in_box + lane, sizeof line);
            return line;
        },
        [&](int j, Held line) {
            if (lane + j >= call.lanes) return;
            T* const there = to + call.out.lane[lane + j];
            if constexpr (Side == lanes<T>) return leave_lanes<T>(call, there, piece.count, (Vector<T>)line);
            if (call.combine) line += line_of<T, Side>(there, piece.count);
            set_line<T, Side>(there, piece.count, line);
        },
        unused);
}

// ---- strips ----

/// Element 3i + First of three vectors, for each lane i.
template <class T, int First, int... I>
Vector<T> every_third(Vector<T> x, Vector<T> y, Vector<T> z, std::integer_sequence<int, I...>) {
    constexpr int n = lanes<T>;
    Vector<T> const two = __builtin_shufflevector(x, y, (3 * I + First < 2 * n ? 3 * I + First : 0)...);
    return __builtin_shufflevector(two, z, (3 * I + First < 2 * n ? I : 3 * I + First - n)...);
}
/// The Number-th vector of three whose elements take turns.
template <class T, int Number, int... I>
Vector<T> in_turns(Vector<T> x, Vector<T> y, Vector<T> z, std::integer_sequence<int, I...>) {
    constexpr int n = lanes<T>, from = Number * n;
    Vector<T> const two =
        __builtin_shufflevector(x, y, ((from + I) % 3 == 2 ? 0 : (from + I) / 3 + ((from + I) % 3 == 1 ? n : 0))...);
    return __builtin_shufflevector(two, z, ((from + I) % 3 == 2 ? n + (from + I) / 3 : I)...);
}

/// Of a strip of Count vectors, element by element of each lane: a vector for each element.
template <class T, int Count>
[[gnu::always_inline]] inline void take_apart(Vector<T> (&strip)[Count]) {
    constexpr std::make_integer_sequence<int, lanes<T>> numbers;
    if constexpr (Count > 1) {
        constexpr int of = Count % 2 == 0 ? 2 : 3, each = Count / of;
        Vector<T> part[of][each];
        for (int k = 0; k < each; ++k) {
            Vector<T> const* const here = strip + of * k;
            if constexpr (of == 2) {
                part[0][k] = every_second<T>(here[0], here[1], 0, numbers);
                part[1][k] = every_second<T>(here[0], here[1], 1, numbers);
            } else {
                part[0][k] = every_third<T, 0>(here[0], here[1], here[2], numbers);
                part[1][k] = every_third<T, 1>(here[0], here[1], here[2], numbers);
                part[2][k] = every_third<T, 2>(here[0], here[1], here[2], numbers);
            }
        }
        for (int j = 0; j < of; ++j) {
            take_apart<T, each>(part[j]);
            for (int k = 0; k < each; ++k) strip[j + of * k] = part[j][k];
        }
    }
}
/// The other way.
template <class T, int Count>
[[gnu::always_inline]] inline void put_together(Vector<T> (&strip)[Count]) {
    constexpr std::make_integer_sequence<int, lanes<T>> numbers;
    if constexpr (Count > 1) {
        constexpr int of = Count % 2 == 0 ? 2 : 3, each = Count / of;
        Vector<T> part[of][each];
        for (int j = 0; j < of; ++j) {
            for (int k = 0; k < each; ++k) part[j][k] = strip[j + of * k];
            put_together<T, each>(part[j]);
        }
        for (int k = 0; k < each; ++k) {
            Vector<T>* const here = strip + of * k;
            if constexpr (of == 2) {
                here[0] = merged(part[0][k], part[1][k], 0, numbers);
                here[1] = merged(part[0][k], part[1][k], 1, numbers);
            } else {
                here[0] = in_turns<T, 0>(part[0][k], part[1][k], part[2][k], numbers);
                here[1] = in_turns<T, 1>(part[0][k], part[1][k], part[2][k], numbers);
                here[2] = in_turns<T, 2>(part[0][k], part[1][k], part[2][k], numbers);
            }
        }
    }
}

/// Whole vectors of lanes, and then the others one by one.
template <class T, int Count>
void bring_strip(GateCall const& call, GatePiece const& piece, T* room) {
    T const* const from = static_cast<T const*>(call.from) + piece.at + call.in.lane[0];
    Index lane = 0;
    for (; lane + lanes<T> <= call.lanes; lane += lanes<T>) {
        Vector<T> strip[Count];
        for (int k = 0; k < Count; ++k) strip[k] = *(Anywhere<T> const*)(from + lane * Count + k * lanes<T>);
        take_apart<T, Count>(strip);
        for (int j = 0; j < Count; ++j) *(Anywhere<T>*)(room + piece.elements[j] * call.lanes_in_box + lane) = strip[j];
    }
    for (; lane < call.lanes; ++lane)
        for (int j = 0; j < Count; ++j) room[piece.elements[j] * call.lanes_in_box + lane] = from[lane * Count + j];
}
template <class T, int Count>
void leave_strip(GateCall const& call, GatePiece const& piece, T const* room) {
    T* const to = static_cast<T*>(call.to) + piece.at + call.out.lane[0];
    Index lane = 0;
    for (; lane + lanes<T> <= call.lanes; lane += lanes<T>) {
        Vector<T> strip[Count];
        for (int j = 0; j < Count; ++j)
            strip[j] = *(Anywhere<T> const*)(room + piece.elements[j] * call.lanes_in_box + lane);
        put_together<T, Count>(strip);
        for (int k = 0; k < Count; ++k) leave_lanes<T>(call, to + lane * Count + k * lanes<T>, lanes<T>, strip[k]);
    }
    for (; lane < call.lanes; ++lane)
        for (int j = 0; j < Count; ++j) {
            T* const there = to + lane * Count + j;
            T const value = room[piece.elements[j] * call.lanes_in_box + lane];
            *there = call.combine ? *there + value : value;
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
template <class T, class Use>
void with_side(Index count, Use const& use) {
    if (count == 1) return use.template operator()<1>();
    if (count == 2) return use.template operator()<2>();
    if constexpr (lanes<T> >= 4)
        if (count <= 4) return use.template operator()<4>();
    if constexpr (lanes<T> >= 8)
        if (count <= 8) return use.template operator()<8>();
    if constexpr (lanes<T> >= 16) return use.template operator()<16>();
}

template <class T>
void bring(GateCall const& call, T* room) {
    if (call.in.runs == nullptr) {
        for (Index p = 0; p < call.in.pieces_count; ++p) {
            GatePiece const& piece = call.in.pieces[p];
            if (piece.strip)
                with_strip(piece.count, [&]<int Count>() { bring_strip<T, Count>(call, piece, room); });
            else
                with_side<T>(piece.count, [&]<int Side>() { bring_piece<T, Side>(call, piece, room); });
        }
        return;
    }
    for (Index e = 0; e < call.in.elements; ++e)
        for (GateRun const* run = call.in.runs; run->first < call.lanes; ++run) {
            T const* const from = static_cast<T const*>(call.from) + call.in.at[e] + run->at;
            T* const to = room + e * call.lanes_in_box + run->first;
            Index const count = at_most(run->count, call.lanes - run->first);
            Index done = 0;
            for (; done + lanes<T> <= count; done += lanes<T>)
                *(Anywhere<T>*)(to + done) = *(Anywhere<T> const*)(from + done);
            if (done < count) set_first_lanes<T>(to + done, count - done, first_lanes<T>(from + done, count - done));
        }
}

/// A box's results on their way to where they belong, some at a time: squares, strips, or all lanes of an element.
template <class T>
class Leaving {
public:
    explicit Leaving(GateCall const* call)
        : call_(call), room_(call == nullptr ? nullptr : static_cast<T const*>(call->out_room)) {}

    /// How many they are, about.
    Index parts() const {
        if (call_ == nullptr) return 0;
        return call_->out.runs != nullptr ? call_->out.elements
                                          : call_->out.pieces_count * parts_of(call_->lanes, lanes<T>);
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
            with_strip(piece.count, [&]<int Count>() { leave_strip<T, Count>(*call_, piece, room_); });
            ++next_;
            return;
        }
        with_side<T>(piece.count, [&]<int Side>() {
            leave_square<T, Side>(*call_, piece, room_, lane_);
            lane_ += Side;
        });
        if (lane_ < call_->lanes) return;
        lane_ = 0;
        ++next_;
    }
    void leave_element(Index element) const {
        for (GateRun const* run = call_->out.runs; run->first < call_->lanes; ++run) {
            T* const to = static_cast<T*>(call_->to) + call_->out.at[element] + run->at;
            T const* const from = room_ + element * call_->lanes_in_box + run->first;
            Index const count = at_most(run->count, call_->lanes - run->first);
            for (Index done = 0; done < count; done += lanes<T>)
                leave_lanes<T>(*call_, to + done, count - done, *(Anywhere<T> const*)(from + done));
        }
    }

    GateCall const* call_;
    T const* room_;
    Index next_ = 0, lane_ = 0;  // of pieces or elements
};

template <class T>
void finish(GateCall const* last) {
    Leaving<T>(last).rest();
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

template <class T, int Parts>
void run(GateCall const& call) {
    T* const in_room = static_cast<T*>(call.in_room);
    if (!call.in.direct) bring<T>(call, in_room);
    Vectors<T const> const in = call.in.direct ? Vectors<T const>{static_cast<T const*>(call.from), call.in.at, 0}
                                               : Vectors<T const>{in_room, nullptr, call.lanes_in_box};
    Vectors<T> const out = call.out.direct ? Vectors<T>{static_cast<T*>(call.to), call.out.at, 0}
                                           : Vectors<T>{static_cast<T*>(call.out_room), nullptr, call.lanes_in_box};
    Leaving<T> leaving(call.before);
    Index const a_tile = parts_of(leaving.parts(), tiles_of_a_box<Parts>(call, lanes<T>));
    multiply_box<T, Parts>(call, in, out, [&] { leaving.some(a_tile); });
    leaving.rest();
    if (call.leave_at_once && call.ends) finish<T>(&call);
}

template <class T, int Parts>
GateLoops loops() {
    if constexpr (!fused)
        return {};
    else
        return {run<T, Parts>, finish<T>, lanes<T>, gate_columns<Parts>};
}

}  // namespace

GateLoops gate_loops(DType type) {
    switch (type) {
        case DType::f32: return loops<float, 1>();
        case DType::f64: return loops<double, 1>();
        case DType::c64: return loops<float, 2>();
        case DType::c128: return loops<double, 2>();
        default: return {};
    }
}

}  // namespace ein::executor::EIN_INSTRUCTION_SET
