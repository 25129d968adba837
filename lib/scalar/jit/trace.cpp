#include "lib/scalar/jit/trace.hpp"

#include <algorithm>
#include <cmath>
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

#include "lib/scalar/jit/traced.hpp"

template <class T>
class Tracer {
public:
    Tracer(Program::Code const& program, DType type, Arguments arguments, VectorLoop::Use const& use, DType to)
        : program_(program),
          code_(type),
          arguments_(arguments),
          use_(use),
          to_(to),
          values_(static_cast<std::size_t>(program.values)) {
        recorder = &code_;
    }
    ~Tracer() { recorder = nullptr; }

    std::optional<LaneCode> run() {
        for (Program::Code::Operand const& operand : program_.operands) {
            at(operand.value) = program_.registers == code_.type() ? Value{Kind::number, code_.operand(operand.number)}
                                                                   : whole_operand(operand.number);
            if (at(operand.value).kind == Kind::none) return std::nullopt;
        }
        for (Program::Code::Constant const& constant : program_.constants) at(constant.value) = value_of(constant);
        for (Instruction const& made : program_.instructions) {
            at(made.out) = value_of(made);
            if (at(made.out).kind == Kind::none) return std::nullopt;
        }
        code_.result = result();
        if (code_.result < 0) return std::nullopt;
        return std::move(code_);
    }

private:
    using Lane = Traced<T>;
    enum class Kind { none, number, mask, whole };
    struct Value {
        Kind kind = Kind::none;
        int value = -1;
        double most = 0;       // of a whole number: its magnitude
        bool fits = false;     // the lane is the number; else only its low bits
        bool clamped = false;  // to 32 bits: it is no smaller or larger than what it is compared with unless it was
    };
    static constexpr double beyond_lanes = 0x1p31, comparable = 0x1p30;
    static constexpr int number_of_type = sizeof(T) == 4 ? 0 : 1;

    Value& at(int value) { return values_[static_cast<std::size_t>(value)]; }
    bool is(int value, Kind kind) { return value >= 0 && at(value).kind == kind; }
    Lane number(int value) { return Lane(typename Lane::Number{at(value).value}); }
    TracedMask mask(int value) { return {at(value).value}; }
    static Value of(Lane made) { return {Kind::number, made.value}; }
    static Value of(TracedMask made) { return {Kind::mask, made.value}; }

    int result() {
        Value const& made = at(program_.result);
        if (program_.result_dtype == code_.type()) {
            if (made.kind != Kind::number) return -1;
            if constexpr (sizeof(T) == 4)
                if (to_ != code_.type()) return stored(number(program_.result));
            return made.value;
        }
        if constexpr (sizeof(T) == 4) {
            bool const holds = is_exact(to_) && (size_of(to_) < 4 || to_ == DType::i32);
            if (made.kind == Kind::whole && holds && to_ == program_.result_dtype)
                return size_of(to_) == 4 ? made.value : low_bits(made.value, 8 * static_cast<int>(size_of(to_))).value;
            if (made.kind == Kind::mask && program_.result_dtype == DType::boolean && use_.to) {
                if (holds) return whole(program_.result).value;
                Lane const truth = pick(mask(program_.result), Lane(1), Lane(0));
                if (to_ == DType::f32) return truth.value;
                if (to_ == DType::f16 || to_ == DType::bf16) return stored(truth);
            }
        }
        return -1;
    }

    Value value_of(Program::Code::Constant const& constant) {
        if (constant.registers == DType::i64 && sizeof(T) == 4) {
            std::int64_t number = 0;
            std::memcpy(&number, constant.bits, sizeof number);
            return whole_constant(number);
        }
        Bits<T> bits = 0;
        std::memcpy(&bits, constant.bits, sizeof bits);
        return {Kind::number, code_.constant(bits)};
    }

    // ---- whole numbers, as i64 registers hold them ----

    static Value whole(int value, double most) { return {Kind::whole, value, most, most < beyond_lanes, false}; }
    static Value i32_lane(int value) { return {Kind::whole, value, beyond_lanes, true, false}; }
    Value whole_constant(std::int64_t number) {
        return whole(code_.constant(static_cast<std::uint32_t>(number)), std::abs(static_cast<double>(number)));
    }
    static bool is_exact_in_lane(Value const& value) {
        return value.kind == Kind::whole && value.fits && !value.clamped;
    }

