// One rank's part of a trace: its lanes of tasks, arrows along messages, counters, phases.
// Example: RankTrace(text, header, section, rank, ticks_of).lanes(lanes_of(section, ...)) draws each task on its
// worker's track.
#pragma once

#include <functional>
#include <unordered_map>

#include "executor/trace/counters.hpp"
#include "executor/trace/lanes.hpp"
#include "executor/trace/trace_text.hpp"

namespace ein::executor {

class RankTrace {
public:
    /// @param pid  the rank, but for what was predicted for it
    /// @param ticks_of  from a time of this rank's clock to one of the trace
    RankTrace(TraceText& text, schedule::Header const& header, schedule::Section const& section, int pid,
              std::function<Ticks(double)> ticks_of)
        : text_(text), header_(header), section_(section), pid_(pid), ticks_of_(std::move(ticks_of)) {}

    /// Tasks and pieces, a track a lane: its tid is its index. What is still open ends at `now` and says so.
    /// @param more  further JSON of a task's slice, with a comma before it: ",\"operations\":2000"
    void lanes(std::vector<Lane> const& lanes, double now = 0, std::function<std::string(TaskId)> const& more = {});
    /// For each message an arrow from its send to its receive, and on to the first task that reads the block.
    void arrows(std::vector<Lane> const& lanes, std::vector<RoundEvents> const& rounds,
                schedule::TaskLinks const& links);
    void counters(std::vector<CounterSample> const& samples);
    /// On a track above the workers.
    void phases(std::vector<PhaseSpan> const& phases, std::vector<CheckpointSpan> const& checkpoints, int tid);

private:
    /// JSON: "apply AB", "send to 3".
    std::string const& name_of(TaskId task);
    schedule::Task const& task(TaskId id) const { return section_.tasks[id]; }

    TraceText& text_;
    schedule::Header const& header_;
    schedule::Section const& section_;
    int pid_;
    std::function<Ticks(double)> ticks_of_;
    std::unordered_map<std::int64_t, std::string> names_;  // by kind and node or peer
};

}  // namespace ein::executor
