// What a trace says, on one screen: where each rank's time went, who waited for what, and the kernels that took
// longest with their speed and their share of the machine's limit.
// Example: rank 0 had no work for 3 ms until B came from rank 1, which had begun to send it after 2 of them: it waited
// 2 ms for rank 1 to make B and 1 ms for B to arrive.
#pragma once

#include "apps/eintool/trace/trace_file.hpp"

namespace ein::apps::tool {

/// Seconds while a rank executes, of a worker on average; the three add up to them.
struct TimeOfRank {
    int rank = 0, workers = 0;
    double executing = 0, computing = 0, communicating = 0, waiting = 0;
};

/// Time in which a rank had no work at all, and what ended it.
struct Wait {
    enum class For { making, arrival, end, other };
    int rank = 0, peer = -1;
    std::string tensor;  // empty where no message ended it
    For reason = For::other;
    double seconds = 0;
    int times = 0;
};

struct KernelTime {
    std::string name;
    int calls = 0;
    double seconds = 0;                            // of workers, all ranks together
    std::optional<double> operations, limit = {};  // of all calls; worker seconds that they take at least
};

struct TraceSummary {
    std::vector<TimeOfRank> ranks;    // those that wait longest first
    std::vector<Wait> waits;          // longest first
    std::vector<KernelTime> kernels;  // longest first
};

TraceSummary summary_of(TraceFile const& trace);

/// At most 100 columns and a screen of rows.
std::string to_text(TraceFile const& trace, TraceSummary const& summary);

}  // namespace ein::apps::tool
