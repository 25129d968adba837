#include "lib/base/heap/small_blocks.hpp"

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ein;

namespace {

struct Taken {
    unsigned char* block;
    std::size_t bytes;
};

std::vector<Taken> take_all_sizes(unsigned char mark) {
    std::vector<Taken> out;
    for (std::size_t bytes = 0; bytes <= 2 * small_blocks::largest; ++bytes) {
        auto* const block = static_cast<unsigned char*>(small_blocks::take(bytes));
        std::memset(block, mark, bytes);
        out.push_back({block, bytes});
    }
    return out;
}

bool holds(Taken const& taken, unsigned char mark) {
    for (std::size_t k = 0; k < taken.bytes; ++k)
        if (taken.block[k] != mark) return false;
    return true;
}

}  // namespace

TEST_CASE("blocks of any size are aligned, and nobody else's", "[base][heap]") {
    std::vector<Taken> const one = take_all_sizes(1), two = take_all_sizes(2);
    bool sound = true;
    for (Taken const& taken : one)
        sound = sound && holds(taken, 1) && reinterpret_cast<std::uintptr_t>(taken.block) % 16 == 0;
    for (Taken const& taken : two) sound = sound && holds(taken, 2);
    CHECK(sound);
    for (Taken const& taken : one) small_blocks::give(taken.block, taken.bytes);
    for (Taken const& taken : two) small_blocks::give(taken.block);
    small_blocks::give(nullptr);
    small_blocks::give(nullptr, 8);
}

TEST_CASE("what is given back serves the next who wants as much", "[base][heap]") {
    void* const first = small_blocks::take(40);
    small_blocks::give(first);
    void* const again = small_blocks::take(33);
    CHECK(first == again);
    small_blocks::give(again, 33);
}

TEST_CASE("what one thread takes and another gives back comes round", "[base][heap]") {
    std::set<void*> seen;
    std::size_t const blocks = 10'000;
    for (int round = 0; round < 20; ++round) {
        std::vector<void*> made;
        std::thread maker([&] {
            for (std::size_t k = 0; k < blocks; ++k) made.push_back(small_blocks::take(64));
        });
        maker.join();
        seen.insert(made.begin(), made.end());
        for (void* block : made) small_blocks::give(block, 64);
    }
    CHECK(seen.size() < 2 * blocks);
}
