// Generated kernels compiled for the CPU: host_shim.hpp, a prelude and sources go through the C++ compiler into a
// shared library of their own. Compiling takes seconds, so many kernels go into one library. Example: HostKernels
// kernels({text}); kernels.entry("ein_map_0123") runs that kernel.
#pragma once

#include <string>
#include <vector>

namespace ein::executor::cuda {

using HostEntry = int (*)(void** args, unsigned const* grid, unsigned const* block, unsigned shared_bytes);

class HostKernels {
public:
    /// @param units  translation units, each a prelude and sources; they are compiled beside one another
    /// @throws RunError with the compiler's messages
    explicit HostKernels(std::vector<std::string> const& units);
    ~HostKernels();
    HostKernels(HostKernels const&) = delete;

    /// @throws RunError for a kernel that is not there
    HostEntry entry(std::string const& name) const;

private:
    std::vector<void*> libraries_;
};

/// The text of host_shim.hpp.
std::string const& host_shim();

}  // namespace ein::executor::cuda
