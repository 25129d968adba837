// The trace of einrun --trace, read back: for each rank its tasks on workers, its messages, and when it executed, and
// what was predicted for its tasks. Leaves what it means to trace_summary.hpp.
// Example: TraceFile trace = read_trace("t.json"); trace.ranks[2].tasks[0] begins at 1.5e-3 s on worker 0.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ein::apps::tool {

struct Interval {
    double begin = 0, end = 0;  // seconds since the trace's origin
    double length() const { return end - begin; }
};

/// A task, or a piece of one that another worker computed.
struct TracedTask {
    Interval time;
    int name = 0;    // in TraceFile::names: "apply AB"
    int worker = 0;  // its track
    bool piece = false;
};

struct TracedReceive {
    Interval time;
    int from = -1;                    // a rank
    int tensor = 0;                   // in TraceFile::names: whose block it is
    std::optional<double> sent = {};  // when the sender began to send it
};

struct TracedRank {
    std::vector<Interval> executes;  // one a round, and one more each time that it stopped for a checkpoint
    int rounds = 0;
    std::vector<Interval> saves;          // of checkpoints
    bool resumed = false;                 // it went on from one
    std::vector<TracedTask> tasks;        // by begin; a task's own pieces lie within it
    std::vector<TracedReceive> receives;  // by end
    std::vector<Interval> sends;
};

/// What was predicted for the tasks of one name, of all ranks together.
struct PredictedTasks {
    double calls = 0, operations = 0;
    double limit = 0;  // worker seconds that they take at least
};

struct TraceFile {
    std::string name;
    std::vector<TracedRank> ranks;
    std::vector<std::string> names;
    std::map<int, PredictedTasks> predicted;  // by name
    std::string machines;                     // that it was predicted on: "the built-in cluster", or a cluster file
    double predicted_seconds = 0;             // of one round as it was; 0: unknown, or it did a part of the graph
    double predicted_once = 0;                // of the whole graph with one iteration of each loop; 0: unknown
    bool loops = false;                       // it has some
    bool shared_cores = false;                // some rank had fewer than it had threads
    bool lost_cores = false;                  // kernels of some rank often had none, others having them
};

/// Reads it line by line, as einrun writes it: an event a line. @throws InputError for another file
TraceFile read_trace(std::filesystem::path const& file);

}  // namespace ein::apps::tool
