// A Program's join as machine code made when it is first wanted: one loop over the elements, each vector of them loaded
// once, worked on in registers and stored once, where Program::run goes over a tile an operation at a time. The same
// bits, but for which nan, because both come from the same source: the operations of kernel_ops.hpp and
// kernel_math.hpp, recorded and emitted. For programs of f32 or f64 alone, without calls of the C library or
// complex numbers, and with integers only of 32 bits beside labels, on x86 with AVX2 or AVX-512, where the system lets
// programs make code. Operands and results may lie in memory as narrower types. Leaves what it cannot do to Program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lib/scalar/kernels/kernels.hpp"
#include "lib/scalar/program/program.hpp"

namespace ein::scalar {

class VectorLoop {
public:
    /// How the loop meets its operands and its result.
    struct Use {
        std::vector<bool> constant;  // by operand: one element stands for all
        std::vector<bool> ahead;     // by operand: asked for before its turn
        // That is 8 KiB before, into the second-level cache, as long programs ask too; else 4 KiB, into the first.
        bool second_level = false;
        // The result is written without its lines being read: who lets others see it fences before.
        bool past_cache = false;
        // By operand that is no constant: how it lies in memory, if not in the program's type. None: all lie in that.
        std::vector<std::optional<DType>> from = {};
        std::optional<DType> to = {};  // the same of the result
        // Where labels stand for operands behind the others, i32 each and no larger than most_of_a_label: the number of
        // the first. 0: there are none. `from` then has the types of operands that are integers, constant ones too: an
        // i64 is one of these, and given as the nearest i32.
        std::size_t labels = 0;
        // The label that is one more from element to element; the last operand counts 0, 1, 2, ... for it.
        int along = -1;
        bool by_row = false;      // run_rows() may be called
        bool with_tails = false;  // of rows that end within a vector, where the instruction set has masks for that
    };
    static constexpr std::size_t most_operands = 16;   // that a loop reads
    static constexpr std::size_t longest_vector = 64;  // bytes
    static constexpr std::int64_t most_of_a_label = std::int64_t{1} << 28;

    /// Whether loops of `type`, f32 or f64, can read operands that lie in memory as `stored`, each element converted on
    /// the way as lib/tensor does it; or write results so.
    static bool reads(DType stored, DType type);
    static bool writes(DType stored, DType type);
    /// Whether loops with labels can write the integers of a join of type `join`, or its truth, as `stored`.
    static bool writes_whole(DType stored, DType join);

    /// Whether rows may end within a vector: the loop goes from each to the next by itself.
    static bool has_tails(InstructionSet set = best_set());

    /// Whether there is a loop for this program at all.
    /// @param use  of a program that asks for labels
    static bool possible(Program const& program, InstructionSet set = best_set());
    static bool possible(Program const& program, Use const& use, InstructionSet set = best_set());
    /// @return nothing where there is none
    static std::unique_ptr<VectorLoop const> make(Program const& program, Use const& use,
                                                  InstructionSet set = best_set());
    ~VectorLoop();

    /// Evaluates the join over `count` elements.
    /// @param operands  as of Program::run, constant as `use` says  @param result  `count` elements; past the cache:
    /// where a
    ///        line begins
    /// @param next  asked for meanwhile, into the second-level cache: as many bytes as the loop goes over at most
    void run(std::size_t count, std::span<TileOperand const> operands, void* result,
             std::span<std::byte const> next = {}) const;

    /// The same for each of several rows of `count` elements.
    /// @param steps  bytes from each row to the next, by operand, constant or not  @param result_step  of results
    void run_rows(std::size_t rows, std::size_t count, std::span<TileOperand const> operands,
                  std::span<std::int64_t const> steps, void* result, std::int64_t result_step,
                  std::span<std::byte const> next = {}) const;

    class Code;  // emit.hpp

private:
    explicit VectorLoop(std::unique_ptr<Code> code);
    static InstructionSet best_set();
    std::unique_ptr<Code> code_;
};

}  // namespace ein::scalar
