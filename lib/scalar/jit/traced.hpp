// Numbers, their bits and masks whose operations are recorded instead of done, so that the functions of kernel_ops.hpp
// and kernel_math.hpp, called with them, write down what they compute. Included, as it is, behind these in the unnamed
// namespace of trace.cpp. Example: Traced<float>(x) * 2 records LaneOp::mul of x and the constant 2.
#pragma once

/// Where operations on traced values go.
inline thread_local LaneCode* recorder = nullptr;

struct TracedMask {
    int value;

    friend TracedMask operator|(TracedMask a, TracedMask b) {
        return {recorder->apply(LaneOp::mask_or, a.value, b.value)};
    }
    friend TracedMask operator&(TracedMask a, TracedMask b) {
        return {recorder->apply(LaneOp::mask_and, a.value, b.value)};
    }
    friend TracedMask operator!(TracedMask a) { return {recorder->apply(LaneOp::mask_not, a.value)}; }
};

template <class T>
struct TracedBits {
    using Raw = Bits<T>;
    struct Number {
        int value;
    };
    int value;

    explicit TracedBits(Number number) : value(number.value) {}
    TracedBits(Raw raw) : value(recorder->constant(raw)) {}

    static TracedBits made(LaneOp op, TracedBits a, TracedBits b) {
        return TracedBits(Number{recorder->apply(op, a.value, b.value)});
    }
    friend TracedBits operator&(TracedBits a, TracedBits b) { return made(LaneOp::bit_and, a, b); }
    friend TracedBits operator|(TracedBits a, TracedBits b) { return made(LaneOp::bit_or, a, b); }
    friend TracedBits operator+(TracedBits a, TracedBits b) { return made(LaneOp::add_bits, a, b); }
    friend TracedBits operator-(TracedBits a, TracedBits b) { return made(LaneOp::sub_bits, a, b); }
    friend TracedBits operator<<(TracedBits a, int places) {
        return TracedBits(Number{recorder->shifted(LaneOp::shift_left, a.value, places)});
    }
    friend TracedBits operator>>(TracedBits a, int places) {
        return TracedBits(Number{recorder->shifted(LaneOp::shift_right, a.value, places)});
    }
};

/// A number whose operations are recorded instead of done.
template <class T>
struct Traced {
    struct Number {
        int value;
    };
    int value;

    explicit Traced(Number number) : value(number.value) {}
    Traced(T constant) : value(recorder->constant(::ein::scalar::jit::bits_of(constant))) {}

    static Traced made(LaneOp op, Traced a, Traced b) { return Traced(Number{recorder->apply(op, a.value, b.value)}); }
    static Traced made(LaneOp op, Traced a) { return Traced(Number{recorder->apply(op, a.value)}); }
    static TracedMask compared(LaneOp op, Traced a, Traced b) { return {recorder->apply(op, a.value, b.value)}; }

    friend Traced operator+(Traced a, Traced b) { return made(LaneOp::add, a, b); }
    friend Traced operator-(Traced a, Traced b) { return made(LaneOp::sub, a, b); }
    friend Traced operator*(Traced a, Traced b) { return made(LaneOp::mul, a, b); }
    friend Traced operator/(Traced a, Traced b) { return made(LaneOp::div, a, b); }
    friend Traced operator-(Traced a) { return made(LaneOp::bit_xor, a, Traced(T(-0.0))); }
    friend TracedMask operator<(Traced a, Traced b) { return compared(LaneOp::less, a, b); }
    friend TracedMask operator<=(Traced a, Traced b) { return compared(LaneOp::less_equal, a, b); }
    friend TracedMask operator>(Traced a, Traced b) { return compared(LaneOp::less, b, a); }
    friend TracedMask operator>=(Traced a, Traced b) { return compared(LaneOp::less_equal, b, a); }
    friend TracedMask operator==(Traced a, Traced b) { return compared(LaneOp::equal, a, b); }
    friend TracedMask operator!=(Traced a, Traced b) { return compared(LaneOp::not_equal, a, b); }
    friend Traced fused(Traced a, Traced b, Traced c) {
        return Traced(Number{recorder->apply(LaneOp::fused, a.value, b.value, c.value)});
    }
    friend Traced pick(TracedMask condition, Traced a, Traced b) {
        return Traced(Number{recorder->apply(LaneOp::pick, condition.value, a.value, b.value)});
    }
    friend Traced floor_of(Traced a) { return made(LaneOp::floor, a); }
    friend Traced ceil_of(Traced a) { return made(LaneOp::ceil, a); }
    friend Traced nearest_of(Traced a) { return made(LaneOp::rint, a); }
    friend Traced root_of(Traced a) { return made(LaneOp::sqrt, a); }
    friend TracedBits<T> bits_of(Traced a) { return TracedBits<T>(typename TracedBits<T>::Number{a.value}); }
};

template <class T>
struct Format<Traced<T>> : Format<T> {
    using Number = T;
    using Bits = TracedBits<T>;
};
template <class T>
struct FromBits<Traced<T>> {
    static Traced<T> of(TracedBits<T> bits) { return Traced<T>(typename Traced<T>::Number{bits.value}); }
};
template <class T>
struct TruthOf<Traced<T>> {
    using Type = TracedMask;
};
