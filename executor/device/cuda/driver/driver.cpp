#include "executor/device/cuda/driver/driver.hpp"

#include <algorithm>
#include <map>

#include "executor/device/cuda/driver/compiler.hpp"
#include "lib/base/error.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor::cuda {
namespace {

constexpr int oldest = 12;  // major version of CUDA that we know the libraries of

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Driver load_driver() {
    Driver found{SharedLibrary::open({"libcuda.so.1"},
                                     "install NVIDIA's driver (nvidia-smi then lists the GPUs), or use --device cpu")};
    int version = 0;
    if (found.cuDriverGetVersion.status(&version) != CUDA_SUCCESS || version < 1000 * oldest)
        throw RunError("--device cuda: expected a driver for CUDA " + std::to_string(oldest) +
                       " or later, found one for CUDA " + version_text(version) +
                       "; update NVIDIA's driver, or use --device cpu");
    return found;
}

}  // namespace

Driver const& driver() {
    static Driver const loaded = load_driver();
    return loaded;
}

std::vector<std::string> names_for_driver(std::string const& stem, int newest) {
    std::vector<std::string> names;
    for (int major = std::min(newest, driver_version() / 1000); major >= oldest; --major)
        names.push_back(stem + std::to_string(major));
    return names;
}

std::string fix_of_toolkit() {
    return "install the libraries of CUDA " + std::to_string(driver_version() / 1000) + " (the driver supports up to " +
           version_text(driver_version()) +
           "), or name CUDA's folder in CUDA_HOME, or that of the libraries in LD_LIBRARY_PATH";
}

Blas const& blas(int architecture) {
    static Mutex mutex;
    static std::map<int, Blas> loaded;  // by the newest major version that will do
    int const newest = compiler(architecture).major();
    MutexLock const lock(mutex);
    auto const known = loaded.find(newest);
    if (known != loaded.end()) return known->second;
    return loaded
        .try_emplace(newest, Blas{SharedLibrary::open(names_for_driver("libcublas.so.", newest), fix_of_toolkit())})
        .first->second;
}

int driver_version() {
    int version = 0;
    driver().cuDriverGetVersion(&version);
    return version;
}

std::string text_of(CUresult code) {
    char const *name = nullptr, *words = nullptr;
    driver().cuGetErrorName.status(code, &name);
    driver().cuGetErrorString.status(code, &words);
    if (name == nullptr || words == nullptr) return "unknown error " + std::to_string(static_cast<int>(code));
    return std::string(words) + " (" + name + ")";
}

std::string text_of(nvrtcResult code) {
    switch (code) {
        case NVRTC_ERROR_OUT_OF_MEMORY: return "no memory (NVRTC_ERROR_OUT_OF_MEMORY)";
        case NVRTC_ERROR_INVALID_OPTION: return "an option that it does not know (NVRTC_ERROR_INVALID_OPTION)";
        case NVRTC_ERROR_COMPILATION: return "errors in the text (NVRTC_ERROR_COMPILATION)";
        case NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
            return "its library of builtins is missing (NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)";
        default: return "error " + std::to_string(static_cast<int>(code)) + " of NVRTC";
    }
}

std::string text_of(cublasStatus_t code) {
    switch (code) {
        case CUBLAS_STATUS_SUCCESS:
        case CUBLAS_STATUS_MAPPING_ERROR:
        case CUBLAS_STATUS_LICENSE_ERROR: break;
        case CUBLAS_STATUS_NOT_INITIALIZED: return "not initialised (CUBLAS_STATUS_NOT_INITIALIZED)";
        case CUBLAS_STATUS_ALLOC_FAILED: return "no memory (CUBLAS_STATUS_ALLOC_FAILED)";
        case CUBLAS_STATUS_INVALID_VALUE: return "an argument that it does not allow (CUBLAS_STATUS_INVALID_VALUE)";
        case CUBLAS_STATUS_ARCH_MISMATCH: return "not on this GPU (CUBLAS_STATUS_ARCH_MISMATCH)";
        case CUBLAS_STATUS_EXECUTION_FAILED: return "the GPU failed (CUBLAS_STATUS_EXECUTION_FAILED)";
        case CUBLAS_STATUS_INTERNAL_ERROR: return "an error of its own (CUBLAS_STATUS_INTERNAL_ERROR)";
        case CUBLAS_STATUS_NOT_SUPPORTED: return "not supported (CUBLAS_STATUS_NOT_SUPPORTED)";
    }
    return "error " + std::to_string(static_cast<int>(code)) + " of cuBLAS";
}

void throw_failed(char const* call, std::string const& why) {
    throw RunError("the GPU: " + std::string(call) + " failed: " + why);
}

}  // namespace ein::executor::cuda
