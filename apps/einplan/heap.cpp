#include "apps/einplan/heap.hpp"

#if defined(EIN_WITH_MIMALLOC)
#include <mimalloc.h>

#include <new>

// `new` and `delete` of the program; what asks for more than malloc's alignment stays the standard library's. Not those
// of mimalloc-new-delete.h, which end the program where memory runs out.
void* operator new(std::size_t bytes) {
    if (void* const block = mi_malloc(bytes)) return block;
    throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* block) noexcept { mi_free(block); }
void operator delete(void* block, std::size_t) noexcept { mi_free(block); }
void operator delete[](void* block) noexcept { mi_free(block); }
void operator delete[](void* block, std::size_t) noexcept { mi_free(block); }

namespace {
void give_back_at_once() { mi_option_set(mi_option_decommit_delay, 0); }
}  // namespace
#elif defined(__GLIBC__)
#include <malloc.h>

namespace {
void give_back_at_once() {
    mallopt(M_MMAP_THRESHOLD, 1 << 15);
    mallopt(M_TRIM_THRESHOLD, 1 << 24);
}
}  // namespace
#else
namespace {
void give_back_at_once() {}
}  // namespace
#endif

void ein::apps::give_back_blocks_of(double calls) {
    constexpr double large = 3e4;  // schedules of a million tasks
    if (calls > large) give_back_at_once();
}
