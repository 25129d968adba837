#include "executor/spill/disk_ranges.hpp"

#include <map>
#include <random>

#include "tests/support/catch.hpp"

using ein::executor::DiskRanges;

TEST_CASE("the first gap that is wide enough is taken again", "[executor][disk_ranges]") {
    DiskRanges ranges;
    CHECK(ranges.take(8) == 0);
    CHECK(ranges.take(4) == 8);
    CHECK(ranges.take(8) == 12);
    ranges.give(0, 8);
    CHECK(ranges.take(6) == 0);
    CHECK(ranges.take(4) == 20);  // 2 bytes are left of the gap
    CHECK(ranges.take(2) == 6);
    CHECK(ranges.take(0) >= 0);
    CHECK(ranges.taken() == 24);
    CHECK(ranges.peak() == 24);
}

TEST_CASE("gaps side by side are one, and what is free at the end is no gap", "[executor][disk_ranges]") {
    DiskRanges ranges;
    for (int i = 0; i < 4; ++i) ranges.take(4);
    ranges.give(0, 4), ranges.give(8, 4), ranges.give(4, 4);
    CHECK(ranges.take(12) == 0);
    ranges.give(0, 12), ranges.give(12, 4);
    CHECK(ranges.taken() == 0);
    CHECK(ranges.take(100) == 0);
}

TEST_CASE("ranges that are taken never overlap", "[executor][disk_ranges]") {
    std::mt19937 random(7);
    DiskRanges ranges;
    std::map<std::int64_t, std::int64_t> taken;
    for (int step = 0; step < 3000; ++step) {
        if (!taken.empty() && random() % 2 == 0) {
            auto const at = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
            ranges.give(at->first, at->second);
            taken.erase(at);
            continue;
        }
        std::int64_t const bytes = 1 + static_cast<std::int64_t>(random() % 50), offset = ranges.take(bytes);
        auto const after = taken.lower_bound(offset);
        bool const free = (after == taken.end() || offset + bytes <= after->first) &&
                          (after == taken.begin() || std::prev(after)->first + std::prev(after)->second <= offset);
        if (!free) FAIL("overlap at " << offset);
        taken.emplace(offset, bytes);
    }
    std::int64_t sum = 0;
    for (auto const& [offset, bytes] : taken) sum += bytes;
    CHECK(ranges.taken() == sum);
}
