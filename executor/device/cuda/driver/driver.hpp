// What we call of CUDA: the driver, the run-time compiler and cuBLAS, as tables of functions that are loaded when a run
// asks for them, never linked. Every call is checked: what fails is a RunError with the call's name and CUDA's own
// words; status() gives the bare code instead. Leaves which library is taken to shared_library.hpp, and
// compiling to compiler.hpp. Example:
// driver().cuMemAlloc(&pointer, 4096) throws "cuMemAlloc_v2: out of memory (CUDA_ERROR_OUT_OF_MEMORY)" where it fails.
#pragma once

#include <cublas_v2.h>
#include <cuda.h>
#include <nvrtc.h>

#include <string>

#include "executor/device/cuda/driver/shared_library.hpp"

namespace ein::executor::cuda {

/// CUDA's words for a code.
std::string text_of(CUresult code);
std::string text_of(nvrtcResult code);
std::string text_of(cublasStatus_t code);

[[noreturn]] void throw_failed(char const* call, std::string const& why);

template <class Prototype>
class Function;
template <class Result, class... Parameters>
class Function<Result(Parameters...)> {
public:
    Function(SharedLibrary const& library, char const* name)
        : name_(name), function_(reinterpret_cast<Result (*)(Parameters...)>(library.function(name))) {}

    /// @throws RunError unless the code is that of success
    void operator()(Parameters... arguments) const {
        if (Result const code = function_(arguments...); code != Result{}) throw_failed(name_, text_of(code));
    }
    Result status(Parameters... arguments) const { return function_(arguments...); }
    char const* name() const { return name_; }

private:
    char const* name_;
    Result (*function_)(Parameters...);
};

// The headers define some names as others (cuMemAlloc as cuMemAlloc_v2): members and the names that are looked up
// follow them.
#define EIN_TEXT_OF(name) #name
#define EIN_TEXT(name) EIN_TEXT_OF(name)
#define EIN_FUNCTION(name) Function<decltype(::name)> name{library, EIN_TEXT(name)};

struct Driver {
    SharedLibrary library;
    EIN_FUNCTION(cuInit)
    EIN_FUNCTION(cuDriverGetVersion)
    EIN_FUNCTION(cuGetErrorName)
    EIN_FUNCTION(cuGetErrorString)
    EIN_FUNCTION(cuDeviceGetCount)
    EIN_FUNCTION(cuDeviceGet)
    EIN_FUNCTION(cuDeviceGetName)
    EIN_FUNCTION(cuDeviceGetAttribute)
    EIN_FUNCTION(cuDeviceGetUuid)
    EIN_FUNCTION(cuDeviceTotalMem)
    EIN_FUNCTION(cuDevicePrimaryCtxRetain)
    EIN_FUNCTION(cuDevicePrimaryCtxRelease)
    EIN_FUNCTION(cuCtxSetCurrent)
    EIN_FUNCTION(cuMemGetInfo)
    EIN_FUNCTION(cuMemAlloc)
    EIN_FUNCTION(cuMemFree)
    EIN_FUNCTION(cuMemAllocHost)
    EIN_FUNCTION(cuMemFreeHost)
    EIN_FUNCTION(cuMemsetD8Async)
    EIN_FUNCTION(cuMemcpyHtoDAsync)
    EIN_FUNCTION(cuMemcpyDtoHAsync)
    EIN_FUNCTION(cuStreamCreate)
    EIN_FUNCTION(cuStreamDestroy)
    EIN_FUNCTION(cuStreamSynchronize)
    EIN_FUNCTION(cuStreamWaitEvent)
    EIN_FUNCTION(cuEventCreate)
    EIN_FUNCTION(cuEventDestroy)
    EIN_FUNCTION(cuEventRecord)
    EIN_FUNCTION(cuEventQuery)
    EIN_FUNCTION(cuEventSynchronize)
    EIN_FUNCTION(cuModuleLoadData)
    EIN_FUNCTION(cuModuleUnload)
    EIN_FUNCTION(cuModuleGetFunction)
    EIN_FUNCTION(cuLaunchKernel)
};

/// NVRTC's functions.
struct CompilerTable {
    SharedLibrary library;
    EIN_FUNCTION(nvrtcVersion)
    EIN_FUNCTION(nvrtcGetNumSupportedArchs)
    EIN_FUNCTION(nvrtcGetSupportedArchs)
    EIN_FUNCTION(nvrtcCreateProgram)
    EIN_FUNCTION(nvrtcDestroyProgram)
    EIN_FUNCTION(nvrtcCompileProgram)
    EIN_FUNCTION(nvrtcGetProgramLogSize)
    EIN_FUNCTION(nvrtcGetProgramLog)
    EIN_FUNCTION(nvrtcGetCUBINSize)
    EIN_FUNCTION(nvrtcGetCUBIN)
};

struct Blas {
    SharedLibrary library;
    EIN_FUNCTION(cublasCreate)
    EIN_FUNCTION(cublasDestroy)
    EIN_FUNCTION(cublasSetStream)
    EIN_FUNCTION(cublasSetWorkspace)
    EIN_FUNCTION(cublasSetAtomicsMode)
    EIN_FUNCTION(cublasSetMathMode)
    EIN_FUNCTION(cublasGemmStridedBatchedEx_64)
};

#undef EIN_FUNCTION

/// Loaded by the first who asks. @throws RunError where it is missing, or older than CUDA 12
Driver const& driver();
/// cuBLAS of the compiler's version for the GPU, or before. @throws RunError where there is none
Blas const& blas(int architecture);

/// Names of CUDA's libraries that go with the driver: "libnvrtc.so.12", the newest first. Libraries of a later CUDA
/// than the driver's make code that it cannot load. @param newest  major version that is still taken
std::vector<std::string> names_for_driver(std::string const& stem, int newest);
/// What to do where none of them will do.
std::string fix_of_toolkit();

/// The CUDA version that the driver supports, as 1000 * major + 10 * minor.
int driver_version();

}  // namespace ein::executor::cuda
