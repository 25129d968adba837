#include "executor/startup/host_memory.hpp"

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

TEST_CASE("the ranks of a host must fit in it together", "[executor][memory]") {
    std::vector<Seat> const seats{{"a", {0}}, {"b", {0}}, {"a", {1}}};
    std::vector<std::int64_t> const peaks{600, 2000, 600};
    CHECK_NOTHROW(check_host_memory(seats, peaks, Rank{0}, 1200));
    CHECK_THROWS_AS(check_host_memory(seats, peaks, Rank{2}, 1199), MemoryError);
    CHECK_THROWS_WITH(check_host_memory(seats, peaks, Rank{1}, 1024),
                      Catch::Contains("host b") && Catch::Contains("1.95 KiB") && Catch::Contains("1 KiB in all"));
    CHECK_NOTHROW(check_host_memory(seats, peaks, Rank{1}, 0));  // not known
}

TEST_CASE("this machine has memory", "[executor][memory]") { CHECK(memory_of_this_host() > (1 << 20)); }
