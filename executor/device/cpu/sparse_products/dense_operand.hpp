// A dense operand beside sparse ones, as loops of one type want it: elements of that type, and those along one label
// side by side. One that lies otherwise is copied first, by all threads.
// Example: a bf16 matrix beside an f32 sparse one is copied as f32; so is an f32 one that runs the other way.
#pragma once

#include <memory>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/scratch.hpp"

namespace ein::executor {

class DenseOperand {
public:
    /// @param along  a label that runs side by side, or SparsePlan::none
    DenseOperand(KernelShape const& shape, std::size_t operand, int along, DType type);

    std::size_t number() const { return number_; }
    /// From an index of each label of the EinSum to the next, in elements.
    std::vector<Extent> const& strides() const { return strides_; }
    /// Elements of the copy; 0: it is read where it is.
    Extent copied() const { return copied_; }
    /// Of one launch. @param copy  room for `copied` elements
    void const* in(KernelCall const& call, std::byte* copy, WorkerTeam& team) const;

private:
    std::size_t number_;
    std::vector<Extent> strides_;
    Extent copied_ = 0;
    std::shared_ptr<LoopKernel const> copying_;
};

/// The operands of one launch in a type, and the copies among them.
class DenseOperands {
public:
    DenseOperands(std::span<DenseOperand const> operands, std::size_t element, KernelCall const& call,
                  WorkerTeam& team);
    std::span<void const* const> pointers() const { return pointers_; }

private:
    Scratch copies_;
    std::vector<void const*> pointers_;
};

}  // namespace ein::executor
