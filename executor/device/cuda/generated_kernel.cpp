#include "executor/device/cuda/generated_kernel.hpp"

#include <algorithm>

#include "executor/device/cuda/program_kernel.hpp"
#include "executor/device/cuda/source/join_source.hpp"

namespace ein::executor::cuda {

std::unique_ptr<PreparedKernel const> make_generated_kernel(Launcher& launcher, KernelShape const& shape,
                                                            scalar::Params const& params) {
    PreparedProgram program = launcher.prepare(einsum_program(shape, params, launcher.shape()));
    if (may_fault(shape.kernel->einsum.join)) launcher.expect_faults();
    return std::make_unique<ProgramKernel<Launcher, PreparedProgram>>(launcher, std::move(program));
}

PreparedProgram strided_copy(Launcher& launcher, StridedCopy const& copy) {
    graph::EinSum einsum;
    einsum.inputs.emplace_back();
    KernelShape shape;
    shape.lengths = copy.lengths;
    shape.operand_strides = {copy.from};
    shape.operand_dtypes = {copy.from_dtype};
    shape.output_dtype = copy.to_dtype;
    shape.accumulate = copy.accumulate;
    for (std::size_t l = 0; l < copy.lengths.size(); ++l) {
        int const label = static_cast<int>(l);
        einsum.labels.push_back("l" + std::to_string(l));
        einsum.inputs[0].push_back(label);
        if (copy.to[l] == 0) continue;
        einsum.output.push_back(label);
        shape.output_strides.push_back(copy.to[l]);
    }
    einsum.extents = copy.lengths;
    einsum.join = scalar::product(1);
    schedule::Kernel const kernel{"a copy", einsum, copy.sum_dtype};
    shape.kernel = &kernel;
    return launcher.prepare(einsum_program(shape, {}, launcher.shape()));
}

}  // namespace ein::executor::cuda
