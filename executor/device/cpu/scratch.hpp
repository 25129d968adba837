// Working memory of a launch, from a stack that each thread keeps: small kernels never call the allocator.
// Example: Scratch scratch(1000); scratch.data() holds 1000 bytes at a multiple of 64 until `scratch` goes.
#pragma once

#include <cstddef>

#include "executor/device/cpu/machine.hpp"

namespace ein::executor {

class Scratch {
public:
    /// @throws MemoryError when the system has no more
    explicit Scratch(std::size_t bytes);
    ~Scratch();
    Scratch(Scratch const&) = delete;
    Scratch& operator=(Scratch const&) = delete;
    std::byte* data() const { return data_; }

    /// The most bytes of this thread's stack that were taken at a time since this was last asked: what launches may
    /// have left there.
    static std::size_t take_peak();

private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    bool on_stack_ = false;
};

/// Rounds up to a whole number of cache lines.
constexpr std::size_t lines(std::size_t bytes) {
    return (bytes + machine::cache_line - 1) / machine::cache_line * machine::cache_line;
}

}  // namespace ein::executor
