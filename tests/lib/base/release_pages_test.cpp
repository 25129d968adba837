#include "lib/base/release_pages.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"

TEST_CASE("what is released leaves what lies beside it", "[lib][base]") {
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<std::byte> memory(20 * page, std::byte{7});
    ein::release_pages(std::span(memory).subspan(100, 10 * page));
    auto const is_seven = [](std::byte b) { return b == std::byte{7}; };
    CHECK(std::all_of(memory.begin(), memory.begin() + 100, is_seven));
    CHECK(std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(100 + 10 * page), memory.end(), is_seven));
    CHECK(std::count(memory.begin(), memory.end(), std::byte{0}) >= static_cast<std::ptrdiff_t>(9 * page));
    std::fill(memory.begin(), memory.end(), std::byte{3});
    CHECK(std::count(memory.begin(), memory.end(), std::byte{3}) == static_cast<std::ptrdiff_t>(memory.size()));
    ein::release_pages({});
    ein::release_pages(std::span(memory).first(page / 2));
    CHECK(memory[0] == std::byte{3});
}
