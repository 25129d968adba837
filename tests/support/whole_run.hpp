// A graph from its JSON text to its results, without files and processes: read, lower, plan, schedule, run with threads
// as ranks, and the reference interpreter's results beside them. Example: auto run = whole_run(json, {.ranks = 3});
// run.results["Z"] and run.expected["Z"] are tensors to compare.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "executor/device/device.hpp"
#include "executor/engine/engine.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"
#include "lib/relation/interpret.hpp"
#include "lib/relation/listed_results.hpp"
#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"
#include "tests/support/rank_threads.hpp"

namespace ein::test {

/// EIN_TEST_DEVICE=emulated runs what does not name a device on an emulated one, in as little memory as will do.
bool tests_run_emulated();

struct WholeRunSetup {
    int ranks = 1;
    int threads = 1;
    std::int64_t calls = 0;
    std::string decompose = "eindecomp";
    std::size_t alternative = 0;  // of the plan, planner::other_plans, and these by weight, counted round
    std::string place = "best";
    scheduler::InputsPolicy inputs = scheduler::InputsPolicy::once;
    std::int64_t subblock_bytes = 16 << 10;
    scheduler::Staging staging = {};
    scheduler::SplitRule split = {};
    scheduler::Messages messages = {};
    executor::DeviceChoice device = {tests_run_emulated() ? executor::DeviceKind::emulated : executor::DeviceKind::cpu};
    executor::DeviceMessages device_messages = executor::DeviceMessages::automatic;
    std::optional<std::int64_t> device_memory =
        tests_run_emulated() ? std::optional<std::int64_t>(0) : std::nullopt;  // bytes; 0: as little as will do
    bool fuses_producers = true;                                               // on a device with memory of its own
    scheduler::FusionLimits fused_groups = {};
    std::optional<std::int64_t> take_over = 1;  // bytes of blocks whose memory results may take over
    executor::LoopbackOptions transport = {};
    bool check_finite = false;
    executor::CallChecks check_calls = {};
    /// In place of the device, made from it.
    std::function<std::unique_ptr<executor::Device>(std::unique_ptr<executor::Device>)> spoilt = {};
    bool reproducible = false;
    relation::SparseResults sparse_results = relation::SparseResults::where_possible;
    bool compared = true;  // else `expected` stays empty
};

/// Kernel calls of the smallest graphs are made in pieces.
inline constexpr scheduler::SplitRule smallest_pieces{
    .product_points = 1, .other_points = 1, .product_length = 1, .block_bytes = 64, .weighs_time = false};

struct WholeRun {
    graph::EinGraph graph;  // lowered
    schedule::Schedule schedule;
    std::map<std::string, tensor::HostTensor> results, expected;
    std::map<std::string, double> reduction_length;
    std::vector<executor::RunResult> ranks;
    std::vector<std::string> failures;  // what ranks reported
};

/// Whether what a rank sends is known beforehand: of sparse results only the most that it can be is.
bool knows_what_it_sends(schedule::Section const& section);

/// Of all ranks together.
relation::CheckedCalls checked_calls(WholeRun const& run);

/// Whether rounding errors as large as the run's own may have left every one of these elements of a result as it is:
/// what cancels, or steepens an error, may be further off than any tolerance (relation::rounding_spread).
/// @param positions  C order
bool rounding_explains(WholeRun const& run, std::string const& output, std::vector<Extent> const& positions);

relation::ReadLeaf source_reader(graph::EinGraph const& graph);

/// Runs the schedule that is there.
void execute(WholeRun& run, WholeRunSetup const& setup);

/// Of a graph as it was read: lowering is under test too.
WholeRun whole_run(graph::EinGraph const& read, WholeRunSetup const& setup);
WholeRun whole_run(Json const& json, WholeRunSetup const& setup);

}  // namespace ein::test
