// Buffers in host memory that a device copies from and to (pinned, where that is faster), cut from large pieces. A
// buffer that is given back is used again only when the copies that touch it are done. What is predicted is taken
// before the run: the system takes a second for some GiB, in which everything else that asks CUDA waits.
#pragma once

#include <deque>
#include <vector>

#include "executor/device/accelerator.hpp"
#include "lib/schedule/memory/address_gaps.hpp"

namespace ein::executor {

class HostBuffers {
public:
    explicit HostBuffers(Accelerator& device) : device_(device) {}
    ~HostBuffers();
    HostBuffers(HostBuffers const&) = delete;
    HostBuffers& operator=(HostBuffers const&) = delete;

    /// Takes memory before the run. @param bytes  of all buffers at once  @param largest  of one  @throws MemoryError
    void reserve(std::int64_t bytes, std::int64_t largest);
    /// @return not nullptr, also for 0 bytes; at a multiple of 256  @throws MemoryError
    std::byte* take(std::int64_t bytes);
    /// @param in, out  marks of the streams after which nothing copies from it or to it
    void give(std::byte* buffer, std::int64_t bytes, Accelerator::Mark in, Accelerator::Mark out);

private:
    struct Piece {
        std::byte* memory;
        std::int64_t bytes;
        schedule::AddressGaps places;
    };
    struct Given {
        std::byte* buffer;
        std::int64_t bytes;
        Accelerator::Mark in, out;
    };
    static std::int64_t rounded(std::int64_t bytes);
    std::byte* take_from_pieces(std::int64_t bytes);
    void add_piece(std::int64_t bytes);
    void free(Given const& given);
    void free_what_is_done();

    Accelerator& device_;
    std::vector<Piece> pieces_;
    std::deque<Given> given_;  // copies may be under way
};

}  // namespace ein::executor
