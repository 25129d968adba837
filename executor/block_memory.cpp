#include "executor/block_memory.hpp"

#include <sys/mman.h>

#include <bit>
#include <cstdlib>

#include "lib/base/error.hpp"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace ein::executor {

namespace {

constexpr int smallest_shift = 6;  // buffers are multiples of 64 bytes, a cache line
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t most_addressable = std::size_t{1} << 47;  // by a process on today's machines

/// Large buffers begin at a huge page, so that the kernel can map them with few entries.
std::byte* from_system(std::size_t size) {
    if (size >= most_addressable) return nullptr;
    std::size_t const alignment = size >= huge_page ? huge_page : 64;
    std::size_t const rounded = (size + alignment - 1) / alignment * alignment;
    void* const data = std::aligned_alloc(alignment, rounded);
    if (data == nullptr) return nullptr;
    if (size >= huge_page) madvise(data, rounded, MADV_HUGEPAGE);  // advice: a refusal costs only speed
    return static_cast<std::byte*>(data);
}

// A kept buffer is nobody's: the address sanitizer reports who still reads or writes it.
void forbid([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_POISON_MEMORY_REGION(data, size);
#endif
}
void allow([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(data, size);
#endif
}

}  // namespace

BlockMemory::BlockMemory(std::int64_t limit) : limit_(limit), classes_(64 * 8) {}

BlockMemory::~BlockMemory() { release_until(limit_); }

/// Four classes between one power of two and the next: 5, 6, 7 and 8 eighths of it.
BlockMemory::Place BlockMemory::place_of(std::int64_t bytes) {
    auto const wanted = static_cast<std::size_t>(bytes < 1 ? 1 : bytes);
    int const shift = std::max(smallest_shift, static_cast<int>(std::bit_width(wanted - 1)) - 3);
    std::size_t const steps = (wanted + (std::size_t{1} << shift) - 1) >> shift;
    return {static_cast<std::size_t>(shift - smallest_shift) * 8 + steps - 1, steps << shift};
}

std::int64_t BlockMemory::class_size(std::int64_t bytes) { return static_cast<std::int64_t>(place_of(bytes).size); }

BlockMemory::SizeClass& BlockMemory::class_of(std::int64_t bytes) {
    Place const place = place_of(bytes);
    classes_[place.index].size = place.size;
    return classes_[place.index];
}

void BlockMemory::prepare(std::span<std::int64_t const> sizes) {
    constexpr std::int64_t page = 4096;
    for (std::int64_t bytes : sizes) {
        SizeClass& size_class = class_of(bytes);
        auto const size = static_cast<std::int64_t>(size_class.size);
        if (held_ + size > limit_) return;
        std::byte* const data = from_system(size_class.size);
        if (data == nullptr) return;  // take() tells, if it comes to that
        for (std::int64_t at = 0; at < bytes; at += page) const_cast<std::byte volatile*>(data)[at] = std::byte{0};
        held_ += size;
        give(data, bytes);
    }
}

std::byte* BlockMemory::take(std::int64_t bytes) {
    SizeClass& size_class = class_of(bytes);
    if (!size_class.kept.empty()) {
        std::byte* const data = size_class.kept.back();
        size_class.kept.pop_back();
        kept_ -= static_cast<std::int64_t>(size_class.size);
        allow(data, size_class.size);
        return data;
    }
    release_until(static_cast<std::int64_t>(size_class.size));
    std::byte* data = from_system(size_class.size);
    if (data == nullptr) {
        release_until(limit_);
        data = from_system(size_class.size);
    }
    if (data == nullptr)
        throw MemoryError("no memory for a block of " + std::to_string(bytes) + " bytes (" + std::to_string(held_) +
                          " bytes of blocks are held); plan for more ranks or with einplan --memory");
    held_ += static_cast<std::int64_t>(size_class.size);
    return data;
}

void BlockMemory::give(std::byte* data, std::int64_t bytes) {
    SizeClass& size_class = class_of(bytes);
    size_class.kept.push_back(data);
    kept_ += static_cast<std::int64_t>(size_class.size);
    forbid(data, size_class.size);
}

/// Gives kept buffers back, the largest first, until `room` more bytes fit under the limit or none is left.
void BlockMemory::release_until(std::int64_t room) {
    for (std::size_t i = classes_.size(); i-- > 0 && kept_ > 0 && held_ + room > limit_;) {
        SizeClass& size_class = classes_[i];
        while (!size_class.kept.empty() && held_ + room > limit_) {
            allow(size_class.kept.back(), size_class.size);
            std::free(size_class.kept.back());
            size_class.kept.pop_back();
            kept_ -= static_cast<std::int64_t>(size_class.size);
            held_ -= static_cast<std::int64_t>(size_class.size);
        }
    }
}

}  // namespace ein::executor
