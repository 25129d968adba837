// What a vector loop does in each iteration: operations on whole vectors, every lane by itself, one after the other.
// Values are numbered in the order in which they are made; equal ones are made once. A value is a number of the loop's
// type, its bits, or a mask (the result of a comparison). trace.cpp records it from a Program, emit_x86.cpp and
// x86_iteration.cpp make machine code of it. Example: x*2 + y is operand 0, constant 2, operand 1, fused(0, 1, 2).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "lib/base/dtype.hpp"

namespace ein::scalar::jit {

enum class LaneOp : std::uint8_t {
    operand,        // number `bits`
    whole_operand,  // the same of one that is a whole number: its lanes are 32 bits of it
    constant,       // whose bits are `bits`
    add,
    sub,
    mul,
    div,
    fused,        // a b + c
    fused_minus,  // c - a b
    sqrt,
    floor,
    ceil,
    rint,
    truncate,  // of f32: bits of the whole number in 32 bits, else of one whose low bits are 0
    bit_and,
    bit_or,
    bit_xor,
    add_bits,
    sub_bits,
    mul_bits,
    shift_left,    // by `bits`
    shift_right,   // by `bits`, zeros from above
    shift_signed,  // the same, the sign from above
    from_whole,    // the f32 of a whole number of 32 bits
    less,          // masks from here on
    less_equal,
    beyond,  // not a <= b: true of nan
    equal,
    not_equal,      // true of nan
    whole_greater,  // of whole numbers of 32 bits
    whole_equal,
    mask_and,
    mask_or,
    mask_not,
    pick  // a mask ? b : c: a number
};

constexpr bool is_operand(LaneOp op) { return op == LaneOp::operand || op == LaneOp::whole_operand; }
constexpr bool is_mask(LaneOp op) { return op >= LaneOp::less && op <= LaneOp::mask_not; }

struct LaneValue {
    LaneOp op = LaneOp::constant;
    int a = -1, b = -1, c = -1;
    std::uint64_t bits = 0;
};

class LaneCode {
public:
    explicit LaneCode(DType type) : type_(type) {}

    int operand(int number) { return made({LaneOp::operand, -1, -1, -1, static_cast<std::uint64_t>(number)}); }
    int whole_operand(int number) {
        return made({LaneOp::whole_operand, -1, -1, -1, static_cast<std::uint64_t>(number)});
    }
    int constant(std::uint64_t bits) { return made({LaneOp::constant, -1, -1, -1, bits}); }
    int apply(LaneOp op, int a, int b = -1, int c = -1);
    int shifted(LaneOp op, int a, int places) { return made({op, a, -1, -1, static_cast<std::uint64_t>(places)}); }

    DType type() const { return type_; }  // f32 or f64
    std::vector<LaneValue> const& values() const { return values_; }
    LaneValue const& at(int value) const { return values_[static_cast<std::size_t>(value)]; }

    int result = -1;
    int refused = -1;  // a mask: lanes whose result this code does not give; -1: none

private:
    using Key = std::array<std::uint64_t, 5>;
    int made(LaneValue const& value);
    /// Of what is negated, else -1.
    int negated(int value) const;

    DType type_;
    std::vector<LaneValue> values_;
    std::map<Key, int> numbers_;
};

}  // namespace ein::scalar::jit