    Value whole_operand(int number) {
        auto const place = static_cast<std::size_t>(number);
        if (sizeof(T) != 4 || program_.registers != DType::i64 || use_.labels == 0) return {};
        DType const type = place < use_.from.size() ? use_.from[place].value_or(DType::i64) : DType::i64;
        bool const clamps = type == DType::i64 && use_.constant[place];
        if (!is_exact(type) || (type == DType::i64 && !clamps)) return {};
        int const lane = code_.whole_operand(number);
        Value made =
            size_of(type) >= 4 ? i32_lane(lane) : whole(lane, std::ldexp(1.0, 8 * static_cast<int>(size_of(type))));
        made.clamped = clamps;
        return made;
    }

    /// A truth value is 0 or 1 where a number is asked for.
    Value whole(int value) {
        if (!is(value, Kind::mask)) return at(value);
        int const one = code_.constant(1), zero = code_.constant(0);
        return whole(code_.apply(LaneOp::pick, at(value).value, one, zero), 1);
    }
    Value low_bits(int value, int count) {
        return whole(code_.apply(LaneOp::bit_and, value, code_.constant((std::uint64_t{1} << count) - 1)),
                     std::ldexp(1.0, count) - 1);
    }

    TracedMask greater(Value a, Value b) { return {code_.apply(LaneOp::whole_greater, a.value, b.value)}; }
    TracedMask equal(Value a, Value b) { return {code_.apply(LaneOp::whole_equal, a.value, b.value)}; }
    Value chosen(TracedMask mask, Value a, Value b) {
        int const lane = code_.apply(LaneOp::pick, mask.value, a.value, b.value);
        return {Kind::whole, lane, std::max(a.most, b.most), a.fits && b.fits, false};
    }

    Value wrapped(Value a, DType to) {
        if (a.kind != Kind::whole || a.clamped) return {};
        if (to == DType::boolean) return a.fits ? of(!equal(a, whole_constant(0))) : Value{};
        int const bits = 8 * static_cast<int>(size_of(to));
        if (to == DType::u8) return low_bits(a.value, bits);
        double const most = std::ldexp(1.0, bits - 1);
        if (a.most < most) return a;
        if (bits == 32) return i32_lane(a.value);
        if (bits > 32) return {};
        int const high = code_.shifted(LaneOp::shift_left, a.value, 32 - bits);
        return whole(code_.shifted(LaneOp::shift_signed, high, 32 - bits), most);
    }

    /// Lanes of a value that was clamped are compared as it would be with what is far from their ends.
    static bool are_comparable(Value const& a, Value const& b) {
        if (!a.clamped && !b.clamped) return a.fits && b.fits;
        return (is_exact_in_lane(b) && b.most < comparable) || (is_exact_in_lane(a) && a.most < comparable);
    }

    /// By a number, of which a lane's quotient in f32 is wrong by what rounding lost of it: what is left is below 2^10
    /// and some divisors, and its quotient wrong by one at most. With the sign of the divisor.
    Value remainder(Value a, Value b) {
        LaneValue const& number = code_.at(b.value);
        auto const divisor = static_cast<std::int32_t>(static_cast<std::uint32_t>(number.bits));
        constexpr std::int32_t most = 1 << 20;
        if (number.op != LaneOp::constant || !is_exact_in_lane(a) || !is_exact_in_lane(b) || b.most >= most) return {};
        std::int32_t const size = std::abs(divisor);
        if (size <= 1) return whole_constant(0);
        Lane const inverse(static_cast<T>(1) / static_cast<T>(divisor));
        int const near = less_quotients(less_quotients(a.value, b.value, inverse), b.value, inverse);
        Value const zero = whole_constant(0), divided = whole_constant(size);
        Value sized = divisor < 0 ? i32_lane(code_.apply(LaneOp::sub_bits, zero.value, near)) : i32_lane(near);
        Value const lifted = i32_lane(code_.apply(LaneOp::add_bits, sized.value, divided.value));
        sized = chosen(greater(zero, sized), lifted, sized);
        Value const lowered = i32_lane(code_.apply(LaneOp::sub_bits, sized.value, divided.value));
        int const rest = chosen(greater(divided, sized), sized, lowered).value;
        return whole(divisor < 0 ? code_.apply(LaneOp::sub_bits, zero.value, rest) : rest, size - 1);
    }
    int less_quotients(int a, int divisor, Lane inverse) {
        Lane const number(typename Lane::Number{code_.apply(LaneOp::from_whole, a)});
        int const quotient = code_.apply(LaneOp::truncate, floor_of(number * inverse).value);
        return code_.apply(LaneOp::sub_bits, a, code_.apply(LaneOp::mul_bits, quotient, divisor));
    }

