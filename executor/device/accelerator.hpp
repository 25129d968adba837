// A device with memory of its own. Kernels, copies to it and copies from it run on three streams beside the host and
// beside each other; what is asked of one stream is done in order, and marks order streams among each other. CUDA is
// one (cuda/), another one stands in for it in tests (emulated_device.hpp). Leaves which blocks are where to
// schedule::DeviceMemory, and asking in the right order to device_cache.hpp. Example: copy_in(to, from, 4096);
// wait(Stream::compute, Stream::in, mark(Stream::in)); then a kernel may read `to`.
#pragma once

#include <string>

#include "executor/device/device.hpp"

namespace ein::executor {

enum class Stream : std::uint8_t { compute, in, out };
inline constexpr std::size_t streams = 3;

class Accelerator : public Device {
public:
    /// What was asked of a stream so far; 0: nothing.
    using Mark = std::int64_t;

    /// Cores of this host that reach it soonest, as Linux lists them ("0-15,32-47"); "": nothing is known.
    virtual std::string nearest_cores() const { return ""; }
    // What copy(), reshape() and fill() will be asked for, at addresses that are multiples of 256: a device may make
    // itself ready, before reserve().
    virtual void expect_copy(CopyCall const&) {}
    virtual void expect_reshape(ReshapeCall const&) {}
    virtual void expect_fill(Extent /*elements*/, DType, scalar::Scalar const& /*value*/) {}

    /// Bytes that blocks may take when nobody says how many.
    virtual std::int64_t free_memory() const = 0;
    /// Memory for blocks, once. @return its beginning, at a multiple of 256  @throws MemoryError
    virtual std::byte* reserve(std::int64_t bytes) = 0;
    /// Host memory that copies need not stage. @throws MemoryError
    virtual std::byte* allocate_host(std::int64_t bytes) = 0;
    virtual void free_host(std::byte* memory, std::int64_t bytes) noexcept = 0;

    /// The calling thread may give addresses in the device's memory to other libraries from now on: MPI asks for a
    /// current context of whoever sends from there.
    virtual void enter() {}

    // All of these return at once. What fails later is thrown by any call that comes after. Kernels are launched by
    // Device's functions.
    virtual void copy_in(std::byte* device, std::byte const* host, std::int64_t bytes) = 0;
    virtual void copy_out(std::byte* host, std::byte const* device, std::int64_t bytes) = 0;
    /// Kernels that were launched so far; a launch of ours may be several.
    virtual std::int64_t launches() const = 0;
    virtual Mark mark(Stream stream) = 0;
    /// What is asked of `waits` from now on begins after `mark` of `of`.
    virtual void wait(Stream waits, Stream of, Mark mark) = 0;
    virtual bool passed(Stream of, Mark mark) = 0;

    /// Waits for it. @throws RunError for what failed
    virtual void sync(Stream of, Mark mark) = 0;
    /// Waits until nothing runs, whether or not something failed.
    virtual void drain() noexcept = 0;
    Accelerator* accelerator() override { return this; }
};

}  // namespace ein::executor
