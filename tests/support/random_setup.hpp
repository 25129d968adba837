// How a random graph is run, of its seed: ranks, threads, strategies, pieces, messages, fused groups.
// Example: random_setup(5) has 7 ranks, and results of more than 16 KiB come in subblocks.
#pragma once

#include "planner/strategies/strategies.hpp"
#include "tests/support/results.hpp"

namespace ein::test {

inline WholeRunSetup random_setup(std::uint64_t seed) {
    constexpr int rank_counts[] = {1, 2, 3, 4, 5, 7};
    WholeRunSetup setup;
    setup.ranks = rank_counts[seed % 6];
    setup.threads = 1 + static_cast<int>(seed % 3 == 0);
    setup.calls = seed % 4 == 0 ? 3 * setup.ranks : 0;
    if (seed / 2 % 2 == 0)
        setup.fused_groups = {64, 0, 1};  // the smallest kernels run in fused groups, a few elements at a time
    if (seed / 4 % 2 == 0) {              // and rows of a few elements are cut too
        setup.fused_groups.bytes_of_a_row_piece = 0;
        setup.fused_groups.bytes_of_a_carried_piece = 64;
        setup.fused_groups.least_carried = 1;
    }
    setup.subblock_bytes = seed % 2 == 0 ? 0 : 16 << 10;
    if (seed / 6 % 2 == 0) setup.staging.ranks = 2;  // small groups exchange in stages too
    if (seed / 12 % 2 == 0) setup.split = smallest_pieces;
    if (seed % 3 == 0) setup.messages = {.bytes = 64, .most = 8, .window = 128};  // pieces travel in several messages
    std::vector<std::string> const& strategies = planner::strategy_names();
    setup.decompose = seed % 2 == 0 ? "eindecomp" : strategies[seed / 2 % strategies.size()];
    setup.alternative = seed / 3;
    setup.place = seed % 5 == 0 ? "round-robin" : seed % 5 == 1 ? "ia" : "best";
    setup.inputs = seed % 7 == 0 ? scheduler::InputsPolicy::shared : scheduler::InputsPolicy::once;
    setup.check_calls = {seed % 2 == 0, 3};
    if (seed % 5 == 4) setup.sparse_results = relation::SparseResults::where_smaller;
    return setup;
}

/// Each call was looked at, and nothing was wrong.
inline void check_calls(WholeRun const& run) {
    relation::CheckedCalls const calls = checked_calls(run);
    CHECK(calls.mismatches == std::vector<std::string>());
    CHECK(calls.differ == 0);
    CHECK(calls.unchecked_nodes == std::vector<std::string>());
    CHECK(calls.calls >= calls.of_calls);  // a fused group may have more steps than calls
}

/// Results, promises, and calls where they are wanted.
inline void run_and_check(Json const& json, WholeRunSetup const& setup) {
    INFO("ranks " << setup.ranks << " calls " << setup.calls << " decompose " << setup.decompose << " alternative "
                  << setup.alternative << " place " << setup.place);
    try {
        WholeRun const run = whole_run(json, setup);
        check_results(run);
        if (run.failures.empty()) check_promises(run);
        if (run.failures.empty() && setup.check_calls.wanted) check_calls(run);
    } catch (std::exception const& error) {
        FAIL_CHECK(error.what());
    }
}

}  // namespace ein::test
