#include "executor/run/host_share.hpp"

#include "tests/executor/run/said.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/left_ranks.hpp"

using namespace ein;
using namespace ein::executor;

TEST_CASE("threads that are asked for are given, and too many are warned of once", "[executor][run]") {
    test::Said said;
    auto const threads = test::on_ranks(3, {}, [&](Transport& transport) {
        return share_host(transport, {8, 8, 8}, 4096, test::with({}), said.messages()).threads;
    });
    CHECK(threads == std::vector<int>{4096, 4096, 4096});
    REQUIRE(said.sorted().size() == 1);
    CHECK_THAT(said.sorted()[0], Catch::StartsWith("warning: 3 ranks x 4096 threads"));
}

TEST_CASE("without a number each rank has at least one thread and some core", "[executor][run]") {
    test::Said said;
    test::on_ranks(2, {}, [&](Transport& transport) {
        HostShare const share = share_host(transport, {8, 8}, {}, test::with({}), said.messages());
        CHECK(share.threads >= 1);
        CHECK_FALSE(share.cores.empty());
        CHECK_FALSE(share.host.empty());
        return 0;
    });
}

TEST_CASE("more than a host has is refused before anything runs", "[executor][run]") {
    test::Said said;
    auto const left = test::leave(2, [&](Transport& transport) {
        share_host(transport, {std::int64_t{1} << 60, 8}, {}, test::with({}), said.messages());
    });
    CHECK(left[0].code == ExitCode::no_memory);
    CHECK(left[1].code == ExitCode::no_memory);
    CHECK(said.sorted().empty());
}

TEST_CASE("a variable that is no number of threads is refused by its name", "[executor][run]") {
    test::Said said;
    auto const left = test::leave(1, [&](Transport& transport) {
        share_host(transport, {8}, {}, test::with({{"OMP_NUM_THREADS", "many"}}), said.messages());
    });
    CHECK(left[0].code == ExitCode::usage);
    CHECK_THAT(left[0].message, Catch::Contains("OMP_NUM_THREADS"));
}
