// Memory in huge pages for large buffers. Pages of buffers that were given back are moved behind one another in the
// address space (mremap) to make the next buffer, whatever its size: nothing is copied, and a page is touched for the
// first time once in a run. A first touch costs as much as writing a page four times over; moving it costs a hundredth
// of that.
// Example: buffers of 10 and 6 MiB are given back, and one of 14 MiB is taken: 10 MiB and 4 of the 6 become it, 2 MiB
// are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "executor/storage/tuning.hpp"

namespace ein::executor {

/// Writes to every page of fresh memory, so that it is mapped now and not in the middle of the run.
void touch_pages(std::byte* data, std::int64_t size);

class PagePool {
public:
    static constexpr std::int64_t page = tuning::huge_page;  // sizes are multiples of it
    static std::int64_t rounded(std::int64_t bytes) { return (bytes + page - 1) / page * page; }

    PagePool() = default;
    ~PagePool();  // of what is kept; buffers in use are their users'
    PagePool(PagePool const&) = delete;
    PagePool& operator=(PagePool const&) = delete;

    /// @return a buffer of `size` bytes, not cleared: of kept pages first, of fresh ones where they do not suffice;
    ///         nullptr: the system has no more, and what was kept is kept
    std::byte* take(std::int64_t size);
    void give(std::byte* data, std::int64_t size);
    /// Keeps `size` more bytes, their pages touched. False: the system has no more.
    bool prepare(std::int64_t size);
    /// Gives `size` bytes of what is kept, or all of it, back to the system. @return how many
    std::int64_t release(std::int64_t size);

    std::int64_t held() const { return held_; }  // bytes from the system: in use and kept
    std::int64_t kept() const { return kept_; }

private:
    using Kept = std::multimap<std::int64_t, std::byte*>;  // by size

    void keep(std::byte* data, std::int64_t size);
    std::int64_t remove(Kept::iterator buffer);
    std::byte* front_of(Kept::iterator buffer, std::int64_t size);
    std::int64_t gather(std::byte* to, std::int64_t size);

    Kept buffers_;  // that are kept
    std::int64_t held_ = 0, kept_ = 0;
};

}  // namespace ein::executor
