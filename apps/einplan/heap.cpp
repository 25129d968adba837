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

void ein::apps::give_back_large_blocks() { mi_option_set(mi_option_decommit_delay, 0); }
#elif defined(__GLIBC__)
#include <malloc.h>

void ein::apps::give_back_large_blocks() {
    mallopt(M_MMAP_THRESHOLD, 1 << 15);
    mallopt(M_TRIM_THRESHOLD, 1 << 24);
}
#else
void ein::apps::give_back_large_blocks() {}
#endif
