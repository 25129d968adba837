#include "lib/base/release_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace ein {

void release_pages(std::span<std::byte> memory) {
    static auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto const begin = reinterpret_cast<std::uintptr_t>(memory.data());
    std::uintptr_t const first = (begin + page - 1) / page * page, end = (begin + memory.size()) / page * page;
    if (first < end)  // advice: a refusal costs only memory
        madvise(memory.data() + (first - begin), end - first, MADV_DONTNEED);
}

}  // namespace ein
