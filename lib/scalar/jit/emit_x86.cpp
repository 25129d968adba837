// Registers: results of operations live in vector registers (masks of AVX-512 in k1 to k7, those of AVX2 in vector
// registers) until their last reader; nothing is spilled, a loop that needs more is not made. Constants are whole
// vectors behind the code, as many as may be held in registers beside the results; elements that stand for all are
// spread on the stack at the beginning. What is not held is an operand in memory. Where the fast code refuses a lane,
// the whole code, further down, does the same vector again.
#include <xbyak/xbyak.h>

#include <algorithm>
#include <optional>

#include "lib/scalar/jit/emit.hpp"

namespace ein::scalar {
namespace {

using jit::LaneCode;
using jit::LaneOp;
using jit::LaneValue;
using Xbyak::Address;
using Xbyak::Opmask;
using Xbyak::Reg64;
using Xbyak::Xmm;

constexpr int bytes_ahead = 4096;
struct OutOfRegisters {};

class Registers {
public:
    Registers(int first, int end) {
        for (int k = end; k-- > first;) free_.push_back(k);
    }
    int take() {
        if (free_.empty()) throw OutOfRegisters{};
        int const taken = free_.back();
        free_.pop_back();
        return taken;
    }
    void give(int index) { free_.push_back(index); }

private:
    std::vector<int> free_;
};

class Emitter final : public VectorLoop::Code, private Xbyak::CodeGenerator {
public:
    /// @param held  registers that hold constants throughout the loop
    Emitter(LaneCode const& fast, LaneCode const& whole, VectorLoop::Use const& use, InstructionSet set, int held)
        : CodeGenerator(room(fast) + room(whole), Xbyak::DontSetProtectRWE),
          use_(use),
          f32_(fast.type() == DType::f32),
          wide_(set == InstructionSet::avx512),
          held_(held) {
        element_bytes = f32_ ? 4 : 8;
        lanes = static_cast<std::size_t>(width()) / element_bytes;
        collect(fast);
        collect(whole);
        held_ = std::min(held_, static_cast<int>(constants_.size()));
        begin();
        loop(fast, whole);
        setProtectModeRE();
        entry_ = getCode<Entry>();
    }

private:
    /// A few instructions of at most twelve bytes an operation, and a vector for each constant.
    static std::size_t room(LaneCode const& code) { return 4096 + code.values().size() * 128; }

    int registers() const { return wide_ ? 32 : 16; }
    int held_register(int constant) const { return registers() - 1 - constant; }
    int width() const { return wide_ ? 64 : 32; }
    Xmm vector(int index) const { return wide_ ? Xmm(Xbyak::Zmm(index)) : Xmm(Xbyak::Ymm(index)); }

    // ---- what the loop reads ----

    void collect(LaneCode const& code) {
        for (LaneValue const& value : code.values()) {
            if (value.op == LaneOp::operand) add(operands, static_cast<int>(value.bits));
            if (value.op == LaneOp::constant) add(constants_, value.bits);
        }
    }
    template <class T>
    static void add(std::vector<T>& list, T item) {
        if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
    }
    template <class T>
    static int place_in(std::vector<T> const& list, T item) {
        return static_cast<int>(std::find(list.begin(), list.end(), item) - list.begin());
    }
    bool spread(int number) const { return use_.constant[static_cast<std::size_t>(number)]; }

    /// Pointers into general registers, spread elements onto the stack.
    void begin() {
        std::vector<Reg64> const general{rcx, r8, r9, r10, r11, rbx, r12, r13};
        for (Reg64 const& saved : {rbp, rbx, r12, r13, r14, r15}) push(saved);
        mov(next_, rcx);
        mov(part_, r8);
        mov(old_stack_, rsp);
        and_(rsp, -64);
        sub(rsp, 64 + static_cast<int>(operands.size()) * width());
        mov(ptr[rsp + static_cast<int>(operands.size()) * width()], old_stack_);
        std::size_t used = 0;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            int const at = static_cast<int>(k) * 8;
            if (spread(operands[k])) {
                mov(rbx, ptr[rsi + at]);
                if (f32_)
                    vbroadcastss(vector(0), ptr[rbx]);
                else
                    vbroadcastsd(wide_ ? Xbyak::Ymm(Xbyak::Zmm(0)) : Xbyak::Ymm(0), ptr[rbx]);
                vmovups(ptr[rsp + static_cast<int>(k) * width()], vector(0));
                pointers_.push_back(rsp);
            } else {
                if (used == general.size()) throw OutOfRegisters{};
                pointers_.push_back(general[used++]);
            }
        }
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (!spread(operands[k])) mov(pointers_[k], ptr[rsi + static_cast<int>(k) * 8]);
        lea(rbp, ptr[rip + pool_]);
        for (int k = 0; k < held_; ++k) vmovups(vector(held_register(k)), ptr[rbp + k * width()]);
        imul(rdi, rdi, width());
        xor_(esi, esi);
    }

