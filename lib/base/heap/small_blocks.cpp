#include "lib/base/heap/small_blocks.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "lib/base/threads/mutex.hpp"

namespace ein::small_blocks {
namespace {

constexpr std::size_t step = 16, classes = largest / step;
constexpr std::size_t slab = 64 << 10;
constexpr std::size_t most_slabs = std::size_t{1} << 20;  // 64 GiB of addresses; beyond them malloc serves
constexpr std::size_t opened_at_once = 64;                // slabs for which the system is asked for memory
constexpr std::uint32_t list_bytes = 32 << 10;            // of a list that is passed on

inline std::size_t class_of(std::size_t bytes) { return (bytes - (bytes != 0)) / step; }
constexpr std::size_t size_of_class(std::size_t c) { return (c + 1) * step; }

struct Block {
    Block* next;
    Block* next_list;  // of the first block of a list that no thread has
};
static_assert(sizeof(Block) <= step);

/// What a thread that ended left of a slab.
struct Rest {
    Rest* next;
    std::byte* end;
};

/// Lists and slabs that no thread has. It is used before anything is constructed, and after all is destroyed.
class Shared {
public:
    Block* take_list(std::size_t c) {
        MutexLock const lock(mutex_);
        Block* const list = lists_[c];
        if (list) lists_[c] = list->next_list;
        return list;
    }
    void give_list(std::size_t c, Block* list) {
        if (!list) return;
        MutexLock const lock(mutex_);
        list->next_list = lists_[c];
        lists_[c] = list;
    }

    /// Whether the last slab is in use: from then on malloc serves, without a lock.
    bool is_full() const { return is_full_.load(std::memory_order_relaxed); }

    using Room = std::pair<std::byte*, std::byte*>;
    Room take_room(std::size_t c) {
        MutexLock const lock(mutex_);
        if (Rest* const rest = rests_[c]) {
            rests_[c] = rest->next;
            return {reinterpret_cast<std::byte*>(rest), rest->end};
        }
        if (!is_reserved_) reserve();
        if (used_ == opened_ && !open()) {
            is_full_.store(true, std::memory_order_relaxed);
            return {};
        }
        classes_[used_] = static_cast<std::uint8_t>(c);
        std::byte* const begin = begin_.load() + used_++ * slab;
        return {begin, begin + slab / size_of_class(c) * size_of_class(c)};
    }
    void give_room(std::size_t c, Room room) {
        if (room.first == room.second) return;
        MutexLock const lock(mutex_);
        rests_[c] = new (room.first) Rest{rests_[c], room.second};
    }

    bool has(void const* block) const {
        std::size_t const reserved = reserved_.load(std::memory_order_acquire);
        return offset_of(block) < reserved * slab;
    }
    /// Whoever asks has a block, whose slab's class was written before.
    std::size_t class_at(void const* block) const EIN_NOT_ANALYSED { return classes_[offset_of(block) / slab]; }

private:
    std::size_t offset_of(void const* block) const {
        return reinterpret_cast<std::uintptr_t>(block) -
               reinterpret_cast<std::uintptr_t>(begin_.load(std::memory_order_relaxed));
    }

