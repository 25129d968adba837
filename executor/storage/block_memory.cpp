#include "executor/storage/block_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <unordered_map>

#include "executor/storage/poison.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

namespace {

constexpr int smallest_shift = 6;  // buffers are multiples of 64 bytes, a cache line
constexpr std::size_t classes = 64 * 8;

}  // namespace

BlockMemory::BlockMemory(std::int64_t limit) : limit_(limit), classes_(classes) {}

BlockMemory::~BlockMemory() { release_until(limit_); }

/// Four classes between one power of two and the next: 5, 6, 7 and 8 eighths of it.
BlockMemory::Place BlockMemory::place_of(std::int64_t bytes) {
    auto const wanted = static_cast<std::size_t>(bytes < 1 ? 1 : bytes);
    int const shift = std::max(smallest_shift, static_cast<int>(std::bit_width(wanted - 1)) - 3);
    std::size_t const steps = (wanted + (std::size_t{1} << shift) - 1) >> shift;
    return {static_cast<std::size_t>(shift - smallest_shift) * 8 + steps - 1, steps << shift};
}

std::int64_t BlockMemory::buffer_size(std::int64_t bytes) {
    return is_large(bytes) ? PagePool::rounded(bytes) : static_cast<std::int64_t>(place_of(bytes).size);
}

BlockMemory::SizeClass& BlockMemory::class_of(std::int64_t bytes) {
    Place const place = place_of(bytes);
    classes_[place.index].size = place.size;
    return classes_[place.index];
}

void BlockMemory::prepare(std::span<Use const> uses) {
    std::unordered_map<std::int64_t, std::int64_t> kept;  // by size of buffer; bytes of pages under size 0
    std::vector<std::int64_t> fresh;                      // bytes, as they are wanted
    std::int64_t live = 0, most = 0;
    for (auto const& [bytes, gives] : uses) {
        std::int64_t const size = buffer_size(bytes);
        std::int64_t& left = kept[is_large(bytes) ? 0 : size];
        live += gives ? -size : size;
        most = std::max(most, live);
        if (gives) {
            left += size;
            continue;
        }
        std::int64_t const missing = size - std::min(size, left);
        left -= size - missing;
        if (missing > 0) fresh.push_back(missing);
    }
    limit_ = std::max(limit_, most);
    std::int64_t pages = 0;
    for (std::int64_t bytes : fresh) {
        if (held() + pages + bytes > limit_) break;
        if (is_large(bytes))
            pages += bytes;
        else
            prepare_small(bytes);
    }
    pages_.prepare(pages);  // take() reports where the system has no more, if it comes to that
}

/// A buffer from the system; nullptr: it has no more.
std::byte* BlockMemory::fresh(SizeClass const& size_class) {
    auto* const data = static_cast<std::byte*>(std::aligned_alloc(std::size_t{1} << smallest_shift, size_class.size));
    if (data != nullptr) held_ += static_cast<std::int64_t>(size_class.size);
    return data;
}

void BlockMemory::prepare_small(std::int64_t size) {
    std::byte* const data = fresh(class_of(size));
    if (data == nullptr) return;
    touch_pages(data, size);
    give(data, size);
}

std::byte* BlockMemory::take(std::int64_t bytes) {
    std::byte* data = is_large(bytes) ? take_large(bytes) : take_small(bytes);
    if (data != nullptr) return data;
    pages_.release(pages_.kept());
    release_until(limit_);
    data = is_large(bytes) ? take_large(bytes) : take_small(bytes);
    if (data != nullptr) return data;
    throw MemoryError("no memory for a block of " + std::to_string(bytes) + " bytes (" + std::to_string(held()) +
                      " bytes of blocks are held); plan for more ranks or with einplan --memory");
}

std::byte* BlockMemory::take_large(std::int64_t bytes) {
    std::int64_t const size = PagePool::rounded(bytes);
    if (size > pages_.kept()) release_until(size - pages_.kept());
    return pages_.take(size);
}

std::byte* BlockMemory::take_small(std::int64_t bytes) {
    SizeClass& size_class = class_of(bytes);
    if (size_class.kept.empty()) {
        auto const size = static_cast<std::int64_t>(size_class.size);
        if (held() + size > limit_) pages_.release(PagePool::rounded(held() + size - limit_));
        release_until(size);
        return fresh(size_class);
    }
    std::byte* const data = size_class.kept.back();
    size_class.kept.pop_back();
    kept_ -= static_cast<std::int64_t>(size_class.size);
    allow(data, size_class.size);
    return data;
}

void BlockMemory::give(std::byte* data, std::int64_t bytes) {
    if (is_large(bytes)) return pages_.give(data, PagePool::rounded(bytes));
    SizeClass& size_class = class_of(bytes);
    size_class.kept.push_back(data);
    kept_ += static_cast<std::int64_t>(size_class.size);
    forbid(data, size_class.size);
}

/// Gives kept small buffers back, the largest first, until `room` more bytes fit under the limit or none is left.
void BlockMemory::release_until(std::int64_t room) {
    for (std::size_t i = classes_.size(); i-- > 0 && kept_ > 0 && held() + room > limit_;) {
        SizeClass& size_class = classes_[i];
        while (!size_class.kept.empty() && held() + room > limit_) {
            allow(size_class.kept.back(), size_class.size);
            std::free(size_class.kept.back());
            size_class.kept.pop_back();
            kept_ -= static_cast<std::int64_t>(size_class.size);
            held_ -= static_cast<std::int64_t>(size_class.size);
        }
    }
}

}  // namespace ein::executor
