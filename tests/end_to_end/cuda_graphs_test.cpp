// Random graphs on the CUDA device over a fake of CUDA, in as little device memory as one task needs, against the
// interpreter. EIN_SEEDS=FIRST:COUNT runs other random graphs.
#include <array>

#include "tests/support/catch.hpp"
#include "tests/support/fake_cuda/fake_cuda.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/results.hpp"

using namespace ein;
using test::FakeCuda;

namespace {

void check_results_and_blocks(test::WholeRun const& run) {
    test::check_results(run);
    if (!run.failures.empty()) return;
    for (executor::RunResult const& rank : run.ranks) CHECK(rank.blocks.created() == rank.blocks.deleted());
}

test::WholeRunSetup on_cuda(int ranks) {
    test::WholeRunSetup setup;
    setup.ranks = ranks;
    setup.device = {executor::DeviceKind::cuda};
    setup.device_memory = 0;
    return setup;
}

}  // namespace

TEST_CASE("random graphs run on the CUDA device", "[end_to_end][cuda]") {
    auto const [first, count] = test::seeds(4);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        FakeCuda const fake({{"FAKE_CUDA_DELAY", seed % 2 == 0 ? "-1" : "50"}});
        Json const json =
            test::random_graph(seed, {.dtype = seed % 3 == 0 ? "mixed" : "f64", .sparse = seed % 4 == 0 ? 40 : 0});
        INFO("seed " << seed << "\n" << json.dump());
        test::WholeRunSetup setup = on_cuda(std::array{1, 2, 3}[seed % 3]);
        if (seed % 4 == 3) setup.threads = 2;
        check_results_and_blocks(test::whole_run(json, setup));
        CHECK(FakeCuda::objects() == 0);
    }
}

TEST_CASE("a GPU that fails ends the run with what failed", "[end_to_end][cuda]") {
    Json const json = test::random_graph(1, {.dtype = "f64"});
    for (std::string const what : {"cuMemAlloc:3", "cuLaunchKernel:2", "kernel:2", "copy:2", "cuEventRecord:2"}) {
        CAPTURE(what);
        FakeCuda const fake({{"FAKE_CUDA_FAIL", what}, {"FAKE_CUDA_DELAY", "20"}});
        test::WholeRun const run = test::whole_run(json, on_cuda(2));
        REQUIRE_FALSE(run.failures.empty());
        CHECK_THAT(run.failures.front(), Catch::Contains("CUDA_ERROR"));
    }
}

TEST_CASE("messages leave from a GPU's memory by threads that have its context", "[end_to_end][cuda]") {
    int direct = 0;
    for (std::uint64_t seed : {1, 2, 4, 5}) {
        FakeCuda const fake({{"FAKE_CUDA_DELAY", "20"}});
        Json const json = test::random_graph(seed, {.dtype = "f64"});
        INFO("seed " << seed << "\n" << json.dump());
        test::WholeRunSetup setup = on_cuda(3);
        setup.threads = 2;
        setup.device_memory = std::int64_t{1} << 20;
        setup.device_messages = executor::DeviceMessages::on;
        setup.transport.check_access = FakeCuda::check_access;
        test::WholeRun const run = test::whole_run(json, setup);
        check_results_and_blocks(run);
        for (executor::RunResult const& rank : run.ranks) direct += rank.device && rank.device->direct_messages;
    }
    CHECK(direct > 0);
}

TEST_CASE("nobody waits for a full queue of the driver's", "[end_to_end][cuda]") {
    FakeCuda const fake({{"FAKE_CUDA_DELAY", "200"}, {"FAKE_CUDA_QUEUE", "1000"}});
    test::GraphBuilder g;
    g.leaf("X", {8}, DType::f64, tensor::RandomSource{tensor::Distribution::uniform, -0.5, 0.5, 1});
    g.einsum("inside", "i->i", {"X"});
    g.begin_loop("steps", 2000);
    g.einsum("result", "i->i", {"inside"}, {.join = "x/2"});
    g.end_loop({{"inside", "result"}});
    g.einsum("Z", "i->i", {"result"}, {.join = "x*2"});
    test::WholeRunSetup setup = on_cuda(1);
    setup.device_memory = std::int64_t{1} << 20;
    setup.compared = false;
    test::WholeRun const run = test::whole_run(g.finish({"Z"}), setup);
    CHECK(run.failures.empty());
    CHECK(FakeCuda::calls("cuLaunchKernel") >= 2000);
    CHECK(FakeCuda::calls("blocked") == 0);
}