    Value of_wholes(Op op, Value a, Value b) {
        bool const clamped = a.clamped || b.clamped;
        double const sum = a.most + b.most;
        if (op == Op::add) return clamped ? Value{} : whole(code_.apply(LaneOp::add_bits, a.value, b.value), sum);
        if (op == Op::sub) return clamped ? Value{} : whole(code_.apply(LaneOp::sub_bits, a.value, b.value), sum);
        if (op == Op::mul)
            return clamped ? Value{} : whole(code_.apply(LaneOp::mul_bits, a.value, b.value), a.most * b.most);
        if (op == Op::mod) return remainder(a, b);
        if (!are_comparable(a, b)) return {};
        if (op == Op::eq) return of(equal(a, b));
        if (op == Op::ne) return of(!equal(a, b));
        if (op == Op::gt) return of(greater(a, b));
        if (op == Op::lt) return of(greater(b, a));
        if (op == Op::le) return of(!greater(a, b));
        if (op == Op::ge) return of(!greater(b, a));
        if (op == Op::max && !clamped) return chosen(greater(b, a), b, a);
        return op == Op::min && !clamped ? chosen(greater(a, b), b, a) : Value{};
    }

    Value of_whole(Op op, Value a) {
        if (a.clamped) return {};
        Value const zero = whole_constant(0);
        if (op == Op::neg) return of_wholes(Op::sub, zero, a);
        if (!a.fits) return {};
        Value const negative = of_wholes(Op::sub, zero, a);
        if (op == Op::abs) return negative.fits ? of_wholes(Op::max, a, negative) : Value{};
        if (op == Op::relu) return of_wholes(Op::max, a, zero);
        return {};
    }

    Value label(int number) {
        int lane = code_.whole_operand(static_cast<int>(use_.labels) + number);
        int const counted = static_cast<int>(use_.constant.size()) - 1;
        if (number == use_.along) lane = code_.apply(LaneOp::add_bits, lane, code_.whole_operand(counted));
        return whole(lane, static_cast<double>(VectorLoop::most_of_a_label));
    }

    /// Nothing where it is no operation on whole numbers.
    Value of_integers(Instruction const& made) {
        using Meaning = Instruction::Meaning;
        if (sizeof(T) != 4) return {};
        if (made.form == Instruction::Form::index) return label(made.label);
        Value const a = whole(made.a);
        if (made.form == Instruction::Form::select) {
            Value const yes = whole(made.b), no = whole(made.c);
            bool const picks = is(made.a, Kind::mask) && yes.kind == Kind::whole && no.kind == Kind::whole;
            return picks && !yes.clamped && !no.clamped ? chosen(mask(made.a), yes, no) : Value{};
        }
        if (a.kind != Kind::whole) return {};
        if (made.meaning == Meaning::wrap) return wrapped(a, made.type);
        if (made.meaning == Meaning::truth) return wrapped(a, DType::boolean);
        if (made.meaning == Meaning::conversion && made.number == number_of_type && is_exact_in_lane(a))
            return of(Lane(typename Lane::Number{code_.apply(LaneOp::from_whole, a.value)}));
        if (made.meaning != Meaning::op) return {};
        if (made.form == Instruction::Form::unary) return of_whole(made.op, a);
        Value const b = whole(made.b);
        return made.form == Instruction::Form::binary && b.kind == Kind::whole ? of_wholes(made.op, a, b) : Value{};
    }

    bool is_of_integers(Instruction const& made) {
        if (made.form == Instruction::Form::index) return true;
        bool const select = made.form == Instruction::Form::select;
        return is(made.a, Kind::whole) || is(made.b, Kind::whole) || (select && is(made.c, Kind::whole));
    }

    Value value_of(Instruction const& made) {
        using Meaning = Instruction::Meaning;
        if (is_of_integers(made)) return of_integers(made);
        if (made.form == Instruction::Form::select) {
            bool const picks = is(made.a, Kind::mask) && is(made.b, Kind::number) && is(made.c, Kind::number);
            return picks && made.number == number_of_type ? of(pick(mask(made.a), number(made.b), number(made.c)))
                                                          : Value{};
        }
        if (made.meaning == Meaning::other) return {};
        if (made.meaning == Meaning::wrap)
            return is(made.a, Kind::mask) && made.type == DType::boolean ? at(made.a) : Value{};
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
    VectorLoop::Use const& use_;
    DType to_;
    std::vector<Value> values_;
};

}  // namespace

std::optional<LaneCode> trace(Program::Code const& program, DType type, Arguments arguments, VectorLoop::Use const& use,
                              DType to) {
    if (type == DType::f32) return Tracer<float>(program, type, arguments, use, to).run();
    if (type == DType::f64) return Tracer<double>(program, type, arguments, use, to).run();
    return std::nullopt;
}

}  // namespace ein::scalar::jit
