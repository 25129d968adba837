#include "executor/device/cuda/cuda_device.hpp"

#include <algorithm>

#include "executor/device/cuda/cublas_kernel.hpp"
#include "executor/device/cuda/driver/compiler.hpp"
#include "executor/device/cuda/generated_kernel.hpp"
#include "executor/device/cuda/tuning.hpp"
#include "executor/device/host_kernel.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "lib/base/error.hpp"

namespace ein::executor::cuda {
namespace {

CUdeviceptr address(std::byte const* at) { return reinterpret_cast<CUdeviceptr>(at); }
std::size_t count(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

CudaDevice::CudaDevice(CudaOptions options)
    : options_(options),
      context_(choose_gpu(options.seat)),
      streams_{{context_, events_}, {context_, events_}, {context_, events_}},
      launcher_(context_, events_, of(Stream::compute)),
      moves_(launcher_),
      blas_(launcher_) {
    compiler(context_.gpu().architecture);  // rather now than in the middle of the run
}

CudaDevice::~CudaDevice() { CudaDevice::drain(); }

std::unique_ptr<PreparedKernel const> CudaDevice::prepare(KernelShape const& shape, scalar::Params const& params) {
    context_.enter();
    executor::check(shape);
    if (shape.sparse) return std::make_unique<HostKernel>(host_.prepare(shape, params));
    if (auto product = make_cublas_kernel(launcher_, blas_, shape, params, options_)) return product;
    return make_generated_kernel(launcher_, shape, params);
}

void CudaDevice::run(PreparedProgram const& program, void const* from, void* to) {
    launcher_.run(program, {std::span(&from, 1), to});
}

void CudaDevice::copy(CopyCall const& call, WorkerTeam&) { run(moves_.of(call), call.from, call.to); }

void CudaDevice::reshape(ReshapeCall const& call, WorkerTeam&) { run(moves_.of(call), call.from, call.to); }

void CudaDevice::fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam&) {
    run(moves_.of_fill(to, elements, dtype, value), nullptr, to);
}

void CudaDevice::expect_copy(CopyCall const& call) { moves_.of(call); }

void CudaDevice::expect_reshape(ReshapeCall const& call) { moves_.of(call); }

void CudaDevice::expect_fill(Extent elements, DType dtype, scalar::Scalar const& value) {
    moves_.of_fill(nullptr, elements, dtype, value);
}

std::int64_t CudaDevice::free_memory() const {
    std::int64_t const mine = free_bytes(context_) / context_.gpu().sharers;
    std::int64_t const others = tuning::memory_for_code + BlasHandle::workspace_bytes + launcher_.most_scratch();
    return std::max<std::int64_t>(mine - others, mine / 2);
}

std::byte* CudaDevice::reserve(std::int64_t bytes) {
    promise(blocks_.data() == nullptr, "the GPU's memory is reserved twice");
    blocks_ = DeviceBytes(context_, bytes, "blocks");
    launcher_.finish();
    return blocks_.data();
}

std::byte* CudaDevice::allocate_host(std::int64_t bytes) { return allocate_pinned(context_, bytes); }

void CudaDevice::free_host(std::byte* memory, std::int64_t) noexcept { free_pinned(context_, memory); }

void CudaDevice::copy_in(std::byte* device, std::byte const* host, std::int64_t bytes) {
    if (bytes == 0) return;
    context_.enter();
    driver().cuMemcpyHtoDAsync(address(device), host, count(bytes), of(Stream::in).get());
    of(Stream::in).asked();
}

void CudaDevice::copy_out(std::byte* host, std::byte const* device, std::int64_t bytes) {
    if (bytes == 0) return;
    context_.enter();
    driver().cuMemcpyDtoHAsync(host, address(device), count(bytes), of(Stream::out).get());
    of(Stream::out).asked();
}

void CudaDevice::sync(Stream of_stream, Mark mark) {
    of(of_stream).sync(mark);
    if (of_stream == Stream::compute) launcher_.check_fault();
}

void CudaDevice::drain() noexcept {
    for (MarkedStream& stream : streams_) stream.drain();
}

std::unique_ptr<Accelerator> make_cuda_device(CudaOptions options) { return std::make_unique<CudaDevice>(options); }

namespace {

template <class Try>
std::string problem_of(Try const& attempt) {
    try {
        attempt();
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

std::string gpu_problem(ChosenGpu& found) {
    return problem_of([&] { found = choose_gpu({}); });
}

std::string library_problem(ChosenGpu const& gpu) {
    return problem_of([&] {
        compiler(gpu.architecture);
        blas(gpu.architecture);
    });
}

}  // namespace

std::string cuda_library_problem() {
    ChosenGpu gpu;
    return gpu_problem(gpu).empty() ? library_problem(gpu) : "";
}

std::string cuda_problem() {
    ChosenGpu gpu;
    std::string const problem = gpu_problem(gpu);
    return problem.empty() ? library_problem(gpu) : problem;
}

}  // namespace ein::executor::cuda
