#include "executor/block_memory.hpp"

#include <cstring>
#include <random>

#include "executor/block_ledger.hpp"
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
    std::vector<std::int64_t> const sizes{300000, 300000, 5000, 900000};
    memory.prepare(sizes);
    std::int64_t const held = memory.held();
    CHECK(held ==
          2 * BlockMemory::class_size(300000) + BlockMemory::class_size(5000));  // the last would pass the limit
    std::byte* const a = memory.take(299000);
    std::byte* const b = memory.take(4990);
    CHECK(memory.held() == held);
    memory.give(a, 299000);
    memory.give(b, 4990);
}

TEST_CASE("a block that no machine has memory for is refused with its size", "[executor][memory]") {
    BlockMemory memory(1 << 20);
    CHECK_THROWS_WITH(memory.take(std::int64_t{1} << 60), Catch::Contains("1152921504606846976 bytes"));
}

TEST_CASE("the ledger counts blocks and knows its peak", "[executor][memory]") {
    BlockLedger ledger;
    ledger.create(8), ledger.create(8), ledger.remove(8);
    CHECK(ledger.created() == 2);
    CHECK(ledger.live() == 1);
    CHECK(ledger.peak_bytes() == 16);
    CHECK_THROWS_AS(ledger.check(16), InternalError);
    ledger.remove(8);
    CHECK_NOTHROW(ledger.check(16));
    CHECK_THROWS_AS(ledger.check(15), InternalError);
}
