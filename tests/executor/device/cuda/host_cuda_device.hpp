// A device whose kernels are the CUDA texts, run on the CPU. First it only gathers the kernels of what it is asked to
// do; after compile() it does it. Example: for two passes over the same cases: device.compile() between them.
#pragma once

#include <map>
#include <memory>

#include "executor/device/cuda/source/program.hpp"
#include "tests/executor/device/cuda/host_kernels.hpp"

namespace ein::executor::cuda {

class HostCudaDevice final : public Device {
public:
    explicit HostCudaDevice(Gpu gpu) : gpu_(gpu) {}
    std::string_view name() const override { return "cuda on the host"; }
    std::unique_ptr<PreparedKernel const> prepare(KernelShape const& shape, scalar::Params const& params) override;
    void copy(CopyCall const& call, WorkerTeam& team) override;
    void reshape(ReshapeCall const& call, WorkerTeam& team) override;
    void fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam& team) override;

    /// Compiles what was gathered; from now on launches run.
    void compile();
    std::size_t gathered() const { return sources_.size(); }
    std::map<std::string, std::string> const& sources() const { return sources_; }
    /// How often launches of kernels with this stem have run: "fold", "merge", ...
    int runs_of(std::string const& stem) const;

    /// @throws InputError for a fault that a kernel finds
    void run(Program const& program, Call call);

private:
    Gpu gpu_;
    std::map<std::string, std::string> sources_;
    std::map<std::string, int> runs_;
    std::unique_ptr<HostKernels> kernels_;
};

}  // namespace ein::executor::cuda
