// `new` and `delete` of the program that this is linked into: small blocks. What asks for more than malloc's alignment
// stays the standard library's.
#include <cstdlib>
#include <new>

#include "lib/base/heap/small_blocks.hpp"

void* operator new(std::size_t bytes) {
    while (true) {
        if (void* const block = ein::small_blocks::take(bytes)) return block;
        std::new_handler const handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }

void operator delete(void* block) noexcept { ein::small_blocks::give(block); }
void operator delete(void* block, std::size_t bytes) noexcept { ein::small_blocks::give(block, bytes); }
void operator delete[](void* block) noexcept { ein::small_blocks::give(block); }
void operator delete[](void* block, std::size_t bytes) noexcept { ein::small_blocks::give(block, bytes); }
