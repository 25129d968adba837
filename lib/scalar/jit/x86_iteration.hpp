// One iteration of a vector loop: the instructions of a LaneCode for one vector, and which register holds which value.
// Results of operations live in vector registers (masks of AVX-512 in k1 to k7, those of AVX2 in vector registers)
// until their last reader; nothing is spilled, a loop that needs more is not made. What no register holds is an operand
// in memory. The loop around it, and where its memory comes from, is emit_x86.cpp's.
#pragma once

#include <optional>
#include <vector>

#include "lib/scalar/jit/lane_code.hpp"
#include "lib/scalar/jit/x86_instructions.hpp"

namespace ein::scalar::jit {

struct OutOfRegisters {};

/// Where the loop keeps what it reads. `rsi` is the number of the vector's first element in all that it goes over.
struct LoopMemory {
    std::vector<int> operands;             // numbers of those that the loop reads
    std::vector<bool> on_stack;            // by place in `operands`: one element stands for all, a whole vector of it
    std::vector<Xbyak::Reg64> pointers;    // by place in `operands`: of those in arrays
    std::vector<DType> from;               // by place in `operands`: how those in arrays lie there
    DType to = DType::f32;                 // how the result is stored
    bool past_cache = false;               // and where
    std::vector<std::uint64_t> constants;  // bits; whole vectors from `rbp` on
    bool has_tails = false;                // of vectors only the lanes that the last mask register has are there
    int held = 0;                          // the first so many constants are in the last registers throughout

    int operand_place(std::uint64_t number) const;
    int constant_place(std::uint64_t bits) const;
};

class X86Iteration {
public:
    /// @param slow  where to go when the code refuses a lane; null: nowhere
    static void emit(X86Instructions& to, LoopMemory const& memory, LaneCode const& code, Xbyak::Label* slow);
    /// Of a constant that is held throughout.
    static int held_register(X86Instructions const& x86, int constant) { return x86.vector_registers() - 1 - constant; }
    static Xbyak::Opmask tail_mask() { return Xbyak::Opmask(7); }

private:
    using Xmm = Xbyak::Xmm;
    using Operand = Xbyak::Operand;
    using Address = Xbyak::Address;

    class Registers {
    public:
        Registers(int first, int end);
        int take();
        void give(int index) { free_.push_back(index); }

    private:
        std::vector<int> free_;
    };

    X86Iteration(X86Instructions& to, LoopMemory const& memory, LaneCode const& code);
    static std::vector<int> readers_of(LaneCode const& code);

    // Where a value is.
    int held(LaneValue const& value) const;
    int& register_of(int value) { return register_of_[static_cast<std::size_t>(value)]; }
    bool in_memory(int value) const;
    Address memory(int value) const;
    /// What is loaded or stored of a vector.
    template <class T>
    T there(T const& place) const {
        return memory_.has_tails ? place | tail_mask() : place;
    }
    int in_register(int value);
    bool has_mask_register(int value) const { return x86_.has_mask_registers() && is_mask(code_.at(value).op); }
    int result_register(int value);
    void read(int value);

    /// A value's register or its place in memory.
    class Source {
    public:
        Source(X86Iteration& from, int value);
        operator Operand const&() const { return in_memory_ ? static_cast<Operand const&>(*in_memory_) : in_register_; }

    private:
        std::optional<Address> in_memory_;
        Xmm in_register_;
    };

    // What is done with it.
    void value(int number);
    void operand(int number);
    void store_result();
    using Binary = void (X86Instructions::*)(Xmm const&, Xmm const&, Operand const&);
    void binary(int number, Binary instruction);
    void commuting(int number, Binary instruction);
    void binary(int number, int a, int b, Binary instruction);
    template <class Emit>
    void unary(int number, Emit emit);
    void fused(int number, LaneValue const& v);
    void keep(int number, LaneValue const& v, int argument);
    template <class Emit>
    void comparison(int number, Emit emit);
    void compare(int number, std::uint8_t predicate);
    void compare_whole(int number, bool equal);
    void masks(int number, LaneValue const& v);
    void pick(int number, LaneValue const& v);
    void leave_if_refused(int mask, Xbyak::Label& slow);

    X86Instructions& x86_;
    LoopMemory const& memory_;
    LaneCode const& code_;
    std::vector<int> readers_;  // left
    std::vector<int> register_of_;
    Registers vectors_, masks_;
};

}  // namespace ein::scalar::jit
