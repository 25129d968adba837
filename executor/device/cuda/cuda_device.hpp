// An NVIDIA GPU. Sums of products go to cuBLAS, everything else is compiled from text when the run is prepared. One
// device a rank; ranks may share a GPU. Every failure of CUDA's is a RunError with its words, also one that kernels
// caused before: then it comes with the next call. Leaves which blocks lie where to device_cache.hpp. Considered: (1)
// linking CUDA's libraries: einrun would not start where they are missing; (2) the runtime API and nvcc: kernels would
// be compiled for shapes and GPUs that are not known yet; (3) this: the driver API, loaded when it is asked for, and
// texts that know their shapes.
#pragma once

#include "executor/device/accelerator.hpp"
#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cuda/driver/blas_handle.hpp"
#include "executor/device/cuda/driver/launcher.hpp"
#include "executor/device/cuda/make_cuda_device.hpp"
#include "executor/device/cuda/move_programs.hpp"

namespace ein::executor::cuda {

class CudaDevice final : public Accelerator {
public:
    explicit CudaDevice(CudaOptions options);
    ~CudaDevice() override;

    std::string_view name() const override { return "cuda"; }
    std::string description() const override { return context_.gpu().text(); }
    void expect_copy(CopyCall const& call) override;
    void expect_reshape(ReshapeCall const& call) override;
    void expect_fill(Extent elements, DType dtype, scalar::Scalar const& value) override;
    std::string nearest_cores() const override { return context_.gpu().nearest_cores; }
    bool allows_tf32() const override { return options_.tf32; }
    std::unique_ptr<PreparedKernel const> prepare(KernelShape const& shape, scalar::Params const& params) override;
    void copy(CopyCall const& call, WorkerTeam& team) override;
    void reshape(ReshapeCall const& call, WorkerTeam& team) override;
    void fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam& team) override;

    std::int64_t free_memory() const override;
    std::byte* reserve(std::int64_t bytes) override;
    std::byte* allocate_host(std::int64_t bytes) override;
    void free_host(std::byte* memory, std::int64_t bytes) noexcept override;
    void enter() override { context_.enter(); }
    void copy_in(std::byte* device, std::byte const* host, std::int64_t bytes) override;
    void copy_out(std::byte* host, std::byte const* device, std::int64_t bytes) override;
    std::int64_t launches() const override { return launcher_.launches(); }
    Mark mark(Stream stream) override { return of(stream).mark(); }
    void wait(Stream waits, Stream of_stream, Mark mark) override { of(waits).wait(of(of_stream), mark); }
    bool passed(Stream of_stream, Mark mark) override { return of(of_stream).passed(mark); }
    void sync(Stream of_stream, Mark mark) override;
    void drain() noexcept override;

private:
    MarkedStream& of(Stream stream) { return streams_[static_cast<std::size_t>(stream)]; }
    void run(PreparedProgram const& program, void const* from, void* to);

    CpuDevice host_;  // runs sparse kernels
    CudaOptions const options_;
    Context const context_;
    Events events_;
    MarkedStream streams_[streams];
    DeviceBytes blocks_;
    Launcher launcher_;
    MovePrograms moves_;
    BlasHandle blas_;
};

}  // namespace ein::executor::cuda
