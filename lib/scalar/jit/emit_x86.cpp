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

constexpr int bytes_ahead = 4096;

class Emitter final : public VectorLoop::Code, private jit::X86Instructions {
public:
    /// @param held  registers that hold constants throughout the loop
    Emitter(LaneCode const& fast, LaneCode const& whole, VectorLoop::Use const& use, InstructionSet set, int held)
        : X86Instructions(room(fast) + room(whole), fast.type(), set), use_(use), type_(fast.type()) {
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
        sub(rsp, 64 + spread_bytes());
        mov(ptr[rsp + spread_bytes()], old_stack_);
        std::size_t used = 0;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            int const at = static_cast<int>(k);
            memory_.on_stack.push_back(use_.constant[static_cast<std::size_t>(operands[k])]);
            if (memory_.on_stack[k]) {
                mov(rbx, ptr[rsi + at * 8]);
                broadcast(0, ptr[rbx]);
                vmovups(ptr[rsp + at * width()], vector(0));
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
        xor_(esi, esi);
    }
    int spread_bytes() const { return static_cast<int>(operands.size()) * width(); }

    void loop(LaneCode const& fast, LaneCode const& whole) {
        Xbyak::Label iteration, next, slow, alone;
        align(64);
        L(iteration);
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (!memory_.on_stack[k] && use_.ahead[static_cast<std::size_t>(operands[k])])
                prefetcht0(ptr[memory_.pointers[k] + rsi * static_cast<int>(operand_bytes[k]) + bytes_ahead]);
        test(next_, next_);
        jz(alone);
        mov(rax, rsi);
        imul(rax, part_);
        shr(rax, VectorLoop::Code::element_bytes == 4 ? 4 : 3);  // of bytes, 64ths
        prefetcht1(ptr[next_ + rax]);
        L(alone);
        X86Iteration::emit(*this, memory_, fast, &slow);
        L(next);
        X86Instructions::add(rsi, static_cast<int>(lanes));
        cmp(rsi, rdi);
        jb(iteration, T_NEAR);
        mov(rsp, ptr[rsp + spread_bytes()]);
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

    VectorLoop::Use const use_;
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
