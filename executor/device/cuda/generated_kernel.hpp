// Any EinSum as a kernel made from text (program.hpp), and copies between layouts, which other kernels begin and end
// with.
#pragma once

#include <memory>

#include "executor/device/cuda/driver/launcher.hpp"

namespace ein::executor::cuda {

std::unique_ptr<PreparedKernel const> make_generated_kernel(Launcher& launcher, KernelShape const& shape,
                                                            scalar::Params const& params);

/// Elements brought from one layout to another and from one type to another. Steps are in elements, one for each label;
/// a label without a step in the output is summed over. Example: lengths {3, 4}, from {4, 1}, to {1, 3} transposes a 3
/// x 4 matrix.
struct StridedCopy {
    Shape lengths;
    std::vector<Extent> from, to;
    DType from_dtype, to_dtype;
    DType sum_dtype;          // in which sums are formed
    bool accumulate = false;  // add to what is there
};
PreparedProgram strided_copy(Launcher& launcher, StridedCopy const& copy);

}  // namespace ein::executor::cuda