    void loop(LaneCode const& fast, LaneCode const& whole) {
        Xbyak::Label turn, next, slow, alone;
        align(64);
        L(turn);
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (!spread(operands[k]) && use_.ahead[static_cast<std::size_t>(operands[k])])
                prefetcht0(ptr[pointers_[k] + rsi + bytes_ahead]);
        test(next_, next_);
        jz(alone);
        mov(rax, rsi);
        imul(rax, part_);
        shr(rax, 6);
        prefetcht1(ptr[next_ + rax]);
        L(alone);
        body(fast, &slow);
        L(next);
        add(rsi, width());
        cmp(rsi, rdi);
        jb(turn, T_NEAR);
        mov(rsp, ptr[rsp + static_cast<int>(operands.size()) * width()]);
        for (Reg64 const& saved : {r15, r14, r13, r12, rbx, rbp}) pop(saved);
        vzeroupper();
        ret();
        if (fast.refused >= 0) {
            align(16);
            L(slow);
            body(whole, nullptr);
            jmp(next, T_NEAR);
        }
        align(64);
        L(pool_);
        for (std::uint64_t bits : constants_)
            for (std::size_t lane = 0; lane < lanes; ++lane) f32_ ? dd(static_cast<std::uint32_t>(bits)) : dq(bits);
    }

    // ---- one vector ----

    struct Body {
        LaneCode const& code;
        std::vector<int> readers;  // left
        std::vector<int> register_of;
        Registers vectors, masks;
    };

    void body(LaneCode const& code, Xbyak::Label* slow) {
        std::size_t const count = code.values().size();
        Body made{code, readers_of(code), std::vector<int>(count, -1), Registers(0, registers() - held_),
                  Registers(1, 8)};
        body_ = &made;
        for (std::size_t k = 0; k < count; ++k)
            if (int const constant = held(code.values()[k]); constant >= 0)
                made.register_of[k] = held_register(constant);
        for (std::size_t k = 0; k < count; ++k) {
            if (made.readers[k] > 0) value(static_cast<int>(k));
            bool const last_refusal = static_cast<int>(k) == code.refused;
            if (last_refusal && slow != nullptr) leave_if_refused(code.refused, *slow);
        }
        int const result = in_register(code.result);
        Address const to = ptr[rdx + rsi];
        use_.past_cache ? vmovntps(to, vector(result)) : vmovups(to, vector(result));
    }

