// Schedules with spills, run by the engine: the same bits as without, within the budget, with nothing left on disk.
#include "lib/schedule/memory/spill.hpp"

#include <atomic>

#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/copying_schedules.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;

namespace {

std::int64_t most(std::vector<std::int64_t> const& values) { return *std::max_element(values.begin(), values.end()); }

void check_run(schedule::Schedule const& schedule, RunOutcome const& run, RunOutcome const& plain,
               std::int64_t budget) {
    CHECK(run.codes == all_done(schedule.header.ranks));
    CHECK(same_bits(run.outputs, plain.outputs));
    for (std::size_t rank = 0; rank < run.results.size(); ++rank) {
        schedule::DiskUse const planned = schedule::disk_use(schedule.sections[Rank{static_cast<int>(rank)}]);
        CHECK(run.results[rank].blocks.peak_bytes() <= budget);
        CHECK(run.results[rank].blocks.live() == 0);
        CHECK(run.results[rank].spilled.blocks == planned.blocks);
        CHECK(run.results[rank].spilled.written == planned.written);
        CHECK(run.results[rank].spilled.read <= planned.read);
        CHECK(run.results[rank].spilled.peak <= planned.written);
    }
}

}  // namespace

TEST_CASE("random schedules give the same bits from any budget, however they are delayed", "[executor][spill]") {
    std::uint64_t const seed = GENERATE(range(1, 15));
    int const ranks = std::array{1, 2, 3, 4, 5, 7}[seed % 6];
    CAPTURE(seed, ranks);
    auto const schedule = random_schedule(ranks, 60, seed);
    RunOutcome const plain = run_by_threads(schedule);
    std::int64_t const least = schedule::smallest_budget(schedule), peak = most(schedule.header.prediction.peak_bytes);
    for (std::int64_t budget : {least, least + (peak - least) / 4, (least + peak) / 2}) {
        auto const spilled = schedule::with_spills(schedule, budget);
        for (std::string const& fault : schedule::faults_of(spilled)) FAIL_CHECK(fault);
        CHECK(most(spilled.header.prediction.peak_bytes) <= budget);
        for (int threads : {1, 2, 4}) {
            CAPTURE(budget, threads);
            RunSetup setup;
            setup.threads = threads;
            setup.transport = {200, 20, seed};
            setup.limits.receives = 1 + static_cast<std::int64_t>(seed % 4);
            setup.limits.peer_bytes = static_cast<std::int64_t>(seed % 5 * 20);
            std::atomic<unsigned> launches{0};
            setup.hook = [&](int, std::string const&) {
                unsigned const which = launches++ * 2654435761u >> 28;
                if (which < 3) std::this_thread::sleep_for(std::chrono::microseconds(200 * which));
            };
            check_run(spilled, run_by_threads(spilled, setup), plain, budget);
        }
    }
}

TEST_CASE("repeated rounds load anew where inputs spill, and count one round", "[executor][spill]") {
    int const ranks = GENERATE(1, 3);
    auto const schedule = random_schedule(ranks, 60, 4);
    std::int64_t const budget = schedule::smallest_budget(schedule);
    auto const spilled = schedule::with_spills(schedule, budget);
    REQUIRE(schedule::disk_use(spilled).blocks > 0);
    RunSetup setup;
    setup.repeat = 3;
    setup.threads = 2;
    setup.load_each_round = true;
    RunOutcome const run = run_by_threads(spilled, setup);
    check_run(spilled, run, run_by_threads(schedule), budget);
    CHECK(run.results[0].rounds.size() == 3);
    CHECK(same_bits(run_by_threads(schedule, setup).outputs, run.outputs));  // without spills, too
}

TEST_CASE("outputs that are on disk are dropped between rounds", "[executor][spill]") {
    auto const spilled = schedule::with_spills(copied_thrice(), 128);
    REQUIRE(schedule::disk_use(spilled.sections[Rank{0}]).blocks == 2);
    RunSetup setup;
    setup.repeat = 4;
    setup.load_each_round = true;
    RunOutcome const run = run_by_threads(spilled, setup);
    CHECK(run.codes == all_done(1));
    CHECK(run.results[0].spilled.peak == 128);
    for (std::string const z : {"P", "Q", "R"})
        for (Extent g = 0; g < 8; ++g) CHECK(run.outputs.at(z)[static_cast<std::size_t>(g)] == number(g));
}

TEST_CASE("a disk that is full in the middle of a run ends all ranks and says where", "[executor][spill]") {
    auto const schedule = random_schedule(3, 60, 2);
    auto const spilled = schedule::with_spills(schedule, schedule::smallest_budget(schedule));
    REQUIRE(schedule::disk_use(spilled.sections[Rank{0}]).blocks > 0);
    TemporaryFolder folder;
    RunSetup setup;
    setup.threads = 2;
    setup.spill_dir = folder.path();
    setup.reserve = Reserve::nothing;
    FileSizeLimit const limit(1);
    RunOutcome const run = run_by_threads(spilled, setup);
    CHECK(run.codes == std::vector<ExitCode>(3, ExitCode::failure));
    std::string reported;
    for (auto const& messages : run.messages)
        for (std::string const& message : messages) reported += message + "\n";
    CHECK_THAT(reported, Catch::Contains("(spill, block ") && Catch::Contains("expected to write a block of") &&
                             Catch::Contains("free space there"));
    CHECK(std::filesystem::is_empty(folder.path()));
}
