#include "executor/run/places.hpp"

#include "tests/executor/run/said.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rank_threads.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

/// What is said where rank `on_device` has a device with memory of its own.
std::vector<std::string> said_of(int ranks, int on_device, RunSettings const& settings) {
    test::Said said;
    test::on_ranks(ranks, {}, [&](Transport& transport) {
        DeviceKind const kind = transport.rank().value() == on_device ? DeviceKind::emulated : DeviceKind::cpu;
        RankDevice const device = take_device({.kind = kind}, {}, {0});
        report_places(transport, "node", device, settings, said.messages());
        return 0;
    });
    return said.sorted();
}

}  // namespace

TEST_CASE("places are reported where some rank has a device", "[executor][run]") {
    CHECK(said_of(2, -1, RunSettings()).empty());
    auto const some = said_of(2, 1, RunSettings());
    REQUIRE(some.size() == 2);
    CHECK_THAT(some[0], Catch::StartsWith("rank 0 on node: cpu"));
    CHECK_THAT(some[0], Catch::EndsWith("; cores 0"));
    CHECK_THAT(some[1], Catch::StartsWith("rank 1 on node: "));
    RunSettings quiet;
    quiet.quiet = true;
    CHECK(said_of(2, 1, quiet).empty());
    CHECK(said_of(20, 1, RunSettings()).size() == 17);
}

TEST_CASE("a limit of device memory that limits nothing is warned of", "[executor][run]") {
    RunSettings limited;
    limited.device_memory = 8;
    CHECK(
        said_of(2, -1, limited) ==
        std::vector<std::string>{"warning: --device-memory says nothing to ranks that compute in their host's memory"});
    CHECK(said_of(2, 1, limited).size() == 2);
}

TEST_CASE("spilling to memory is warned of once", "[executor][run]") {
    test::Said said;
    test::on_ranks(3, {}, [&](Transport& transport) {
        warn_of_spills_in_memory(transport, "node" + std::to_string(transport.rank().value()),
                                 transport.rank() != Rank{0}, "/dev/shm", said.messages());
        warn_of_spills_in_memory(transport, "node", false, "/scratch", said.messages());
        return 0;
    });
    REQUIRE(said.sorted().size() == 1);
    CHECK_THAT(said.sorted()[0], Catch::Contains("--spill-dir /dev/shm is kept in memory on host node1 (tmpfs)"));
}
