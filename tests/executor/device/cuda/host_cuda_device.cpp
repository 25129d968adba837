#include "tests/executor/device/cuda/host_cuda_device.hpp"

#include <algorithm>

#include "executor/device/cuda/program_kernel.hpp"
#include "lib/base/error.hpp"

namespace ein::executor::cuda {
namespace {

constexpr std::size_t most_units = 4, kernels_of_a_unit = 20;

}  // namespace

std::unique_ptr<PreparedKernel const> HostCudaDevice::prepare(KernelShape const& shape, scalar::Params const& params) {
    return std::make_unique<ProgramKernel<HostCudaDevice, Program>>(*this, einsum_program(shape, params, gpu_));
}

void HostCudaDevice::compile() {
    std::size_t const units = std::min(most_units, 1 + sources_.size() / kernels_of_a_unit);
    std::vector<std::string> texts(units, prelude());
    std::size_t next = 0;
    for (auto const& [name, source] : sources_) texts[next++ % units] += source;
    kernels_ = std::make_unique<HostKernels>(texts);
}

int HostCudaDevice::runs_of(std::string const& stem) const {
    auto const found = runs_.find(stem);
    return found == runs_.end() ? 0 : found->second;
}

void HostCudaDevice::run(Program const& program, Call call) {
    if (kernels_ == nullptr) {
        for (Launch const& launch : program.launches) sources_[launch.kernel.name] = launch.kernel.source;
        return;
    }
    std::vector<double> scratch(static_cast<std::size_t>(program.scratch_bytes) / 8 + 2, -12345.0);
    Fault fault;
    call.scratch = scratch.data();
    call.fault = &fault;
    for (Launch const& launch : program.launches) {
        std::vector<std::uint64_t> words = arguments(launch, call);
        void* args[] = {words.data()};
        unsigned const grid[] = {launch.grid_x, launch.grid_y, 1}, block[] = {launch.block, 1, 1};
        if (kernels_->entry(launch.kernel.name)(args, grid, block, 0) != 0)
            throw RunError(launch.kernel.name + ": some threads wait at a barrier for others that have ended");
        std::string const& name = launch.kernel.name;
        ++runs_[name.substr(4, name.rfind('_') - 4)];
    }
    check(fault);
}

void HostCudaDevice::copy(CopyCall const& call, WorkerTeam&) {
    run(copy_program(call, gpu_), {std::span(&call.from, 1), call.to});
}

void HostCudaDevice::reshape(ReshapeCall const& call, WorkerTeam&) {
    run(reshape_program(call, gpu_), {std::span(&call.from, 1), call.to});
}

void HostCudaDevice::fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam&) {
    run(fill_program(to, elements, dtype, value, gpu_), {{}, to});
}

}  // namespace ein::executor::cuda
