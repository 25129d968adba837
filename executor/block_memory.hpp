// Memory for blocks: sizes are rounded up to classes (at most a quarter more) and buffers are kept for the next block of their
// class, so that a task in full run costs no system call and no fresh page. What is kept goes back to the system before
// held memory would pass the limit. Used under the engine's lock.
// Example: take(1000) gives 1024 bytes at a multiple of 64; give(p, 1000) keeps them for the next take(900).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ein::executor {

class BlockMemory {
public:
    /// @param limit  bytes of blocks that the run will hold at most; kept buffers never take held memory above it
    explicit BlockMemory(std::int64_t limit);
    ~BlockMemory();
    BlockMemory(BlockMemory const&) = delete;
    BlockMemory& operator=(BlockMemory const&) = delete;

    /// @return memory for `bytes` bytes (never nullptr, also for 0), not cleared  @throws MemoryError
    std::byte* take(std::int64_t bytes);
    /// Takes a buffer back; `bytes` as it was asked for.
    void give(std::byte* data, std::int64_t bytes);

    /// Buffers of these sizes kept for later, their pages touched, so that none is touched first in the middle of the run; as many,
    /// in order, as stay below the limit.
    void prepare(std::span<std::int64_t const> sizes);
    /// Bytes of the buffer that take(bytes) gives: equal for blocks that can follow one another in it.
    static std::int64_t class_size(std::int64_t bytes);

    std::int64_t held() const { return held_; }  // bytes from the system: in use and kept

private:
    struct SizeClass {
        std::size_t size = 0;
        std::vector<std::byte*> kept;
    };
    struct Place {
        std::size_t index, size;
    };
    static Place place_of(std::int64_t bytes);
    SizeClass& class_of(std::int64_t bytes);
    void release_until(std::int64_t room);

    std::int64_t limit_;
    std::int64_t held_ = 0;
    std::int64_t kept_ = 0;
    std::vector<SizeClass> classes_;
};

}  // namespace ein::executor
