// Kernels that the CUDA texts and the reference are compared on: random ones, and those that a test names.
// Example: Cases cases; cases.add("ij->i", {40, 300}, "x", Agg::sum, {f32}, f32); cases.run(device) is "" when all
// agree.
#pragma once

#include <memory>
#include <optional>
#include <random>

#include "tests/executor/device/cuda/host_cuda_device.hpp"
#include "tests/executor/device/kernel_case.hpp"

namespace ein::executor::cuda {

struct Case {
    std::string text;  // for messages
    std::unique_ptr<KernelCase> kernel;
    double tolerance = 0;
};

class Cases {
public:
    explicit Cases(unsigned seed) : random_(seed) {}

    /// A kernel with contiguous operands, or scattered in larger blocks. @param compute  else what the types give
    KernelCase& add(std::string const& subscripts, Shape const& extents, std::string const& join, scalar::Agg agg,
                    std::vector<DType> operands, DType output, bool scattered = false, bool accumulate = false,
                    std::optional<DType> compute = {});
    /// A random kernel. @return false when what came up is no kernel, or one that rounding may change
    bool add_random(bool long_labels);

    std::size_t size() const { return cases_.size(); }
    std::mt19937& random() { return random_; }

    /// Has every kernel prepared, so that the device can compile it.
    void gather(HostCudaDevice& device) const;
    /// @return where a kernel's output differs from the reference's, or ""
    std::string differences(Device& device) const;

private:
    KernelCase& keep(std::string const& subscripts, std::string const& join, std::unique_ptr<KernelCase> kernel,
                     bool scattered);

    std::mt19937 random_;
    std::vector<Case> cases_;
};

}  // namespace ein::executor::cuda
