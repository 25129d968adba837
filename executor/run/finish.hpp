// The end of a run whose outputs are in place: trace, report, verification, summary. A trace or report that cannot be
// written is reported at once and ends the run with its code when everything else is done.
// Simulating and comparing are handed in: they know graphs and clusters, the executor does not.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "executor/checkpoint/checkpoint_report.hpp"
#include "executor/finite/non_finite_report.hpp"
#include "executor/report/report.hpp"
#include "executor/run/messages.hpp"
#include "executor/run/open_schedule.hpp"
#include "executor/run/run_settings.hpp"
#include "executor/trace/trace.hpp"
#include "lib/relation/verify/verification.hpp"

namespace ein::executor {

/// What a run leaves for its end, on one rank.
struct RunEnd {
    RunSettings const& settings;
    RankSchedule const& schedule;
    RunFacts facts;
    RunResult const& result;
    Record const& record;  // with a trace, of Keep::all
    ClockLine clock;       // with a trace
    std::vector<std::filesystem::path> outputs;
    std::optional<CheckpointReport> checkpoint = {};  // where they were asked for
    NonFiniteReport non_finite = {};  // where a node is at fault there are no outputs, and the run fails
};

/// What rank 0 calls.
struct EndActions {
    std::function<Forecast()> forecast;                       // with a trace
    std::function<relation::Verification(bool tf32)> verify;  // empty: not asked for
    std::function<void(std::string const&)> summarize;        // empty: not asked for
};

/// Whether report and trace can be written, found before hours of work are done. One rank. @throws RunError
void check_report_and_trace(RunSettings const& settings);

/// Collective.
/// @throws Disagreement with a message (NaN or infinity that begins in a node, mismatch or nothing verified, or what
/// verify throws) or, where all was said, without one
void finish_run(Transport& transport, RunEnd const& end, EndActions const& actions, Messages const& messages);

}  // namespace ein::executor
