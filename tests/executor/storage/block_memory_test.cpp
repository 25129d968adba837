#include "executor/storage/block_memory.hpp"

#include <cstring>
#include <random>

#include "executor/storage/block_counts.hpp"
#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

TEST_CASE("buffers are aligned, large enough and used again", "[executor][memory]") {
    BlockMemory memory(1 << 30);
    for (std::int64_t bytes : {0, 1, 63, 64, 65, 1000, 4097, 1 << 20, (1 << 21) + 1, 5 << 20}) {
        CAPTURE(bytes);
        std::byte* const data = memory.take(bytes);
        REQUIRE(data != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(data) % 64 == 0);
        std::memset(data, 1, static_cast<std::size_t>(bytes));
        memory.give(data, bytes);
        std::int64_t const held = memory.held();
        std::byte* const again = memory.take(bytes);
        CHECK(again == data);
        CHECK(memory.held() == held);
        memory.give(again, bytes);
    }
}

TEST_CASE("kept buffers go back before held memory passes the limit", "[executor][memory]") {
    std::mt19937_64 random(5);
    std::int64_t const limit = 1 << 20;
    BlockMemory memory(limit);
    std::vector<std::pair<std::byte*, std::int64_t>> used;
    std::int64_t in_use = 0;
    for (int i = 0; i < 5000; ++i) {
        auto const bytes = static_cast<std::int64_t>(random() % 60000);
        if (in_use + bytes <= limit / 2) {
            used.emplace_back(memory.take(bytes), bytes);
            std::memset(used.back().first, i & 255, static_cast<std::size_t>(bytes));
            in_use += bytes;
            CHECK(memory.held() <= limit);
        } else {
            std::size_t const at = random() % used.size();
            memory.give(used[at].first, used[at].second);
            in_use -= used[at].second;
            used.erase(used.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }
    for (auto const& [data, bytes] : used) memory.give(data, bytes);
}

TEST_CASE("prepared buffers are those that are taken next, up to the limit", "[executor][memory]") {
    BlockMemory memory(1 << 20);
    memory.prepare(std::vector<BlockMemory::Use>{
        {300000, false}, {5000, false}, {300000, true}, {299000, false}, {300000, false}});
    std::int64_t const held = memory.held();
    CHECK(held == 2 * BlockMemory::buffer_size(300000) + BlockMemory::buffer_size(5000));
    std::byte* const a = memory.take(300000);
    std::byte* const b = memory.take(4990);
    std::byte* const c = memory.take(299000);
    CHECK(memory.held() == held);
    memory.give(a, 300000), memory.give(b, 4990), memory.give(c, 299000);

    BlockMemory narrow(1 << 20);
    narrow.prepare(std::vector<BlockMemory::Use>{
        {300000, false}, {300000, true}, {500000, false}, {500000, true}, {900000, false}});
    CHECK(narrow.held() ==
          BlockMemory::buffer_size(300000) + BlockMemory::buffer_size(500000));  // the last would pass the limit
}

TEST_CASE("large buffers are made of those before them, whatever their sizes", "[executor][memory]") {
    std::int64_t const mib = 1 << 20;
    BlockMemory memory(40 * mib);
    memory.prepare(std::vector<BlockMemory::Use>{
        {20 * mib, false}, {11 * mib, false}, {20 * mib, true}, {7 * mib, false}, {11 * mib, true}, {23 * mib, false}});
    std::int64_t const held = memory.held();
    CHECK(held == (20 + 12) * mib);  // 12 and 24 - (20 - 8 + 12) at the end
    std::mt19937_64 random(6);
    std::vector<std::pair<std::byte*, std::int64_t>> used;
    std::int64_t in_use = 0;
    for (int i = 0; i < 400; ++i) {
        std::int64_t const bytes = 2 * mib + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(12 * mib));
        if (in_use + PagePool::rounded(bytes) <= held) {
            used.emplace_back(memory.take(bytes), bytes);
            REQUIRE(reinterpret_cast<std::uintptr_t>(used.back().first) % PagePool::page == 0);
            std::memset(used.back().first, i & 255, static_cast<std::size_t>(bytes));
            in_use += PagePool::rounded(bytes);
        } else {
            std::size_t const at = random() % used.size();
            auto const [data, size] = used[at];
            CHECK(data[0] == data[size - 1]);  // nobody else has written there
            memory.give(data, size);
            in_use -= PagePool::rounded(size);
            used.erase(used.begin() + static_cast<std::ptrdiff_t>(at));
        }
        CHECK(memory.held() == held);
    }
    for (auto const& [data, bytes] : used) memory.give(data, bytes);
}

TEST_CASE("small and large buffers give way to each other below the limit", "[executor][memory]") {
    std::int64_t const mib = 1 << 20;
    BlockMemory memory(8 * mib);
    for (int iteration = 0; iteration < 3; ++iteration) {
        std::byte* const large = memory.take(7 * mib);
        CHECK(memory.held() == 8 * mib);
        memory.give(large, 7 * mib);
        std::vector<std::byte*> small;
        for (int i = 0; i < 7; ++i) small.push_back(memory.take(mib));
        CHECK(memory.held() <= 8 * mib);
        for (std::byte* data : small) memory.give(data, mib);
    }
}

TEST_CASE("pages that are given back to the system count no more", "[executor][memory]") {
    PagePool pool;
    REQUIRE(pool.prepare(3 * PagePool::page));
    std::byte* const data = pool.take(PagePool::page);
    CHECK(pool.held() == 3 * PagePool::page);
    CHECK(pool.kept() == 2 * PagePool::page);
    CHECK(pool.release(5 * PagePool::page) == 2 * PagePool::page);
    CHECK(pool.held() == PagePool::page);
    CHECK(pool.kept() == 0);
    pool.give(data, PagePool::page);
    CHECK(pool.release(PagePool::page) == PagePool::page);
    CHECK(pool.held() == 0);
    CHECK(pool.take(std::int64_t{1} << 50) == nullptr);
}

TEST_CASE("a block that no machine has memory for is refused with its size", "[executor][memory]") {
    BlockMemory memory(1 << 20);
    CHECK_THROWS_WITH(memory.take(std::int64_t{1} << 60), Catch::Contains("1152921504606846976 bytes"));
}

TEST_CASE("blocks are counted, with the peak of their bytes", "[executor][memory]") {
    BlockCounts counts;
    counts.create(8), counts.create(8), counts.remove(8);
    CHECK(counts.created() == 2);
    CHECK(counts.live() == 1);
    CHECK(counts.peak_bytes() == 16);
    CHECK_THROWS_AS(counts.check(16), InternalError);
    counts.remove(8);
    CHECK_NOTHROW(counts.check(16));
    CHECK_THROWS_AS(counts.check(15), InternalError);
}
