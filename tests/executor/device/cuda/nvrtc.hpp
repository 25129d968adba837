// NVIDIA's run-time compiler, where it is installed: it needs no GPU. Found with dlopen, so that tests build without
// it. Example: if (auto nvrtc = Nvrtc::find()) nvrtc->compile(text, "--gpu-architecture=sm_90") is {true, ""} or says
// why.
#pragma once

#include <optional>
#include <string>

namespace ein::executor::cuda {

class Nvrtc {
public:
    /// @return nothing where there is no libnvrtc
    static std::optional<Nvrtc> find();

    struct Result {
        bool compiled = false;
        std::string log;   // errors and warnings
        std::string code;  // PTX, or a cubin for a real architecture
    };
    Result compile(std::string const& text, std::string const& architecture) const;

private:
    explicit Nvrtc(void* library) : library_(library) {}
    template <class Function>
    Function function(char const* name) const;

    void* library_;  // stays loaded
};

}  // namespace ein::executor::cuda
