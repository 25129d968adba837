// Memory of the GPU and of the host, taken from CUDA and given back: one piece for blocks, one that kernels share as
// scratch, small ones for a device's own use. Example: DeviceBytes bytes(context, 4096); kernels are given
// bytes.data().
#pragma once

#include <algorithm>
#include <utility>

#include "executor/device/cuda/driver/context.hpp"

namespace ein::executor::cuda {

/// One allocation on the GPU, or none.
class DeviceBytes {
public:
    DeviceBytes() = default;
    /// @throws MemoryError with what was asked for, what is free, and the fix
    DeviceBytes(Context const& context, std::int64_t bytes, char const* purpose);
    ~DeviceBytes();
    DeviceBytes(DeviceBytes&& other) noexcept { swap(other); }
    DeviceBytes& operator=(DeviceBytes&& other) noexcept {
        swap(other);
        return *this;
    }

    std::byte* data() const { return data_; }
    std::int64_t bytes() const { return bytes_; }

private:
    void swap(DeviceBytes& other) {
        std::swap(context_, other.context_);
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
    }
    Context const* context_ = nullptr;
    std::byte* data_ = nullptr;
    std::int64_t bytes_ = 0;
};

/// Free bytes of the GPU now.
std::int64_t free_bytes(Context const& context);

/// Pinned. @throws MemoryError
std::byte* allocate_pinned(Context const& context, std::int64_t bytes);
void free_pinned(Context const& context, std::byte* memory) noexcept;

/// A pinned allocation of a device's own.
class PinnedBytes {
public:
    PinnedBytes(Context const& context, std::int64_t bytes)
        : context_(context), data_(allocate_pinned(context, bytes)) {}
    ~PinnedBytes() { free_pinned(context_, data_); }
    PinnedBytes(PinnedBytes const&) = delete;
    PinnedBytes& operator=(PinnedBytes const&) = delete;
    std::byte* data() const { return data_; }

private:
    Context const& context_;
    std::byte* data_;
};

/// What kernels of one stream use in turn: as large as any of them needs.
class Scratch {
public:
    explicit Scratch(Context const& context) : context_(context) {}
    /// Of a kernel that will be launched.
    void expect(std::int64_t bytes) { expected_ = std::max(expected_, bytes); }
    /// Takes what is expected. @param stream  on which kernels may still use what there was
    void settle(CUstream stream) { at_least(expected_, stream); }
    /// @return its beginning, at a multiple of 256; nullptr for none
    std::byte* at_least(std::int64_t bytes, CUstream stream);

private:
    Context const& context_;
    std::int64_t expected_ = 0;
    DeviceBytes memory_;
};

}  // namespace ein::executor::cuda
