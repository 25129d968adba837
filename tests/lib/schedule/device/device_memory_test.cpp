#include "lib/schedule/device/device_memory.hpp"

#include <random>

#include "lib/base/error.hpp"
#include "lib/schedule/device/device_traffic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::schedule;
using namespace ein::test;

namespace {

constexpr Extent kib = 128;  // f64 elements

/// Inputs of 1 KiB, named x0, x1, ...; then one task for each pair: their sum into a block of its own.
schedule::Schedule sums(int inputs, std::vector<std::pair<int, int>> const& pairs) {
    ScheduleBuilder b(1);
    b.tensor("X", {kib});
    auto const add = b.kernel("add", sum_of_products("i,i->i", {{'i', kib}}));
    for (int k = 0; k < inputs; ++k) b.load(0, "x" + std::to_string(k), "X", {{0}, {kib}});
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        std::string const z = "z" + std::to_string(k);
        b.block(0, z, "X", {{0}, {kib}});
        b.apply(0, add, {{0}, {kib}}, {"x" + std::to_string(pairs[k].first), "x" + std::to_string(pairs[k].second)}, z);
    }
    for (std::size_t k = 0; k < pairs.size(); ++k) b.store(0, "z" + std::to_string(k));
    return b.finish();
}

DeviceTraffic traffic(schedule::Schedule const& schedule, std::int64_t capacity) {
    return device_traffic(schedule.header, schedule.sections[Rank{0}], capacity);
}

}  // namespace

TEST_CASE("places are the smallest gaps, and gaps that meet are one", "[schedule][device]") {
    AddressGaps places(1024);
    CHECK(places.take(256) == 0);
    CHECK(places.take(256) == 256);
    CHECK(places.take(512) == 512);
    CHECK_FALSE(places.take(1));
    places.give(0, 256);
    places.give(512, 512);
    CHECK(places.take(200) == 0);
    CHECK(places.free() == 568);
    places.give(0, 200);
    places.give(256, 256);
    CHECK(places.take(1024) == 0);
}

TEST_CASE("places never overlap and none is lost", "[schedule][device]") {
    std::mt19937 random(7);
    AddressGaps places(1 << 16);
    std::map<std::int64_t, std::int64_t> taken;
    for (int step = 0; step < 4000; ++step) {
        if (random() % 2 == 0 || taken.empty()) {
            std::int64_t const bytes = 1 + static_cast<std::int64_t>(random() % 4096);
            auto const place = places.take(bytes);
            if (!place) continue;
            auto const after = taken.lower_bound(*place);
            CHECK((after == taken.end() || *place + bytes <= after->first));
            CHECK((after == taken.begin() || std::prev(after)->first + std::prev(after)->second <= *place));
            taken[*place] = bytes;
        } else {
            auto const at = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
            places.give(at->first, at->second);
            taken.erase(at);
        }
    }
    for (auto const& [place, bytes] : taken) places.give(place, bytes);
    CHECK(places.take(1 << 16) == 0);
}

TEST_CASE("everything is copied in once where it fits, and results are written back once", "[schedule][device]") {
    auto const schedule = sums(3, {{0, 1}, {1, 2}, {0, 2}});
    CHECK(traffic(schedule, 6 << 10) == DeviceTraffic{3 << 10, 0, 3 << 10, 5 << 10});
}

TEST_CASE("what is needed last leaves; what the host has is dropped and comes again", "[schedule][device]") {
    auto const schedule = sums(3, {{0, 1}, {1, 2}, {0, 2}});
    CHECK(largest_working_set(schedule.sections[Rank{0}]).bytes == 3 << 10);
    // 3 KiB: x0 x1 z0, then x2 and z1 in place of x0 and z0 (which were written back), then x0 again and z2
    CHECK(traffic(schedule, 3 << 10) == DeviceTraffic{4 << 10, 0, 3 << 10, 3 << 10});
}