    static std::vector<int> readers_of(LaneCode const& code) {
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

    /// Which constant that a register holds throughout; else -1.
    int held(LaneValue const& value) const {
        int const place = value.op == LaneOp::constant ? place_in(constants_, value.bits) : held_;
        return place < held_ ? place : -1;
    }
    int& register_of(int value) { return body_->register_of[static_cast<std::size_t>(value)]; }
    bool in_memory(int value) const {
        LaneValue const& found = body_->code.at(value);
        return found.op == LaneOp::constant || (found.op == LaneOp::operand && spread(static_cast<int>(found.bits)));
    }
    bool has_mask_register(int value) const { return wide_ && is_mask(body_->code.at(value).op); }

    Address memory(int value) {
        LaneValue const& found = body_->code.at(value);
        if (found.op == LaneOp::constant) return ptr[rbp + place_in(constants_, found.bits) * width()];
        return ptr[rsp + place_in(operands, static_cast<int>(found.bits)) * width()];
    }

    /// The register of a value; one from memory is brought into a register, its own from then on.
    int in_register(int value) {
        if (register_of(value) < 0) {
            register_of(value) = body_->vectors.take();
            vmovups(vector(register_of(value)), memory(value));
        }
        return register_of(value);
    }

    /// After an operation has read a value.
    void read(int value) {
        int& readers = body_->readers[static_cast<std::size_t>(value)];
        if (--readers > 0 || register_of(value) < 0 || held(body_->code.at(value)) >= 0) return;
        (has_mask_register(value) ? body_->masks : body_->vectors).give(register_of(value));
        register_of(value) = -1;
    }

    /// Calls emit(source) with a value's register or its place in memory.
    template <class Emit>
    void with(int value, Emit emit) {
        if (register_of(value) < 0)
            emit(memory(value));
        else
            emit(vector(register_of(value)));
    }

    int result_register(int value) {
        return register_of(value) = has_mask_register(value) ? body_->masks.take() : body_->vectors.take();
    }

    void value(int number) {
        LaneValue const& v = body_->code.at(number);
        switch (v.op) {
            case LaneOp::constant: return;
            case LaneOp::operand: return operand(number);
            case LaneOp::add:
                return binary(number, true,
                              [&](auto& d, auto& a, auto& b) { f32_ ? vaddps(d, a, b) : vaddpd(d, a, b); });
            case LaneOp::sub:
                return binary(number, false,
                              [&](auto& d, auto& a, auto& b) { f32_ ? vsubps(d, a, b) : vsubpd(d, a, b); });
            case LaneOp::mul:
                return binary(number, true,
                              [&](auto& d, auto& a, auto& b) { f32_ ? vmulps(d, a, b) : vmulpd(d, a, b); });
            case LaneOp::div:
                return binary(number, false,
                              [&](auto& d, auto& a, auto& b) { f32_ ? vdivps(d, a, b) : vdivpd(d, a, b); });
            case LaneOp::bit_and: return binary(number, true, [&](auto& d, auto& a, auto& b) { vandps(d, a, b); });
            case LaneOp::bit_or: return binary(number, true, [&](auto& d, auto& a, auto& b) { vorps(d, a, b); });
            case LaneOp::bit_xor: return binary(number, true, [&](auto& d, auto& a, auto& b) { vxorps(d, a, b); });
            case LaneOp::add_bits:
                return binary(number, true,
                              [&](auto& d, auto& a, auto& b) { f32_ ? vpaddd(d, a, b) : vpaddq(d, a, b); });
            case LaneOp::sub_bits:
                return binary(number, false,
                              [&](auto& d, auto& a, auto& b) { f32_ ? vpsubd(d, a, b) : vpsubq(d, a, b); });
            case LaneOp::fused:
            case LaneOp::fused_minus: return fused(number, v);
            case LaneOp::sqrt: return unary(number, [&](auto& d, auto& a) { f32_ ? vsqrtps(d, a) : vsqrtpd(d, a); });
            case LaneOp::floor: return unary(number, [&](auto& d, auto& a) { round(d, a, 9); });
            case LaneOp::ceil: return unary(number, [&](auto& d, auto& a) { round(d, a, 10); });
            case LaneOp::rint: return unary(number, [&](auto& d, auto& a) { round(d, a, 8); });
            case LaneOp::shift_left:
                return unary(number,
                             [&](auto& d, auto& a) { f32_ ? vpslld(d, a, places(v)) : vpsllq(d, a, places(v)); });
            case LaneOp::shift_right:
                return unary(number,
                             [&](auto& d, auto& a) { f32_ ? vpsrld(d, a, places(v)) : vpsrlq(d, a, places(v)); });
            case LaneOp::less: return compare(number, 0x11);  // ordered, quiet
            case LaneOp::less_equal: return compare(number, 0x12);
            case LaneOp::beyond: return compare(number, 0x16);  // unordered, quiet
            case LaneOp::equal: return compare(number, 0x00);
            case LaneOp::not_equal: return compare(number, 0x04);
            case LaneOp::mask_and: return masks(number, v);
            case LaneOp::mask_or: return masks(number, v);
            case LaneOp::mask_not: return masks(number, v);
            case LaneOp::pick: return pick(number, v);
        }
    }

    static std::uint8_t places(LaneValue const& v) { return static_cast<std::uint8_t>(v.bits); }

    void operand(int number) {
        if (in_memory(number)) return;
        LaneValue const& v = body_->code.at(number);
        Reg64 const& from = pointers_[static_cast<std::size_t>(place_in(operands, static_cast<int>(v.bits)))];
        vmovups(vector(result_register(number)), ptr[from + rsi]);
    }

    template <class Emit>
    void unary(int number, Emit emit) {
        int const a = body_->code.at(number).a;
        Xmm const from = vector(in_register(a));
        read(a);
        Xmm const to = vector(result_register(number));
        emit(to, from);
    }

    template <class To, class From>
    void round(To& to, From& from, std::uint8_t mode) {
        if (wide_)
            f32_ ? vrndscaleps(to, from, mode) : vrndscalepd(to, from, mode);
        else
            f32_ ? vroundps(to, from, mode) : vroundpd(to, from, mode);
    }

    template <class Emit>
    void binary(int number, bool commutes, Emit emit) {
        auto [op, a, b, c, bits] = body_->code.at(number);
        if (commutes && register_of(a) < 0 && register_of(b) >= 0) std::swap(a, b);
        Xmm const left = vector(in_register(a));
        std::optional<Address> where;
        if (register_of(b) < 0) where = memory(b);
        Xmm const right = where ? left : vector(register_of(b));
        read(a);
        read(b);
        Xmm const to = vector(result_register(number));
        if (where)
            emit(to, left, *where);
        else
            emit(to, left, right);
    }

    /// a b + c, or c - a b: into a register whose value nobody reads again, if there is one.
    void fused(int number, LaneValue const& v) {
        bool const minus = v.op == LaneOp::fused_minus;
        int a = v.a, b = v.b;
        if (register_of(a) < 0) std::swap(a, b);
        in_register(a);
        if (register_of(b) < 0 && register_of(v.c) < 0) in_register(v.c);
        bool const b_moves = register_of(b) >= 0;
        auto const overwritten = [&](int value) {
            return register_of(value) >= 0 && held(body_->code.at(value)) < 0 &&
                   body_->readers[static_cast<std::size_t>(value)] == readings(v, value);
        };
        if (register_of(v.c) >= 0 && overwritten(v.c) && v.c != a && v.c != b) {
            with(b, [&](auto const& source) {
                multiply_into_sum(minus, vector(register_of(v.c)), vector(register_of(a)), source);
            });
            return keep(number, v, v.c);
        }
        if (b_moves && !overwritten(a) && overwritten(b)) std::swap(a, b);
        if (overwritten(a) && a != v.c && a != b) {
            Xmm const held = vector(register_of(a));
            if (register_of(b) >= 0)
                with(v.c,
                     [&](auto const& source) { multiply_by_register(minus, held, vector(register_of(b)), source); });
            else
                multiply_by_memory(minus, held, vector(register_of(v.c)), memory(b));
            return keep(number, v, a);
        }
        int const fresh = body_->vectors.take();
        with(v.c, [&](auto const& source) { vmovups(vector(fresh), source); });
        with(b, [&](auto const& source) { multiply_into_sum(minus, vector(fresh), vector(register_of(a)), source); });
        for (int const argument : {v.a, v.b, v.c}) read(argument);
        register_of(number) = fresh;
    }
    static int readings(LaneValue const& v, int value) { return (v.a == value) + (v.b == value) + (v.c == value); }

    /// The result stays in the register of `argument`, which nobody reads again.
    void keep(int number, LaneValue const& v, int argument) {
        int const held = register_of(argument);
        register_of(argument) = -1;
        for (int const each : {v.a, v.b, v.c}) read(each);
        register_of(number) = held;
    }

    template <class Source>
    void multiply_into_sum(bool minus, Xmm const& sum, Xmm const& a, Source const& b) {  // sum +- a b
        if (minus)
            f32_ ? vfnmadd231ps(sum, a, b) : vfnmadd231pd(sum, a, b);
        else
            f32_ ? vfmadd231ps(sum, a, b) : vfmadd231pd(sum, a, b);
    }
    template <class Source>
    void multiply_by_register(bool minus, Xmm const& a, Xmm const& b, Source const& c) {  // c +- a b into a
        if (minus)
            f32_ ? vfnmadd213ps(a, b, c) : vfnmadd213pd(a, b, c);
        else
            f32_ ? vfmadd213ps(a, b, c) : vfmadd213pd(a, b, c);
    }
    void multiply_by_memory(bool minus, Xmm const& a, Xmm const& c, Address const& b) {  // c +- a b into a
        if (minus)
            f32_ ? vfnmadd132ps(a, c, b) : vfnmadd132pd(a, c, b);
        else
            f32_ ? vfmadd132ps(a, c, b) : vfmadd132pd(a, c, b);
    }

    // ---- masks: of AVX-512 in registers of their own, of AVX2 as lanes of ones and zeros ----

    void compare(int number, std::uint8_t predicate) {
        auto const [op, a, b, c, bits] = body_->code.at(number);
        Xmm const left = vector(in_register(a));
        std::optional<Address> where;
        if (register_of(b) < 0) where = memory(b);
        Xmm const right = where ? left : vector(register_of(b));
        read(a);
        read(b);
        int const to = result_register(number);
        auto const emit = [&](auto const& source) {
            if (wide_)
                f32_ ? vcmpps(Opmask(to), left, source, predicate) : vcmppd(Opmask(to), left, source, predicate);
            else
                f32_ ? vcmpps(vector(to), left, source, predicate) : vcmppd(vector(to), left, source, predicate);
        };
        if (where)
            emit(*where);
        else
            emit(right);
    }

    void masks(int number, LaneValue const& v) {
        int const a = register_of(v.a), b = v.b < 0 ? a : register_of(v.b);
        read(v.a);
        if (v.b >= 0) read(v.b);
        int const to = result_register(number);
        if (wide_) {
            if (v.op == LaneOp::mask_and) kandw(Opmask(to), Opmask(a), Opmask(b));
            if (v.op == LaneOp::mask_or) korw(Opmask(to), Opmask(a), Opmask(b));
            if (v.op == LaneOp::mask_not) knotw(Opmask(to), Opmask(a));
            return;
        }
        if (v.op == LaneOp::mask_and) vandps(vector(to), vector(a), vector(b));
        if (v.op == LaneOp::mask_or) vorps(vector(to), vector(a), vector(b));
        if (v.op != LaneOp::mask_not) return;
        int const ones = to == a ? body_->vectors.take() : to;
        vpcmpeqd(vector(ones), vector(ones), vector(ones));
        vxorps(vector(to), vector(a), vector(ones));
        if (ones != to) body_->vectors.give(ones);
    }

    void leave_if_refused(int mask, Xbyak::Label& slow) {
        int const from = register_of(mask);
        if (wide_)
            kortestw(Opmask(from), Opmask(from));
        else
            f32_ ? vtestps(vector(from), vector(from)) : vtestpd(vector(from), vector(from));
        jnz(slow, T_NEAR);
        read(mask);
    }

    void pick(int number, LaneValue const& v) {
        Xmm const otherwise = vector(in_register(v.c));
        int const mask = register_of(v.a);
        std::optional<Address> where;
        if (register_of(v.b) < 0) where = memory(v.b);
        Xmm const chosen = where ? otherwise : vector(register_of(v.b));
        for (int const argument : {v.a, v.b, v.c}) read(argument);
        Xmm const to = vector(result_register(number));
        auto const emit = [&](auto const& source) {
            if (wide_)
                f32_ ? vblendmps(to | Opmask(mask), otherwise, source)
                     : vblendmpd(to | Opmask(mask), otherwise, source);
            else
                f32_ ? vblendvps(to, otherwise, source, vector(mask)) : vblendvpd(to, otherwise, source, vector(mask));
        };
        if (where)
            emit(*where);
        else
            emit(chosen);
    }

    using CodeGenerator::add;

    VectorLoop::Use const use_;
    bool f32_, wide_;
    int held_;
    std::vector<std::uint64_t> constants_;
    std::vector<Reg64> pointers_;  // by operand of the loop
    Reg64 old_stack_ = rbx, next_ = r14, part_ = r15;
    Xbyak::Label pool_;
    Body* body_ = nullptr;
};

}  // namespace

std::unique_ptr<VectorLoop::Code> VectorLoop::Code::emit(LaneCode const& fast, LaneCode const& whole, Use const& use,
                                                         InstructionSet set) {
    for (int const held : {set == InstructionSet::avx512 ? 20 : 6, 0}) {
        try {
            return std::make_unique<Emitter>(fast, whole, use, set, held);
        } catch (OutOfRegisters const&) {
            continue;
        } catch (Xbyak::Error const&) {  // no memory, or none that may be executed
            return nullptr;
        }
    }
    return nullptr;
}

}  // namespace ein::scalar