    /// Addresses without memory: a quarter of what the process may have.
    void reserve() EIN_REQUIRES(mutex_) {
        is_reserved_ = true;
        std::size_t slabs = most_slabs;
        rlimit limit{};
        if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            slabs = std::min<std::size_t>(slabs, limit.rlim_cur / 4 / slab);
        for (; slabs >= opened_at_once; slabs /= 2) {
            slabs = slabs / opened_at_once * opened_at_once;
            void* const at = mmap(nullptr, slabs * slab, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (at == MAP_FAILED) continue;
            begin_.store(static_cast<std::byte*>(at), std::memory_order_relaxed);
            reserved_.store(slabs, std::memory_order_release);
            return;
        }
    }
    bool open() EIN_REQUIRES(mutex_) {
        if (opened_ == reserved_.load()) return false;
        if (mprotect(begin_.load() + opened_ * slab, opened_at_once * slab, PROT_READ | PROT_WRITE) != 0) return false;
        opened_ += opened_at_once;
        return true;
    }

    Mutex mutex_;
    std::array<Block*, classes> lists_ EIN_GUARDED_BY(mutex_) = {};
    std::array<Rest*, classes> rests_ EIN_GUARDED_BY(mutex_) = {};
    std::atomic<std::byte*> begin_ = nullptr;  // these two are written once, before there are blocks
    std::atomic<std::size_t> reserved_ = 0;
    std::atomic<bool> is_full_ = false;
    std::size_t opened_ EIN_GUARDED_BY(mutex_) = 0, used_ EIN_GUARDED_BY(mutex_) = 0;
    std::array<std::uint8_t, most_slabs> classes_ EIN_GUARDED_BY(mutex_) = {};  // of each slab
    bool is_reserved_ EIN_GUARDED_BY(mutex_) = false;
};
constinit Shared shared;

constexpr std::int32_t blocks_of_list(std::size_t c) {
    return static_cast<std::int32_t>(list_bytes / size_of_class(c));
}

/// What a thread has of one size: two lists, so that it does not pass one on and fetch it again at every turn.
struct Own {
    Block* free = nullptr;
    Block* spare = nullptr;      // a full list
    std::int32_t room = 0;       // blocks until the first list is full
    std::byte* begin = nullptr;  // of a slab, what was not taken yet
    std::byte* end = nullptr;
};
constexpr Own nothing_of(std::size_t c) { return {.room = blocks_of_list(c)}; }
constinit thread_local std::array<Own, classes> own_lists = [] {
    std::array<Own, classes> all;
    for (std::size_t c = 0; c < classes; ++c) all[c] = nothing_of(c);
    return all;
}();

/// A thread that ends leaves to others what it has.
struct Leaving {
    ~Leaving() {
        for (std::size_t c = 0; c < classes; ++c) {
            Own const had = std::exchange(own_lists[c], nothing_of(c));
            shared.give_list(c, had.free);
            shared.give_list(c, had.spare);
            shared.give_room(c, {had.begin, had.end});
        }
    }
    void expect() {}
};
thread_local Leaving leaving;

/// Where the first list is empty: a block of the spare one, of one from another thread, or the next one of a slab.
[[gnu::noinline]] void* refilled(Own& own, std::size_t c) {
    if (!own.spare && own.begin == own.end) {
        if (shared.is_full()) return std::malloc(size_of_class(c));
        leaving.expect();
        own.spare = shared.take_list(c);
    }
    if (own.spare) {
        own.free = std::exchange(own.spare, nullptr);
        own.room = 1;  // after this block, if it is full
        return std::exchange(own.free, own.free->next);
    }
    if (own.begin == own.end) {
        auto const [begin, end] = shared.take_room(c);
        own.begin = begin;
        own.end = end;
    }
    if (own.begin == own.end) return std::malloc(size_of_class(c));
    return std::exchange(own.begin, own.begin + size_of_class(c));
}

[[gnu::noinline]] void pass_on(Own& own, std::size_t c) {
    leaving.expect();
    shared.give_list(c, std::exchange(own.spare, std::exchange(own.free, nullptr)));
    own.room = blocks_of_list(c);
}

[[gnu::always_inline]] inline void give_of_class(void* block, std::size_t c) {
    Own& own = own_lists[c];
    auto* const given = static_cast<Block*>(block);
    given->next = own.free;
    own.free = given;
    if (--own.room == 0) pass_on(own, c);
}

}  // namespace

void* take(std::size_t bytes) noexcept {
    if (bytes > largest) return std::malloc(bytes);
    std::size_t const c = class_of(bytes);
    Own& own = own_lists[c];
    Block* const block = own.free;
    if (!block) return refilled(own, c);
    own.free = block->next;
    ++own.room;
    return block;
}

void give(void* block, std::size_t bytes) noexcept {
    if (bytes <= largest && shared.has(block))
        give_of_class(block, class_of(bytes));
    else
        std::free(block);
}

void give(void* block) noexcept {
    if (shared.has(block))
        give_of_class(block, shared.class_at(block));
    else
        std::free(block);
}

}  // namespace ein::small_blocks
