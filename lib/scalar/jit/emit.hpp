// Machine code of a vector loop: LaneCode in registers, the constants that find no register and elements that stand for
// all in memory.
#pragma once

#include <cstddef>
#include <memory>

#include "lib/scalar/jit/lane_code.hpp"
#include "lib/scalar/jit/vector_loop.hpp"

namespace ein::scalar {

class VectorLoop::Code {
public:
    virtual ~Code() = default;
    std::size_t lanes = 0, element_bytes = 0, result_bytes = 0;
    std::vector<int> operands;               // numbers of those that the loop reads
    std::vector<std::size_t> operand_bytes;  // by place in `operands`: of an element in memory

    bool has_tails = false;  // whole vectors may be more than a row has: only what Rows::tail says of the last is done

    /// Of a loop over rows: how many, and bytes from each to the next; by place in `operands`.
    struct Rows {
        std::size_t count = 1;
        std::size_t tail = 0xffff;  // lanes of the last vector of a row, a bit each
        std::ptrdiff_t result_step = 0;
        std::ptrdiff_t steps[VectorLoop::most_operands] = {};
    };

    /// @param vectors  at least 1  @param of_operands  in the order of `operands`
    /// @param next  asked for meanwhile, into the second level: `part` 64ths of what the loop goes over; null: nothing
    void run(std::size_t vectors, void const* const* of_operands, void* result, Rows const& rows,
             void const* next = nullptr, std::size_t part = 0) const {
        entry_(vectors, of_operands, result, next, part, &rows);
    }

    /// @param fast  may refuse lanes, for which `whole` is done
    /// @return nothing where registers do not suffice or the system forbids code made at run time
    static std::unique_ptr<Code> emit(jit::LaneCode const& fast, jit::LaneCode const& whole, Use const& use,
                                      InstructionSet set);

protected:
    using Entry = void (*)(std::size_t vectors, void const* const* operands, void* result, void const* next,
                           std::size_t part, Rows const* rows);
    Entry entry_ = nullptr;
};

}  // namespace ein::scalar
