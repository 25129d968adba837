// The loop around X86Iteration: pointers in general registers, constants as whole vectors behind the code, as many as
// may be held in registers beside the results; elements that stand for all are spread on the stack at the beginning.
// Where the fast code refuses a lane, the whole code, further down, does the same vector again.
#include <algorithm>

#include "lib/scalar/jit/emit.hpp"
#include "lib/scalar/jit/x86_iteration.hpp"

namespace ein::scalar {
namespace {

using jit::LaneCode;
using jit::LaneOp;
using jit::LaneValue;
using jit::X86Iteration;
using Xbyak::Reg64;

/// What is computed with at once is asked for into the first level, as long as there is little to compute: else it
/// would be there too soon. Measured on Zen 4, of 4000 x 6400 f32: x+1 2.4 ms by the first level and 3.2 by the second,
/// exp(x-y) with a row y 4.6 and 2.8, sums of x*x over columns 4.9 and 3.4.
constexpr int bytes_ahead = 4096, bytes_ahead_in_second_level = 8192;
constexpr std::size_t values_of_a_long_program = 16;

class Emitter final : public VectorLoop::Code, private jit::X86Instructions {
public:
    /// @param held  registers that hold constants throughout the loop
    Emitter(LaneCode const& fast, LaneCode const& whole, VectorLoop::Use const& use, InstructionSet set, int held)
        : X86Instructions(room(fast) + room(whole), fast.type(), set),
          use_(use),
          second_level_(use.second_level || fast.values().size() >= values_of_a_long_program),
          type_(fast.type()) {
        VectorLoop::Code::element_bytes = static_cast<std::size_t>(X86Instructions::element_bytes());
        lanes = static_cast<std::size_t>(width()) / VectorLoop::Code::element_bytes;
        collect(fast);
        collect(whole);
        operands = memory_.operands;
        describe_memory();
        memory_.held = std::min(held, static_cast<int>(memory_.constants.size()));
        begin();
        loop(fast, whole);
        setProtectModeRE();
        entry_ = getCode<Entry>();
    }

private:
    /// A few instructions of at most twelve bytes an operation, and a vector for each constant.
    static std::size_t room(LaneCode const& code) { return 4096 + code.values().size() * 128; }

    template <class T>
    static void add_once(std::vector<T>& list, T item) {
        if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
    }

    void collect(LaneCode const& code) {
        for (LaneValue const& value : code.values()) {
            if (jit::is_operand(value.op)) add_once(memory_.operands, static_cast<int>(value.bits));
            if (value.op == LaneOp::constant) add_once(memory_.constants, value.bits);
        }
    }

    /// How operands and the result lie there.
    void describe_memory() {
        memory_.to = use_.to.value_or(type_);
        memory_.past_cache = use_.past_cache;
        has_tails = memory_.has_tails = use_.by_row && use_.with_tails && has_mask_registers() && !use_.past_cache;
        result_bytes = size_of(memory_.to);
        for (int number : operands) {
            auto const place = static_cast<std::size_t>(number);
            bool const as_it_is = place >= use_.from.size() || use_.constant[place];
            memory_.from.push_back(as_it_is ? type_ : use_.from[place].value_or(type_));
            operand_bytes.push_back(size_of(memory_.from.back()));
            if (memory_.from.back() == DType::boolean) add_once(memory_.constants, std::uint64_t{1});
        }
    }

    /// Pointers into general registers, spread elements onto the stack.
    void begin() {
        std::vector<Reg64> const general{rcx, r8, r9, r10, r11, rbx, r12, r13};
        for (Reg64 const& saved : {rbp, rbx, r12, r13, r14, r15}) push(saved);
        mov(next_, rcx);
        mov(part_, r8);
        mov(old_stack_, rsp);
        and_(rsp, -64);
        sub(rsp, spread_bytes() + kept_bytes);
        mov(kept(0), old_stack_);
        if (use_.by_row) {
            mov(kept(1), r9);
            mov(rax, ptr[r9 + offsetof(Rows, count)]);
            mov(kept(2), rax);
        }
        std::size_t used = 0;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            int const at = static_cast<int>(k);
            memory_.on_stack.push_back(use_.constant[static_cast<std::size_t>(operands[k])]);
            if (memory_.on_stack[k]) {
                mov(rbx, ptr[rsi + at * 8]);
                if (use_.by_row) mov(kept(3 + at), rbx);
                spread(at, rbx);
                memory_.pointers.push_back(rsp);
            } else {
                if (used == general.size()) throw jit::OutOfRegisters{};
                memory_.pointers.push_back(general[used++]);
            }
        }
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (!memory_.on_stack[k]) mov(memory_.pointers[k], ptr[rsi + static_cast<int>(k) * 8]);
        lea(rbp, ptr[rip + pool_]);
        for (int k = 0; k < memory_.held; ++k)
            vmovups(vector(X86Iteration::held_register(*this, k)), ptr[rbp + k * width()]);
        imul(rdi, rdi, static_cast<int>(lanes));
    }

    /// One element of an operand as a whole vector on the stack.
    void spread(int place, Reg64 const& pointer) {
        broadcast(0, ptr[pointer]);
        vmovups(ptr[rsp + place * width()], vector(0));
    }

