// Memory for blocks. Small ones are rounded up to classes (at most a quarter more) and their buffers are kept for the
// next block of their class; large ones are made of the huge pages of those before them (page_pool.hpp). So a task in
// full run costs no system call and no fresh page. What is kept goes back to the system before held memory would pass
// the limit. Used under the engine's lock. Example: take(1000) gives 1024 bytes at a multiple of 64; give(p, 1000)
// keeps them for the next take(900).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/storage/page_pool.hpp"

namespace ein::executor {

class BlockMemory {
public:
    /// @param limit  bytes of blocks that the run will hold at most; kept buffers do not take held memory above it (but
    /// for what
    ///               rounding up takes, where prepare() knows the blocks)
    explicit BlockMemory(std::int64_t limit);
    ~BlockMemory();
    BlockMemory(BlockMemory const&) = delete;
    BlockMemory& operator=(BlockMemory const&) = delete;

    /// @return memory for `bytes` bytes (never nullptr, also for 0), not cleared  @throws MemoryError
    std::byte* take(std::int64_t bytes);
    /// Takes a buffer back; `bytes` as it was asked for.
    void give(std::byte* data, std::int64_t bytes);

    /// A take, or a give, of this many bytes.
    struct Use {
        std::int64_t bytes;
        bool gives;
    };
    /// Buffers kept for later, their pages touched, so that these uses, in this order, touch no fresh page; as many as
    /// stay below the limit.
    void prepare(std::span<Use const> uses);
    /// Bytes of the buffer that take(bytes) gives.
    static std::int64_t buffer_size(std::int64_t bytes);

    std::int64_t held() const { return held_ + pages_.held(); }  // bytes from the system: in use and kept

private:
    struct SizeClass {
        std::size_t size = 0;
        std::vector<std::byte*> kept;
    };
    struct Place {
        std::size_t index, size;
    };
    static bool is_large(std::int64_t bytes) { return bytes > PagePool::page / 8 * 7; }  // what the next class would be
    static Place place_of(std::int64_t bytes);
    SizeClass& class_of(std::int64_t bytes);
    std::byte* take_large(std::int64_t bytes);
    std::byte* take_small(std::int64_t bytes);
    std::byte* fresh(SizeClass const& size_class);
    void prepare_small(std::int64_t size);
    void release_until(std::int64_t room);

    std::int64_t limit_;
    std::int64_t held_ = 0;  // of small buffers
    std::int64_t kept_ = 0;
    std::vector<SizeClass> classes_;
    PagePool pages_;
};

}  // namespace ein::executor
