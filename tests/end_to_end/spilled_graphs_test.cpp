// Random graphs whose schedules spill: the same bits as without, within the budget. EIN_SEEDS=FIRST:COUNT runs others.
#include <algorithm>
#include <array>

#include "lib/schedule/memory/spill.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "planner/strategies/strategies.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/results.hpp"

using namespace ein;

namespace {

void check_spilled(test::WholeRun const& plain, test::WholeRunSetup const& setup, std::int64_t budget) {
    CAPTURE(budget);
    test::WholeRun run;
    run.schedule = schedule::with_spills(plain.schedule, budget);
    for (std::string const& fault : schedule::faults_of(run.schedule)) FAIL_CHECK(fault);
    test::execute(run, setup);
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    if (!run.failures.empty()) return;
    for (auto const& [name, expected] : plain.results) {
        CAPTURE(name);
        CHECK(test::same_bits(run.results.at(name), expected));
    }
    schedule::Prediction const& p = run.schedule.header.prediction;
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        CAPTURE(rank);
        CHECK(p.peak_bytes[rank] <= budget);
        CHECK(run.ranks[rank].blocks.peak_bytes() <= p.peak_bytes[rank]);
        CHECK(run.ranks[rank].transfers.bytes_sent == p.bytes_sent[rank]);
        CHECK(run.ranks[rank].spilled.written ==
              schedule::disk_use(run.schedule.sections[Rank{static_cast<int>(rank)}]).written);
    }
}

void check_spilled(std::uint64_t seed, std::string const& dtype) {
    Json const json = test::random_graph(seed, {.dtype = dtype, .sparse = seed % 3 == 0 ? 40 : 0});
    INFO("seed " << seed << " " << dtype << "\n" << json.dump());
    test::WholeRunSetup setup;
    setup.ranks = std::array{1, 2, 3, 4, 5, 7}[seed % 6];
    setup.threads = 1 + static_cast<int>(seed % 4);
    setup.calls = seed % 3 == 0 ? 3 * setup.ranks : 0;
    setup.subblock_bytes = seed % 2 == 0 ? 0 : 16 << 10;
    if (seed / 6 % 2 == 0) setup.split = test::smallest_pieces;
    if (seed % 3 != 0) setup.messages = {.bytes = 64, .most = 8, .window = 128};  // pieces travel in several messages
    std::vector<std::string> const& strategies = planner::strategy_names();
    setup.decompose = seed % 2 == 0 ? "eindecomp" : strategies[seed / 2 % strategies.size()];
    setup.place = seed % 5 == 0 ? "round-robin" : "greedy";
    INFO("ranks " << setup.ranks << " threads " << setup.threads << " decompose " << setup.decompose);
    try {
        test::WholeRun const plain = test::whole_run(json, setup);
        for (std::string const& failure : plain.failures) FAIL_CHECK(failure);
        auto const& peaks = plain.schedule.header.prediction.peak_bytes;
        std::int64_t const peak = *std::max_element(peaks.begin(), peaks.end());
        std::int64_t const least = schedule::smallest_budget(plain.schedule);
        REQUIRE(least <= peak);
        for (std::int64_t budget : {least, (least + peak) / 2}) check_spilled(plain, setup, budget);
    } catch (std::exception const& error) {
        FAIL_CHECK(error.what());
    }
}

}  // namespace

TEST_CASE("random graphs give the same bits when their blocks spill", "[end_to_end][spill]") {
    auto const dtype = GENERATE("f64", "mixed", "c128");
    auto const [first, count] = test::seeds(30);
    for (std::uint64_t seed = first; seed < first + count; ++seed) check_spilled(seed, dtype);
}
