// Memory for programs to work in. Example: Scratch(program.scratch_bytes()).get().
#pragma once

#include <cstddef>
#include <cstdlib>

namespace ein::scalar {

/// Scratch of exactly the promised size, so that a sanitizer sees every byte beyond it.
class Scratch {
public:
    explicit Scratch(std::size_t bytes)
        : bytes_(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64))) {}
    ~Scratch() { std::free(bytes_); }
    Scratch(Scratch const&) = delete;
    Scratch& operator=(Scratch const&) = delete;
    std::byte* get() const { return bytes_; }

private:
    std::byte* bytes_;
};

}  // namespace ein::scalar
