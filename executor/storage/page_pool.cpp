#include "executor/storage/page_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

#include "executor/storage/poison.hpp"

namespace ein::executor {

namespace {

std::size_t count(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

/// Address space that begins at a huge page, so that the kernel can map it with few entries. @return nullptr: there is
/// none
std::byte* reserve(std::int64_t size) {
    if (size >= tuning::most_addressable) return nullptr;
    constexpr std::int64_t page = PagePool::page;
    void* const from = mmap(nullptr, count(size + page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (from == MAP_FAILED) return nullptr;
    auto* const data = static_cast<std::byte*>(from);
    std::int64_t const before = -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) & (page - 1);
    if (before > 0) munmap(data, count(before));
    if (before < page) munmap(data + before + size, count(page - before));
    return data + before;
}

/// Fresh pages in reserved address space. False: the system has no more.
bool map_fresh(std::byte* at, std::int64_t size) {
    if (size == 0) return true;
    if (mmap(at, count(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    madvise(at, count(size), MADV_HUGEPAGE);  // advice: a refusal costs only speed
    return true;
}

/// One page at a time, since a call may not reach over what was mapped by several. @return bytes moved: all, but for a
/// system that has no more entries for them
std::int64_t move_pages(std::byte* from, std::byte* to, std::int64_t size) {
    constexpr auto page = static_cast<std::size_t>(PagePool::page);
    for (std::int64_t moved = 0; moved < size; moved += PagePool::page)
        if (mremap(from + moved, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, to + moved) == MAP_FAILED) return moved;
    return size;
}

}  // namespace

void touch_pages(std::byte* data, std::int64_t size) {
    for (std::int64_t at = 0; at < size; at += tuning::small_page)
        const_cast<std::byte volatile*>(data)[at] = std::byte{0};
}

PagePool::~PagePool() { release(kept_); }

std::byte* PagePool::take(std::int64_t size) {
    if (auto const fits = buffers_.lower_bound(size); fits != buffers_.end()) return front_of(fits, size);
    std::byte* const data = reserve(size);
    if (data == nullptr) return nullptr;
    std::int64_t const moved = gather(data, size), fresh = size - moved;
    if (!map_fresh(data + moved, fresh)) {
        munmap(data + moved, count(fresh));
        keep(data, moved);
        return nullptr;
    }
    held_ += fresh;
    release(fresh);  // what could not be moved
    return data;
}

void PagePool::give(std::byte* data, std::int64_t size) { keep(data, size); }

bool PagePool::prepare(std::int64_t size) {
    if (size == 0) return true;
    std::byte* const data = reserve(size);
    if (data == nullptr) return false;
    if (!map_fresh(data, size)) {
        munmap(data, count(size));
        return false;
    }
    touch_pages(data, size);
    held_ += size;
    keep(data, size);
    return true;
}

/// The smallest buffers first: they are of least use.
std::int64_t PagePool::release(std::int64_t size) {
    std::int64_t released = 0;
    while (released < size && !buffers_.empty()) {
        auto const smallest = buffers_.begin();
        std::int64_t const part = std::min(smallest->first, size - released);
        munmap(front_of(smallest, part), count(part));
        released += part;
    }
    held_ -= released;
    return released;
}

void PagePool::keep(std::byte* data, std::int64_t size) {
    if (size == 0) return;
    forbid(data, count(size));
    buffers_.emplace(size, data);
    kept_ += size;
}

/// @return its size
std::int64_t PagePool::remove(Kept::iterator buffer) {
    std::int64_t const size = buffer->first;
    allow(buffer->second, count(size));
    buffers_.erase(buffer);
    kept_ -= size;
    return size;
}

/// A buffer of the first `size` bytes of one that is kept; its rest is kept.
std::byte* PagePool::front_of(Kept::iterator buffer, std::int64_t size) {
    std::byte* const data = buffer->second;
    std::int64_t const whole = remove(buffer);
    keep(data + size, whole - size);
    return data;
}

/// Moves kept pages to reserved address space, those of the largest buffers first. @return bytes moved, `size` at most
std::int64_t PagePool::gather(std::byte* to, std::int64_t size) {
    std::int64_t moved = 0;
    while (moved < size && !buffers_.empty()) {
        std::byte* const data = buffers_.rbegin()->second;
        std::int64_t const whole = remove(std::prev(buffers_.end())), part = std::min(whole, size - moved),
                           gone = move_pages(data, to + moved, part);
        keep(data + gone, whole - gone);
        moved += gone;
        if (gone < part) break;
    }
    return moved;
}

}  // namespace ein::executor