    /// Behind what is spread: the old stack, the rows, how many are left, and where elements are that stand for all.
    Xbyak::Address kept(int number) { return ptr[rsp + spread_bytes() + number * 8]; }
    static constexpr int kept_bytes = 192;
    static_assert(kept_bytes >= 8 * (3 + static_cast<int>(VectorLoop::most_operands)) && kept_bytes % 64 == 0);

    int spread_bytes() const { return static_cast<int>(operands.size()) * width(); }

    void ask_for(Xbyak::RegExp const& place) {
        if (second_level_)
            prefetcht1(ptr[place + bytes_ahead_in_second_level]);
        else
            prefetcht0(ptr[place + bytes_ahead]);
    }

    void loop(LaneCode const& fast, LaneCode const& whole) {
        Xbyak::Label row, iteration, next, slow, alone, done;
        L(row);
        xor_(esi, esi);
        if (has_tails) begin_row(iteration);
        align(64);
        L(iteration);
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (!memory_.on_stack[k] && use_.ahead[static_cast<std::size_t>(operands[k])])
                ask_for(memory_.pointers[k] + rsi * static_cast<int>(operand_bytes[k]));
        test(next_, next_);
        jz(alone);
        mov(rax, rsi);
        imul(rax, part_);
        shr(rax, shift_of_part());
        prefetcht1(ptr[next_ + rax]);
        L(alone);
        X86Iteration::emit(*this, memory_, fast, &slow);
        L(next);
        X86Instructions::add(rsi, static_cast<int>(lanes));
        if (has_tails) {
            lea(rax, ptr[rsi + static_cast<int>(lanes)]);
            cmp(rax, rdi);
            jb(iteration, T_NEAR);
            take_tail();
        }
        cmp(rsi, rdi);
        jb(iteration, T_NEAR);
        if (use_.by_row) {
            dec(qword[rsp + spread_bytes() + 2 * 8]);
            jz(done, T_NEAR);  // there may be nothing behind the last row's elements
            go_to_next_row();
            jmp(row, T_NEAR);
        }
        L(done);
        mov(rsp, kept(0));
        for (Reg64 const& saved : {r15, r14, r13, r12, rbx, rbp}) pop(saved);
        vzeroupper();
        ret();
        if (fast.refused >= 0) {
            align(16);
            L(slow);
            X86Iteration::emit(*this, memory_, whole, nullptr);
            jmp(next, T_NEAR);
        }
        align(64);
        L(pool_);
        for (std::uint64_t bits : memory_.constants) whole_vector(bits);
    }

    /// All lanes, unless the first vector is the last.
    void begin_row(Xbyak::Label const& iteration) {
        kxnorw(X86Iteration::tail_mask(), X86Iteration::tail_mask(), X86Iteration::tail_mask());
        cmp(rdi, static_cast<int>(lanes));
        ja(iteration, T_NEAR);
        take_tail();
    }
    void take_tail() {
        mov(rax, kept(1));
        kmovw(X86Iteration::tail_mask(), ptr[rax + offsetof(Rows, tail)]);
    }

    void go_to_next_row() {
        Xbyak::Label alone;
        mov(rsi, rdi);
        imul(rsi, part_);
        shr(rsi, shift_of_part());
        test(next_, next_);
        jz(alone);
        X86Instructions::add(next_, rsi);
        L(alone);
        mov(rax, kept(1));
        for (std::size_t k = 0; k < operands.size(); ++k) {
            int const at = static_cast<int>(k);
            Xbyak::Address const step = ptr[rax + (offsetof(Rows, steps) + 8 * k)];
            if (!memory_.on_stack[k]) {
                X86Instructions::add(memory_.pointers[k], step);
                continue;
            }
            mov(rsi, kept(3 + at));
            X86Instructions::add(rsi, step);
            mov(kept(3 + at), rsi);
            spread(at, rsi);
        }
        X86Instructions::add(rdx, ptr[rax + offsetof(Rows, result_step)]);
    }

    int shift_of_part() const { return VectorLoop::Code::element_bytes == 4 ? 4 : 3; }  // of bytes, 64ths

    VectorLoop::Use const use_;
    bool const second_level_;  // what is asked for ahead
    DType const type_;
    jit::LoopMemory memory_;
    Reg64 old_stack_ = rbx, next_ = r14, part_ = r15;
    Xbyak::Label pool_;
};

}  // namespace

std::unique_ptr<VectorLoop::Code> VectorLoop::Code::emit(LaneCode const& fast, LaneCode const& whole, Use const& use,
                                                         InstructionSet set) {
    int const most = set == InstructionSet::avx512 ? 20 : 6, fewer = set == InstructionSet::avx512 ? 4 : 2;
    for (int held = most; held >= 0; held -= fewer) {
        try {
            return std::make_unique<Emitter>(fast, whole, use, set, held);
        } catch (jit::OutOfRegisters const&) {
            continue;
        } catch (Xbyak::Error const&) {  // no memory, or none that may be executed
            return nullptr;
        }
    }
    return nullptr;
}

}  // namespace ein::scalar
