// CUDA's run-time compiler (NVRTC): which of those installed is taken for a GPU, and texts compiled by it. A newer
// NVRTC does not compile for old GPUs (13 knows none before sm_75), and each loads a library of builtins by its bare
// name when it compiles: so one is taken only if it compiles a line for the GPU at hand.
// Example: compiler(90).compile("extern \"C\" __global__ void f() {}", "f") is the machine's code for an H100.
#pragma once

#include <string>

#include "executor/device/cuda/driver/driver.hpp"

namespace ein::executor::cuda {

class Compiler {
public:
    /// @throws RunError for a library that will not do
    Compiler(SharedLibrary const& library, int architecture);

    int major() const { return major_; }
    /// "sm_90-13.0": GPU and version.
    std::string kind() const;
    /// Those of every compilation: code depends on them too.
    static std::string options();
    /// @return the machine's code  @throws InternalError with the compiler's messages
    std::string compile(std::string const& text, std::string const& kernel) const;

private:
    CompilerTable functions_;
    int architecture_;
    int major_ = 0, minor_ = 0;
};

/// That for a GPU of compute capability 9.0 (90). Chosen by the first who asks.
/// @throws RunError where there is none, saying what was looked for where
Compiler const& compiler(int architecture);

}  // namespace ein::executor::cuda
