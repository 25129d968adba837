#include "lib/base/text/counted.hpp"

#include "tests/support/catch.hpp"

TEST_CASE("one of a thing has no s", "[lib][base]") {
    CHECK(ein::counted(0, "rank") == "0 ranks");
    CHECK(ein::counted(1, "rank") == "1 rank");
    CHECK(ein::counted(std::size_t{12}, "kernel call") == "12 kernel calls");
}
