// Random graphs x rank counts against the interpreter: the whole way from JSON to results. EIN_SEEDS=FIRST:COUNT runs others.
#include <cmath>

#include "lib/tensor/compare.hpp"
#include "planner/strategies/strategies.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

/// Sums of many roundings and a few steepening functions one after another: wider than one operation's tolerance.
double allowance(test::WholeRun const& run, std::string const& output) {
    double tolerance = 0;
    for (graph::Value const& value : run.graph.values)
        tolerance = std::max(tolerance, tensor::tolerance(value.dtype, run.reduction_length.at(output)));
    return 100 * tolerance;
}

void check_results(test::WholeRun const& run) {
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    for (auto const& [name, expected] : run.expected) {
        CAPTURE(name);
        tensor::HostTensor const& found = run.results.at(name);
        REQUIRE(found.shape() == expected.shape());
        REQUIRE(found.dtype() == expected.dtype());
        tensor::Difference const d = tensor::compare(found, expected, allowance(run, name));
        CAPTURE(d.worst, d.max_abs, d.max_rel);
        CHECK((d.count == 0 ||
               d.max_abs <= allowance(run, name)));  // inputs are near 1: what cancels to nothing is judged by that
    }
}

void check_promises(test::WholeRun const& run) {
    schedule::Prediction const& p = run.schedule.header.prediction;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        CAPTURE(rank);
        CHECK(run.ranks[rank].transfers.bytes_sent == p.bytes_sent[rank]);
        CHECK(run.ranks[rank].transfers.messages_sent == p.messages_sent[rank]);
        CHECK(run.ranks[rank].blocks.peak_bytes() <= p.peak_bytes[rank]);
        CHECK(run.ranks[rank].blocks.created() == run.ranks[rank].blocks.deleted());
    }
}

void check(std::uint64_t seed, test::GraphTaste const& taste) {
    constexpr int rank_counts[] = {1, 2, 3, 4, 5, 7};
    Json const json = test::random_graph(seed, taste);
    INFO("seed " << seed << " " << taste.dtype << "\n" << json.dump());
    test::WholeRunSetup setup;
    setup.ranks = rank_counts[seed % 6];
    setup.threads = 1 + static_cast<int>(seed % 3 == 0);
    setup.calls = seed % 4 == 0 ? 3 * setup.ranks : 0;
    if (seed / 2 % 2 == 0) setup.chains = {64, 0, 1};  // the smallest kernels run in chains, a few elements at a time
    setup.slice_bytes = seed % 2 == 0 ? 0 : 16 << 10;
    if (seed / 6 % 2 == 0) setup.staging.ranks = 2;  // small groups exchange in stages too
    if (seed / 12 % 2 == 0) setup.piecing = test::smallest_pieces;
    if (seed % 3 == 0) setup.messages = {.bytes = 64, .most = 8, .window = 128};  // pieces travel in several messages
    std::vector<std::string> const& strategies = planner::strategy_names();
    setup.decompose = seed % 2 == 0 ? "eindecomp" : strategies[seed / 2 % strategies.size()];
    setup.alternative = seed / 3;
    setup.place = seed % 5 == 0 ? "round-robin" : seed % 5 == 1 ? "ia" : "best";
    setup.inputs = seed % 7 == 0 ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once;
    INFO("ranks " << setup.ranks << " calls " << setup.calls << " decompose " << setup.decompose << " alternative "
                  << setup.alternative << " place " << setup.place);
    try {
        test::WholeRun const run = test::whole_run(json, setup);
        check_results(run);
        if (run.failures.empty()) check_promises(run);
    } catch (std::exception const& error) {
        FAIL_CHECK(error.what());
    }
}

}  // namespace

TEST_CASE("random graphs give the interpreter's results at any rank count", "[end_to_end]") {
    auto const dtype = GENERATE("f64", "f32", "mixed", "i32", "c128");
    auto const [first, count] = test::seeds(60);
    for (std::uint64_t seed = first; seed < first + count; ++seed) check(seed, {.dtype = dtype});
}
