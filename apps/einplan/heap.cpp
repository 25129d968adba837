#include "apps/einplan/heap.hpp"

#if defined(EIN_WITH_MIMALLOC)
#include <mimalloc-new-delete.h>  // `new` and `delete` of the program

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
