#include "lib/scalar/jit/trace.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ein::scalar::jit {
namespace {

#include "lib/scalar/kernels/kernel_format.hpp"
#include "lib/scalar/kernels/kernel_integers.hpp"
#include "lib/scalar/kernels/kernel_math.hpp"
#include "lib/scalar/kernels/kernel_ops.hpp"
#include "lib/scalar/kernels/kernel_powers.hpp"
#include "lib/scalar/kernels/kernel_rows.hpp"

/// Where operations on traced values go.
thread_local LaneCode* recorder = nullptr;

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

template <class T>
class Tracer {
public:
    Tracer(Program::Code const& program, DType type, Arguments arguments, DType to)
        : program_(program),
          code_(type),
          arguments_(arguments),
          to_(to),
          values_(static_cast<std::size_t>(program.values)) {
        recorder = &code_;
    }
    ~Tracer() { recorder = nullptr; }

    std::optional<LaneCode> run() {
        if (program_.result_dtype != code_.type()) return std::nullopt;
        for (Program::Code::Operand const& operand : program_.operands)
            at(operand.value) = {Kind::number, code_.operand(operand.number)};
        for (Program::Code::Constant const& constant : program_.constants) {
            Bits<T> bits = 0;
            std::memcpy(&bits, constant.bits, sizeof bits);
            at(constant.value) = {Kind::number, code_.constant(bits)};
        }
        for (Instruction const& made : program_.instructions) {
            at(made.out) = value_of(made);
            if (at(made.out).kind == Kind::none) return std::nullopt;
        }
        if (at(program_.result).kind != Kind::number) return std::nullopt;
        code_.result = at(program_.result).value;
        if constexpr (sizeof(T) == 4)
            if (to_ != code_.type()) code_.result = stored(number(program_.result));
        return std::move(code_);
    }

private:
    using Lane = Traced<T>;
    enum class Kind { none, number, mask };
    struct Value {
        Kind kind = Kind::none;
        int value = -1;
    };
    static constexpr int number_of_type = sizeof(T) == 4 ? 0 : 1;

    Value& at(int value) { return values_[static_cast<std::size_t>(value)]; }
    bool is(int value, Kind kind) { return value >= 0 && at(value).kind == kind; }
    Lane number(int value) { return Lane(typename Lane::Number{at(value).value}); }
    TracedMask mask(int value) { return {at(value).value}; }
    static Value of(Lane made) { return {Kind::number, made.value}; }
    static Value of(TracedMask made) { return {Kind::mask, made.value}; }

    Value value_of(Instruction const& made) {
        using Meaning = Instruction::Meaning;
        if (made.form == Instruction::Form::select) {
            bool const picks = is(made.a, Kind::mask) && is(made.b, Kind::number) && is(made.c, Kind::number);
            return picks && made.number == number_of_type ? of(pick(mask(made.a), number(made.b), number(made.c)))
                                                          : Value{};
        }
        if (made.meaning == Meaning::other) return {};
        if (made.meaning == Meaning::truth)
            return is(made.a, Kind::mask)     ? at(made.a)
                   : is(made.a, Kind::number) ? of(IsTrue::of(number(made.a)))
                                              : Value{};
        if (made.meaning == Meaning::conversion)
            return is(made.a, Kind::mask) && made.number == number_of_type ? of(pick(mask(made.a), Lane(1), Lane(0)))
                                                                           : Value{};
        if (is(made.a, Kind::mask)) return of_masks(made);
        if (!is(made.a, Kind::number) || made.number != number_of_type) return {};
        if (made.form == Instruction::Form::unary) return of_number(made.op, number(made.a));
        return is(made.b, Kind::number) ? of_numbers(made.op, number(made.a), number(made.b)) : Value{};
    }

    Value of_masks(Instruction const& made) {
        if (made.op == Op::logical_not) return of(!mask(made.a));
        if (!is(made.b, Kind::mask)) return {};
        if (made.op == Op::logical_and) return of(mask(made.a) & mask(made.b));
        if (made.op == Op::logical_or) return of(mask(made.a) | mask(made.b));
        return {};
    }

    template <class F>
    Value by_range(Lane a) {
        if (arguments_ == Arguments::any) return of(F::template of<Range::whole>(a));
        TracedMask const beyond = Lane::compared(LaneOp::beyond, absolute(a), Lane(F::template moderate<T>));
        code_.refused = code_.refused < 0 ? beyond.value : (TracedMask{code_.refused} | beyond).value;
        return of(F::template of<Range::moderate>(a));
    }

    template <class... Rows>
    Value functions(VectorRows<Rows...>, Op op, Lane a) {
        Value made;
        static_cast<void>(((op == Rows::of_op && (made = of(Rows::Function::of(a)), true)) || ...));
        return made;
    }

    template <class... Rows>
    Value ranged_functions(VectorRows<Rows...>, Op op, Lane a) {
        Value made;
        static_cast<void>(((op == Rows::of_op && (made = by_range<typename Rows::Function>(a), true)) || ...));
        return made;
    }

    template <class... Rows>
    Value operators(VectorRows<Rows...>, Op op, Lane a, Lane b) {
        Value made;
        static_cast<void>(((op == Rows::of_op && (made = of(Rows::Function::of(a, b)), true)) || ...));
        return made;
    }

    Value of_number(Op op, Lane a) {
        Value const made = functions(RealFunctions{}, op, a);
        return made.kind == Kind::none ? ranged_functions(RangedFunctions{}, op, a) : made;
    }

    Value of_numbers(Op op, Lane a, Lane b) {
        Value const made = operators(RealOperators{}, op, a, b);
        return made.kind == Kind::none ? operators(Comparisons{}, op, a, b) : made;
    }

    /// The lanes of a number of another type, with the rounding of lib/tensor. What is beyond 32 bits has no low bits.
    int stored(Lane a) {
        TracedBits<T> const bits = bits_of(a);
        TracedMask const is_nan = Lane::compared(LaneOp::not_equal, a, a);
        auto const chosen = [](TracedMask mask, TracedBits<T> yes, TracedBits<T> no) {
            return TracedBits<T>(
                typename TracedBits<T>::Number{recorder->apply(LaneOp::pick, mask.value, yes.value, no.value)});
        };
        if (to_ == DType::bf16) {
            TracedBits<T> const rounded = bits + TracedBits<T>(0x7fffu) + ((bits >> 16) & TracedBits<T>(1u));
            return (chosen(is_nan, bits | TracedBits<T>(0x400000u), rounded) >> 16).value;
        }
        if (to_ == DType::f16) {
            TracedBits<T> const sign = bits & TracedBits<T>(0x80000000u);
            return chosen(is_nan, sign | TracedBits<T>(0x7fc00000u), bits).value;
        }
        if (to_ == DType::boolean)
            return chosen(Lane::compared(LaneOp::not_equal, a, Lane(0)), TracedBits<T>(1u), TracedBits<T>(0u)).value;
        TracedBits<T> const whole(typename TracedBits<T>::Number{recorder->apply(LaneOp::truncate, a.value)});
        return (whole & TracedBits<T>(0xffu)).value;
    }

    Program::Code const& program_;
    LaneCode code_;
    Arguments arguments_;
    DType to_;
    std::vector<Value> values_;
};

}  // namespace

std::optional<LaneCode> trace(Program::Code const& program, DType type, Arguments arguments, DType to) {
    if (type == DType::f32) return Tracer<float>(program, type, arguments, to).run();
    if (type == DType::f64) return Tracer<double>(program, type, arguments, to).run();
    return std::nullopt;
}

}  // namespace ein::scalar::jit