TEST_CASE("a result that is read again is evicted to the host and comes back", "[schedule][device]") {
    ScheduleBuilder b(1);
    b.tensor("X", {kib});
    auto const add = b.kernel("add", sum_of_products("i,i->i", {{'i', kib}}));
    for (char const* x : {"a", "b", "c"}) b.load(0, x, "X", {{0}, {kib}});
    for (char const* z : {"y", "u", "z"}) b.block(0, z, "X", {{0}, {kib}});
    b.apply(0, add, {{0}, {kib}}, {"a", "a"}, "y");
    b.apply(0, add, {{0}, {kib}}, {"b", "c"}, "u");  // needs all three places
    b.apply(0, add, {{0}, {kib}}, {"y", "u"}, "z");
    b.store(0, "z");
    auto const schedule = b.finish();
    DeviceTraffic const tight = traffic(schedule, 3 << 10);
    CHECK(tight.evicted == 1 << 10);
    CHECK(tight.copied_in == 4 << 10);
    CHECK(traffic(schedule, 4 << 10).evicted == 0);
}

TEST_CASE("in a loop, what the next iteration reads first stays", "[schedule][device]") {
    // Each iteration reads w0, w1 and w2 in order, with room for a state, a product and two of the three.
    ScheduleBuilder b(1);
    b.tensor("X", {kib});
    auto const add = b.kernel("add", sum_of_products("i,i->i", {{'i', kib}}));
    for (char const* x : {"s", "w0", "w1", "w2"}) b.load(0, x, "X", {{0}, {kib}});
    b.begin_loop(0, b.loop("iterations", 10));
    for (char const* z : {"p", "q", "r"}) b.block(0, z, "X", {{0}, {kib}});
    b.apply(0, add, {{0}, {kib}}, {"s", "w0"}, "p");
    b.apply(0, add, {{0}, {kib}}, {"p", "w1"}, "q");
    b.apply(0, add, {{0}, {kib}}, {"q", "w2"}, "r");
    b.end_loop(0, {{"s", "r"}});
    b.store(0, "r");
    auto const schedule = b.finish();
    DeviceTraffic const all = traffic(schedule, 8 << 10);
    CHECK(all.copied_in == 4 << 10);
    DeviceTraffic const tight = traffic(schedule, 4 << 10);
    CHECK(tight.evicted == 0);
    CHECK(tight.copied_in >= (4 + 9) << 10);      // one of the three at least in every iteration
    CHECK(tight.copied_in <= (4 + 9 * 2) << 10);  // and not all of them
}

TEST_CASE("gaps that are too small for a task are joined by moving its own blocks", "[schedule][device]") {
    // 4 KiB in the end for one task, after blocks of 1 KiB lie apart.
    ScheduleBuilder b(1);
    b.tensor("X", {kib}), b.tensor("W", {3 * kib});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', kib}}));
    auto const spread = b.kernel("spread", sum_of_products("i,j->j", {{'i', kib}, {'j', 3 * kib}}));
    b.load(0, "a", "X", {{0}, {kib}});
    b.load(0, "b", "X", {{0}, {kib}});
    b.load(0, "w", "W", {{0}, {3 * kib}});
    for (char const* z : {"c", "d"}) b.block(0, z, "X", {{0}, {kib}});
    b.block(0, "v", "W", {{0}, {3 * kib}});
    b.apply(0, copy, {{0}, {kib}}, {"a"}, "c");
    b.apply(0, copy, {{0}, {kib}}, {"b"}, "d");
    b.apply(0, spread, {{0, 0}, {kib, 3 * kib}}, {"d", "w"}, "v");
    b.store(0, "c"), b.store(0, "v");
    auto const schedule = b.finish();
    std::int64_t const least = largest_working_set(schedule.sections[Rank{0}]).bytes;
    CHECK(least == 7 << 10);
    CHECK(traffic(schedule, least).peak <= least);
}

TEST_CASE("too little device memory is refused with the node and both numbers", "[schedule][device]") {
    auto const schedule = sums(2, {{0, 1}});
    CHECK_NOTHROW(check_device_memory(schedule.header, schedule.sections[Rank{0}], 3072, ""));
    CHECK_THROWS_WITH(
        check_device_memory(schedule.header, schedule.sections[Rank{0}], 3071, "use more ranks"),
        Catch::Contains("node 'add'") && Catch::Contains("3 KiB (3072 bytes)") && Catch::Contains("(3071 bytes)"));
}
