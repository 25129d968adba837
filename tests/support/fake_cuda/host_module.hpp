// What the fake driver loads in place of a cubin: a text, compiled for the CPU through a shim
// (tests/executor/device/cuda/host_shim.hpp). Compiled texts are kept in the folder FAKE_CUDA_CODE, so that tests and
// ranks share them.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace fake_cuda {

/// What the fake compiler's "code" begins with; the text follows.
inline constexpr char const* magic = "fake cubin\n";

struct HostFunction {
    int (*run)(void** arguments, unsigned const* grid, unsigned const* block, unsigned shared);
    std::size_t (*argument_bytes)();
};

class HostModule {
public:
    explicit HostModule(void* library) : library_(library) {}
    /// @return nullptr where there is none
    HostFunction const* function(std::string const& name) const;

private:
    void* library_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, HostFunction> functions_;
};

/// @return nullptr for what is no code of ours, or does not compile (the compiler's messages go to stderr)
HostModule const* load_module(std::string const& image);

}  // namespace fake_cuda
