// Memory that is nobody's for now: the address sanitizer reports who still reads or writes it. Nothing without the
// sanitizer.
#pragma once

#include <cstddef>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace ein::executor {

inline void forbid([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_POISON_MEMORY_REGION(data, size);
#endif
}
inline void allow([[maybe_unused]] std::byte* data, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(data, size);
#endif
}

}  // namespace ein::executor
