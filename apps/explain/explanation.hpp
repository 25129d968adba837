// Why a schedule is as it is, as pure data: for the whole and for each node what was decided, what else was considered,
// what it costs as published, what really moves, how that lies on a mesh of ranks and which collectives it amounts to.
// Printers compute nothing. Words are bytes divided by the size of an element: of a node's output, or, for the whole,
// of the dtype that most elements have. Example: for matmul of 1024-cubes on 8 ranks: parts i 2, j 2, k 2; published
// 5,242,880 elements; C is Partial over an axis of the mesh and finished by a reduce-scatter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/explain/listed.hpp"
#include "apps/explain/timing.hpp"
#include "lib/schedule/device/device_memory.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "planner/search/rejected_plans.hpp"
#include "scheduler/scheduler.hpp"

namespace ein::apps::explain {

/// One label of a node (or axis of what a Move or Reshape makes), and into how much it is cut.
struct CutLabel {
    std::string name;
    Extent extent = 0;
    std::int64_t parts = 1;
    bool aggregated = false;
    std::string uneven;  // "5+4x6": the lengths, when they differ
    friend bool operator==(CutLabel const&, CutLabel const&) = default;
};

/// A way to cut the node that was not taken: with the edges around it, neighbours as planned.
struct Rejected {
    std::vector<CutLabel> cut;  // labels that are cut
    double elements = 0, bytes = 0, more_elements = 0, more_bytes = 0;
    friend bool operator==(Rejected const&, Rejected const&) = default;
};

struct Step {
    std::string kind;  // "all-gather", ...
    std::vector<std::string> axes;
    friend bool operator==(Step const&, Step const&) = default;
};

/// An input edge, or how the output is finished.
struct Flow {
    std::string tensor;
    std::optional<std::size_t> maker;  // the node that made the tensor; nothing for an input of the graph
    std::string held, wanted;          // how it lies, and how kernel calls have it ("Partial over c" for an output)
    std::vector<Step> steps;           // none when nothing moves
    std::int64_t bytes = 0;
    std::string note;
};

struct NodeReport {
    std::string name;  // of its output; unique
    std::string operation, dtype;
    std::vector<CutLabel> cut;
    std::int64_t cells = 0;  // combinations of parts
    std::int64_t calls = 0;  // fewer where a rank's neighbouring cells are one call
    std::int64_t candidates = 0;
    double flops = 0;
    relation::Cost elements, bytes;                        // as published
    double with_edges_elements = 0, with_edges_bytes = 0;  // what the rejected ones are compared with
    std::vector<Rejected> rejected;
    std::int64_t join = 0, agg = 0, repart = 0;  // bytes of the finished schedule
    std::int64_t busiest = 0;                    // of these, received by one rank at most
    double busiest_words = 0;
    std::optional<double> lower_bound_words, ratio;  // of contractions; no ratio where the bound is 0
    std::vector<Flow> inputs;
    Flow output;
    std::vector<ListedTensor> listed;       // that it reads and makes; none where all are dense
    std::optional<ListedWork> listed_work;  // of the ranks, where it reads a sparse one
    Drivers drivers;                        // none where it looks at all elements
    std::vector<std::string> looked_up;     // sparse tensors that do not decide
    std::string dense_copy;                 // for whom and why it makes a sparse tensor dense; empty: it does not

    std::int64_t moved() const { return join + agg + repart; }
};

/// A device's memory, as a cache of blocks.
struct DeviceReport {
    std::int64_t capacity = 0;        // bytes, of each rank
    schedule::DeviceTraffic traffic;  // of all ranks; the largest peak
};
DeviceReport device_report(schedule::Schedule const& schedule, std::int64_t capacity);
std::string device_text(DeviceReport const& report);

struct Explanation {
    std::string graph;
    int ranks = 1;
    std::string strategy, place;
    bool reproducible = false;  // planned with --reproducible
    std::int64_t calls = 1;
    std::optional<double> gap;  // the cost is at most 1 + gap times the least, where the plan says so
    std::string mesh;           // "a:2 b:4"
    std::vector<std::pair<std::string, int>> mesh_axes;
    std::int64_t tasks = 0;
    double flops = 0;
    relation::Cost cost;  // elements, as published
    double cost_bytes = 0;
    std::int64_t bytes = 0, bytes_rank_max = 0;
    std::string word;  // the dtype that words are of
    double words_rank_max = 0;
    std::vector<std::int64_t> peak_bytes;  // by rank
    std::int64_t loaded_again = 0;         // bytes of sparse inputs that several ranks load
    schedule::DiskUse spill;               // of all ranks
    std::optional<DeviceReport> device;    // where a device's memory was given
    std::optional<Timing> timing;          // where the schedule was simulated
    std::vector<int> idle_ranks;
    std::vector<NodeReport> nodes;
};

Explanation explain(graph::EinGraph const& graph, relation::Plan const& plan, scheduler::Scheduled const& made);

}  // namespace ein::apps::explain
