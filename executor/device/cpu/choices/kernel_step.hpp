// A part of a kernel as a kernel of its own: what it computes, of which operands and labels of the whole.
// Example: of where([i] >= [j], x*y, 0) the step where([i] >= [j], x, 0), which reads operand 0.
#pragma once

#include <functional>
#include <memory>

#include "executor/device/device.hpp"
#include "lib/graph/join_step.hpp"

namespace ein::executor {

using PrepareKernel = std::function<std::unique_ptr<PreparedKernel const>(KernelShape const&)>;

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
        for (int label : labels) out.lengths.push_back(lengths[static_cast<std::size_t>(label)]);
        for (int operand : operands) {
            out.operand_strides.push_back(whole.operand_strides[static_cast<std::size_t>(operand)]);
            out.operand_dtypes.push_back(whole.operand_dtypes[static_cast<std::size_t>(operand)]);
        }
        Shape result;
        for (int label : kernel.einsum.output) result.push_back(out.lengths[static_cast<std::size_t>(label)]);
        out.output_strides = row_major_strides(result);
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
