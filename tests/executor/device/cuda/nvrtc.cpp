#include "tests/executor/device/cuda/nvrtc.hpp"

#include <dlfcn.h>

#include <cstddef>

namespace ein::executor::cuda {

std::optional<Nvrtc> Nvrtc::find() {
    for (char const* name : {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13",
                             "/usr/local/cuda/lib64/libnvrtc.so.12", "libnvrtc.so"})
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return Nvrtc(library);
    return std::nullopt;
}

template <class Function>
Function Nvrtc::function(char const* name) const {
    return reinterpret_cast<Function>(dlsym(library_, name));
}

/// The prototypes are those of nvrtc.h; a result of 0 is success.
Nvrtc::Result Nvrtc::compile(std::string const& text, std::string const& architecture) const {
    using Handle = void*;
    auto const create =
        function<int (*)(Handle*, char const*, char const*, int, char const* const*, char const* const*)>(
            "nvrtcCreateProgram");
    auto const compile = function<int (*)(Handle, int, char const* const*)>("nvrtcCompileProgram");
    auto const destroy = function<int (*)(Handle*)>("nvrtcDestroyProgram");
    bool const virtual_gpu = architecture.rfind("compute", 0) == 0;
    auto const read = [&](Handle program, std::string const& what) {
        std::size_t size = 0;
        if (function<int (*)(Handle, std::size_t*)>(("nvrtcGet" + what + "Size").c_str())(program, &size) != 0)
            return std::string();
        std::string got(size, '\0');
        function<int (*)(Handle, char*)>(("nvrtcGet" + what).c_str())(program, got.data());
        return got;
    };
    Handle program = nullptr;
    if (create(&program, text.c_str(), "kernels.cu", 0, nullptr, nullptr) != 0) return {false, "not created", ""};
    std::string const option = "--gpu-architecture=" + architecture;
    char const* const options[] = {option.c_str(), "--std=c++17", "--ptxas-options=--warn-on-local-memory-usage",
                                   "--ptxas-options=--warn-on-spills"};
    Result result;
    result.compiled = compile(program, virtual_gpu ? 2 : 4, options) == 0;
    result.log = read(program, "ProgramLog");
    while (!result.log.empty() && result.log.back() == '\0') result.log.pop_back();
    result.code = read(program, virtual_gpu ? "PTX" : "CUBIN");
    destroy(&program);
    return result;
}

}  // namespace ein::executor::cuda
