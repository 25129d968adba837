// A part of a kernel as a kernel of its own: what it computes, of which operands and labels of the whole.
// Example: of where([i] >= [j], x*y, 0) the step where([i] >= [j], x, 0), which reads operand 0.
#pragma once

#include <span>
#include <vector>

#include "executor/device/device.hpp"
#include "lib/graph/join_step.hpp"

namespace ein::executor {

/// Of some labels of a call that has these lengths.
inline Shape lengths_of(std::vector<int> const& labels, Shape const& lengths) {
    Shape out;
    for (int label : labels) out.push_back(lengths[static_cast<std::size_t>(label)]);
    return out;
}

struct KernelStep {
    schedule::Kernel kernel;
    std::vector<int> operands, labels;  // of the whole

    /// @param output  labels of its result, of the whole
    static KernelStep of(schedule::Kernel const& whole, scalar::Expr const& part, std::vector<int> const& output,
                         scalar::Agg agg) {
        graph::JoinStep step = graph::step_of(whole.einsum, part, output, agg);
        return {{whole.node, std::move(step.einsum), whole.compute}, std::move(step.operands), std::move(step.labels)};
    }

    /// Its shape in a call of the whole of these lengths, with a result in C order.
    KernelShape shape(KernelShape const& whole, Shape const& lengths, DType output) const {
        KernelShape out;
        out.kernel = &kernel;
        out.lengths = lengths_of(labels, lengths);
        for (int operand : operands) {
            out.operand_strides.push_back(whole.operand_strides[static_cast<std::size_t>(operand)]);
            out.operand_dtypes.push_back(whole.operand_dtypes[static_cast<std::size_t>(operand)]);
        }
        out.output_strides = row_major_strides(lengths_of(kernel.einsum.output, out.lengths));
        out.output_dtype = output;
        return out;
    }

    /// Its call in one of the whole.
    void launch(PreparedKernel const& prepared, std::span<void const* const> of_whole, std::span<Extent const> begin,
                void* output, WorkerTeam& team) const {
        std::vector<void const*> read;
        std::vector<Extent> first;
        for (int operand : operands) read.push_back(of_whole[static_cast<std::size_t>(operand)]);
        for (int label : labels) first.push_back(begin[static_cast<std::size_t>(label)]);
        prepared.launch({read, output, first}, team);
    }
};

}  // namespace ein::executor
