// The run report: what all ranks did, in one JSON object at rank 0, and a short summary of it for people.
// Example: report["bytes_sent"] == report["bytes_predicted"] after every run.
#pragma once

#include <string>
#include <vector>

#include "executor/engine/engine.hpp"
#include "lib/base/json_fwd.hpp"

namespace ein::executor {

/// What the report says beside counts and times.
struct RunFacts {
    std::string version, graph, schedule, schedule_hash, device, device_description, host;
    bool tf32 = false;
    int threads = 1;
    bool shared_cores = false;              // this rank has fewer than it has threads, with the ranks beside it
    std::vector<std::string> changed = {};  // since planning, a message each; at rank 0
};

/// Collective. The report at rank 0, null elsewhere; `verify` is null until somebody adds it.
Json gather_report(Transport& transport, schedule::Header const& header, RunFacts const& facts,
                   RunResult const& result);

/// "ran in 1.23 s (load 0.10, execute 1.02, store 0.11), 12.3 GFLOP/s", bytes and peaks beside their predictions: a few
/// lines.
std::string report_summary(Json const& report);

}  // namespace ein::executor
