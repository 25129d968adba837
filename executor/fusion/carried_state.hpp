// What a fused group keeps of a piece of rows while it goes over pieces of them: results of steps that have nothing to
// do with the label that is cut, and what is reduced over it so far; and the small kernels that take in one more piece.
// A row whose maximum is still -inf has met nothing: what was summed of it, exp(-inf - -inf), is dropped when its
// maximum becomes a number; if it never does the sum is nan, as it is without pieces.
// Example: m = 3 and s = 2 so far; a piece with maximum 5 and, under 5, sum 1: m = 5, s = 2*exp(3 - 5) + 1.
#pragma once

#include <memory>
#include <vector>

#include "executor/device/device.hpp"
#include "executor/fusion/carried_steps.hpp"

namespace ein::executor {

class CarriedState {
public:
    /// @param shapes  of the steps, for a piece  @param result  what the last step's output is outside
    CarriedState(std::vector<FusedStep> const& steps, std::vector<CarriedStep> const& carried,
                 std::vector<KernelShape> const& shapes, KernelShape const& result, Device& device,
                 scalar::Params const& params);

    std::size_t bytes() const { return bytes_; }
    /// Nothing is reduced yet.
    void begin(std::byte* memory) const;
    /// Adds a piece's part of what the step reduces.
    void combine(std::size_t step, std::byte const* part, std::byte* memory) const;
    /// Scales what the step has reduced, and moves that of the last step out.
    void finish(std::size_t step, std::byte* memory, std::byte* result) const;
    /// Where the step's output lies; of one that is carried, as it is so far.
    std::size_t so_far(std::size_t step) const { return steps_[step].so_far; }
    /// The same when all pieces were there.
    std::size_t finished(std::size_t step) const { return steps_[step].finished; }

private:
    /// A kernel on elements of a step's output.
    struct Small {
        std::unique_ptr<schedule::Kernel const> kernel;
        std::unique_ptr<PreparedKernel const> prepared;
        std::vector<std::size_t> operands;  // places in memory
        std::size_t rank = 0;               // of the output
    };
    struct Step {
        std::size_t so_far = 0, finished = 0;  // places in memory
        std::size_t before = 0, change = 0;    // of one that shifts others: what it was, and what that multiplies
        bool is_carried = false, shifts_others = false, is_shifted = false;
        scalar::Agg agg = scalar::Agg::sum;
        DType type = DType::f32;
        Extent elements = 0;
        Small combine, changes, finish;
    };
    class Making;

    static void launch(Small const& small, std::vector<void const*> const& operands, void* output);

    std::vector<Step> steps_;
    std::size_t bytes_ = 0;
};

}  // namespace ein::executor
