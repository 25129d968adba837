// What an operand was before a kernel writes over it, for who looks at the kernel's work afterwards.
// Example: of Z = X - G in X's memory, a copy of X: KeptOperand kept(shape, call), launch(call), see(kept.shape()).
#pragma once

#include <cstring>
#include <vector>

#include "executor/device/device.hpp"

namespace ein::executor {

class KeptOperand {
public:
    /// Copies what lies where the output does. @param shape  of a kernel that has such an operand
    KeptOperand(KernelShape const& shape, KernelCall const& call)
        : shape_(shape), operands_(call.operands.begin(), call.operands.end()) {
        auto const over = static_cast<std::size_t>(shape.over);
        Shape lengths;
        for (int label : shape.kernel->einsum.output) lengths.push_back(shape.lengths[static_cast<std::size_t>(label)]);
        auto const size = static_cast<Extent>(size_of(shape.output_dtype));
        copy_.resize(static_cast<std::size_t>(element_count(lengths) * size));
        std::byte* to = copy_.data();
        for_each_index(lengths, [&](std::vector<Extent> const& index) {
            Extent from = 0;
            for (std::size_t axis = 0; axis < index.size(); ++axis)
                from += index[axis] * shape.operand_strides[over][axis] * size;
            std::memcpy(to, static_cast<std::byte const*>(call.operands[over]) + from, static_cast<std::size_t>(size));
            to += size;
        });
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (call.operands[k] == call.operands[over]) {
                operands_[k] = copy_.data();
                shape_.operand_strides[k] = row_major_strides(lengths);
            }
    }
    KeptOperand(KeptOperand const&) = delete;
    KeptOperand& operator=(KeptOperand const&) = delete;

    KernelShape const& shape() const { return shape_; }
    std::span<void const* const> operands() const { return operands_; }

private:
    KernelShape shape_;
    std::vector<void const*> operands_;
    std::vector<std::byte> copy_;
};

}  // namespace ein::executor
