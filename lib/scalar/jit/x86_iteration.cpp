#include "lib/scalar/jit/x86_iteration.hpp"

#include <algorithm>
#include <utility>

namespace ein::scalar::jit {

int LoopMemory::operand_place(std::uint64_t number) const {
    return static_cast<int>(std::find(operands.begin(), operands.end(), static_cast<int>(number)) - operands.begin());
}

int LoopMemory::constant_place(std::uint64_t bits) const {
    return static_cast<int>(std::find(constants.begin(), constants.end(), bits) - constants.begin());
}

X86Iteration::Registers::Registers(int first, int end) {
    for (int k = end; k-- > first;) free_.push_back(k);
}

int X86Iteration::Registers::take() {
    if (free_.empty()) throw OutOfRegisters{};
    int const taken = free_.back();
    free_.pop_back();
    return taken;
}

X86Iteration::X86Iteration(X86Instructions& to, LoopMemory const& memory, LaneCode const& code)
    : x86_(to),
      memory_(memory),
      code_(code),
      readers_(readers_of(code)),
      register_of_(code.values().size(), -1),
      vectors_(0, to.vector_registers() - memory.held),
      masks_(1, memory.has_tails ? tail_mask().getIdx() : 8) {
    for (std::size_t k = 0; k < register_of_.size(); ++k)
        if (int const constant = held(code.values()[k]); constant >= 0) register_of_[k] = held_register(to, constant);
}

void X86Iteration::emit(X86Instructions& to, LoopMemory const& memory, LaneCode const& code, Xbyak::Label* slow) {
    X86Iteration made(to, memory, code);
    for (int k = 0; k < static_cast<int>(code.values().size()); ++k) {
        if (made.readers_[static_cast<std::size_t>(k)] > 0) made.value(k);
        if (k == code.refused && slow != nullptr) made.leave_if_refused(code.refused, *slow);
    }
    made.store_result();
}

void X86Iteration::store_result() {
    Xmm const result = x86_.vector(in_register(code_.result));
    Address const place = there(Address(x86_.ptr[x86_.rdx + x86_.rsi * static_cast<int>(size_of(memory_.to))]));
    if (size_of(memory_.to) == size_of(code_.type())) {
        memory_.past_cache ? x86_.vmovntps(place, result) : x86_.store(place, result);
        return;
    }
    int const room = vectors_.take();
    x86_.narrow(memory_.to, room, result);
    x86_.store_narrow(memory_.to, place, room, memory_.past_cache);
    vectors_.give(room);
}

std::vector<int> X86Iteration::readers_of(LaneCode const& code) {
    std::vector<int> readers(code.values().size(), 0);
    ++readers[static_cast<std::size_t>(code.result)];
    if (code.refused >= 0) ++readers[static_cast<std::size_t>(code.refused)];
    for (std::size_t k = readers.size(); k-- > 0;) {
        if (readers[k] == 0) continue;
        LaneValue const& value = code.values()[k];
        for (int const argument : {value.a, value.b, value.c})
            if (argument >= 0) ++readers[static_cast<std::size_t>(argument)];
    }
    return readers;
}

// ---- where a value is ----

/// Which constant that a register holds throughout; else -1.
int X86Iteration::held(LaneValue const& value) const {
    int const place = value.op == LaneOp::constant ? memory_.constant_place(value.bits) : memory_.held;
    return place < memory_.held ? place : -1;
}

bool X86Iteration::in_memory(int value) const {
    LaneValue const& found = code_.at(value);
    if (!is_operand(found.op)) return found.op == LaneOp::constant;
    return memory_.on_stack[static_cast<std::size_t>(memory_.operand_place(found.bits))];
}

Xbyak::Address X86Iteration::memory(int value) const {
    LaneValue const& found = code_.at(value);
    if (found.op == LaneOp::constant) return x86_.ptr[x86_.rbp + memory_.constant_place(found.bits) * x86_.width()];
    return x86_.ptr[x86_.rsp + memory_.operand_place(found.bits) * x86_.width()];
}

/// The register of a value; one from memory is brought into a register, its own from then on.
int X86Iteration::in_register(int value) {
    if (register_of(value) < 0) {
        register_of(value) = vectors_.take();
        x86_.vmovups(x86_.vector(register_of(value)), memory(value));
    }
    return register_of(value);
}

int X86Iteration::result_register(int value) {
    return register_of(value) = has_mask_register(value) ? masks_.take() : vectors_.take();
}

/// After an operation has read a value.
void X86Iteration::read(int value) {
    int& readers = readers_[static_cast<std::size_t>(value)];
    if (--readers > 0 || register_of(value) < 0 || held(code_.at(value)) >= 0) return;
    (has_mask_register(value) ? masks_ : vectors_).give(register_of(value));
    register_of(value) = -1;
}

X86Iteration::Source::Source(X86Iteration& from, int value) {
    if (from.register_of(value) < 0)
        in_memory_ = from.memory(value);
    else
        in_register_ = from.x86_.vector(from.register_of(value));
}

// ---- what is done with it ----

void X86Iteration::value(int number) {
    using X86 = X86Instructions;
    LaneValue const& v = code_.at(number);
    auto const places = static_cast<std::uint8_t>(v.bits);
    auto const rounded = [&](std::uint8_t mode) {
        unary(number, [&](Xmm const& to, Xmm const& a) { x86_.round_lanes(to, a, mode); });
    };
    switch (v.op) {
        case LaneOp::constant: return;
        case LaneOp::operand:
        case LaneOp::whole_operand: return operand(number);
        case LaneOp::add: return commuting(number, &X86::add_lanes);
        case LaneOp::sub: return binary(number, &X86::sub_lanes);
        case LaneOp::mul: return commuting(number, &X86::mul_lanes);
        case LaneOp::div: return binary(number, &X86::div_lanes);
        case LaneOp::bit_and: return commuting(number, &X86::and_bits);
        case LaneOp::bit_or: return commuting(number, &X86::or_bits);
        case LaneOp::bit_xor: return commuting(number, &X86::xor_bits);
        case LaneOp::add_bits: return commuting(number, &X86::add_bits);
        case LaneOp::sub_bits: return binary(number, &X86::sub_bits);
        case LaneOp::mul_bits: return commuting(number, &X86::mul_bits);
        case LaneOp::from_whole: return unary(number, [&](Xmm const& to, Xmm const& a) { x86_.vcvtdq2ps(to, a); });
        case LaneOp::shift_signed:
            return unary(number, [&](Xmm const& to, Xmm const& a) { x86_.vpsrad(to, a, places); });
        case LaneOp::whole_greater: return compare_whole(number, false);
        case LaneOp::whole_equal: return compare_whole(number, true);
        case LaneOp::fused:
        case LaneOp::fused_minus: return fused(number, v);
        case LaneOp::sqrt: return unary(number, [&](Xmm const& to, Xmm const& a) { x86_.sqrt_lanes(to, a); });
        case LaneOp::floor: return rounded(9);
        case LaneOp::ceil: return rounded(10);
        case LaneOp::rint: return rounded(8);
        case LaneOp::truncate: return unary(number, [&](Xmm const& to, Xmm const& a) { x86_.vcvttps2dq(to, a); });
        case LaneOp::shift_left:
            return unary(number, [&](Xmm const& to, Xmm const& a) { x86_.shift_left(to, a, places); });
        case LaneOp::shift_right:
            return unary(number, [&](Xmm const& to, Xmm const& a) { x86_.shift_right(to, a, places); });
        case LaneOp::less: return compare(number, 0x11);  // ordered, quiet
        case LaneOp::less_equal: return compare(number, 0x12);
        case LaneOp::beyond: return compare(number, 0x16);  // unordered, quiet
        case LaneOp::equal: return compare(number, 0x00);
        case LaneOp::not_equal: return compare(number, 0x04);
        case LaneOp::mask_and:
        case LaneOp::mask_or:
        case LaneOp::mask_not: return masks(number, v);
        case LaneOp::pick: return pick(number, v);
    }
}

void X86Iteration::operand(int number) {
    if (in_memory(number)) return;
    auto const place = static_cast<std::size_t>(memory_.operand_place(code_.at(number).bits));
    DType const from = memory_.from[place];
    Address const first = x86_.ptr[memory_.pointers[place] + x86_.rsi * static_cast<int>(size_of(from))];
    Address const one = x86_.ptr[x86_.rbp + memory_.constant_place(1) * x86_.width()];
    Xmm to = there(x86_.vector(result_register(number)));
    if (memory_.has_tails) to = to | x86_.T_z;
    code_.at(number).op == LaneOp::operand ? x86_.load(to, first, from, one) : x86_.load_whole(to, first, from, one);
}

template <class Emit>
void X86Iteration::unary(int number, Emit emit) {
    int const a = code_.at(number).a;
    Xmm const from = x86_.vector(in_register(a));
    read(a);
    emit(x86_.vector(result_register(number)), from);
}

void X86Iteration::binary(int number, Binary instruction) {
    binary(number, code_.at(number).a, code_.at(number).b, instruction);
}

/// What is in a register first, so that what is in memory need not be brought.
void X86Iteration::commuting(int number, Binary instruction) {
    int a = code_.at(number).a, b = code_.at(number).b;
    if (register_of(a) < 0 && register_of(b) >= 0) std::swap(a, b);
    binary(number, a, b, instruction);
}

void X86Iteration::binary(int number, int a, int b, Binary instruction) {
    Xmm const left = x86_.vector(in_register(a));
    Source const right(*this, b);
    read(a);
    read(b);
    (x86_.*instruction)(x86_.vector(result_register(number)), left, right);
}

/// a b + c, or c - a b: into a register whose value nobody reads again, if there is one.
void X86Iteration::fused(int number, LaneValue const& v) {
    bool const minus = v.op == LaneOp::fused_minus;
    int a = v.a, b = v.b;
    if (register_of(a) < 0) std::swap(a, b);
    in_register(a);
    if (register_of(b) < 0 && register_of(v.c) < 0) in_register(v.c);
    bool const b_moves = register_of(b) >= 0;
    auto const in = [&](int value) { return x86_.vector(register_of(value)); };
    auto const overwritten = [&](int value) {
        int const readings = (v.a == value) + (v.b == value) + (v.c == value);
        return register_of(value) >= 0 && held(code_.at(value)) < 0 &&
               readers_[static_cast<std::size_t>(value)] == readings;
    };
    if (register_of(v.c) >= 0 && overwritten(v.c) && v.c != a && v.c != b) {
        x86_.multiply_into_sum(minus, in(v.c), in(a), Source(*this, b));
        return keep(number, v, v.c);
    }
    if (b_moves && !overwritten(a) && overwritten(b)) std::swap(a, b);
    if (overwritten(a) && a != v.c && a != b) {
        if (register_of(b) >= 0)
            x86_.multiply_by_register(minus, in(a), in(b), Source(*this, v.c));
        else
            x86_.multiply_by_memory(minus, in(a), in(v.c), memory(b));
        return keep(number, v, a);
    }
    int const fresh = vectors_.take();
    x86_.vmovups(x86_.vector(fresh), Source(*this, v.c));
    x86_.multiply_into_sum(minus, x86_.vector(fresh), in(a), Source(*this, b));
    for (int const argument : {v.a, v.b, v.c}) read(argument);
    register_of(number) = fresh;
}

/// The result stays in the register of `argument`, which nobody reads again.
void X86Iteration::keep(int number, LaneValue const& v, int argument) {
    int const held = register_of(argument);
    register_of(argument) = -1;
    for (int const each : {v.a, v.b, v.c}) read(each);
    register_of(number) = held;
}

template <class Emit>
void X86Iteration::comparison(int number, Emit emit) {
    LaneValue const& v = code_.at(number);
    Xmm const left = x86_.vector(in_register(v.a));
    Source const right(*this, v.b);
    read(v.a);
    read(v.b);
    emit(result_register(number), left, right);
}

void X86Iteration::compare(int number, std::uint8_t predicate) {
    comparison(number, [&](int mask, Xmm const& a, Operand const& b) { x86_.compare(mask, a, b, predicate); });
}

void X86Iteration::compare_whole(int number, bool equal) {
    comparison(number, [&](int mask, Xmm const& a, Operand const& b) { x86_.compare_whole(mask, a, b, equal); });
}

void X86Iteration::masks(int number, LaneValue const& v) {
    using Xbyak::Opmask;
    int const a = register_of(v.a), b = v.b < 0 ? a : register_of(v.b);
    read(v.a);
    if (v.b >= 0) read(v.b);
    int const to = result_register(number);
    if (x86_.has_mask_registers()) {
        if (v.op == LaneOp::mask_and) x86_.kandw(Opmask(to), Opmask(a), Opmask(b));
        if (v.op == LaneOp::mask_or) x86_.korw(Opmask(to), Opmask(a), Opmask(b));
        if (v.op == LaneOp::mask_not) x86_.knotw(Opmask(to), Opmask(a));
        return;
    }
    auto const vector = [&](int index) { return x86_.vector(index); };
    if (v.op == LaneOp::mask_and) x86_.vandps(vector(to), vector(a), vector(b));
    if (v.op == LaneOp::mask_or) x86_.vorps(vector(to), vector(a), vector(b));
    if (v.op != LaneOp::mask_not) return;
    int const ones = to == a ? vectors_.take() : to;
    x86_.vpcmpeqd(vector(ones), vector(ones), vector(ones));
    x86_.vxorps(vector(to), vector(a), vector(ones));
    if (ones != to) vectors_.give(ones);
}

void X86Iteration::leave_if_refused(int mask, Xbyak::Label& slow) {
    x86_.test_mask(register_of(mask));
    x86_.jnz(slow, Xbyak::CodeGenerator::T_NEAR);
    read(mask);
}

void X86Iteration::pick(int number, LaneValue const& v) {
    Xmm const otherwise = x86_.vector(in_register(v.c));
    int const mask = register_of(v.a);
    Source const chosen(*this, v.b);
    for (int const argument : {v.a, v.b, v.c}) read(argument);
    x86_.blend(x86_.vector(result_register(number)), mask, otherwise, chosen);
}

}  // namespace ein::scalar::jit
