// The memory of one rank by arithmetic: its tasks are replayed in order, each block counted from its first writer to
// its last reader. The scheduler predicts peaks with it; the executor lets a task start before its turn only where this
// profile has room. Example: load X (8 bytes), apply Z = X + X (8 bytes), store Z: live 8, 16, 8; peak 16. Source: [P]
// section VII (dependents and dependent counts).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

struct Profile {
    std::vector<std::int64_t> live;  // bytes of blocks while task k runs: its inputs and output, and what later tasks
                                     // need; of those that are repeated the first time
    std::int64_t peak = 0;           // that may be live: the most of them, and the section's room
    std::int64_t at_end = 0;         // 0 for a sound schedule
};

Profile replay(Section const& section);

/// Of each of a section's loops in a whole run, an inner one's over all iterations of the outer.
using IterationCounts = Table<LoopId, std::int64_t>;
/// As many iterations as there may be.
IterationCounts predicted_iterations(Header const& header, Section const& section);
/// How often each task runs: for so many iterations of the loops, or as counted.
class Runs {
public:
    Runs(Section const& section, IterationCounts const& iterations);
    explicit Runs(Table<TaskId, std::int64_t> of_task) : of_task_(std::move(of_task)) {}
    std::int64_t of(TaskId task) const { return of_task_.empty() ? 1 : of_task_[task]; }

private:
    Table<TaskId, std::int64_t> of_task_;  // empty without loops and repeats
};
/// Scalar operations of each kernel call of a rank (graph::flops), and one for each element that is added to what is
/// there already, as often as it runs.
void visit_flops(Header const& header, Section const& section, Runs const& runs,
                 std::function<void(TaskId, KernelId, double)> const& visit);
/// Of all of them.
double flops(Header const& header, Section const& section, Runs const& runs);

/// Bytes and messages of a rank.
struct Exchanged {
    std::int64_t sent = 0, received = 0, messages_sent = 0;
    friend bool operator==(Exchanged const&, Exchanged const&) = default;
};
Exchanged exchanged(Section const& section, Runs const& runs);
/// For so many iterations of its loops.
Exchanged exchanged(Section const& section, IterationCounts const& iterations);

/// What spills and fetches do to the disk of one rank. A block is there from its spill to its last fetch.
/// Example: spill X (8 bytes), fetch X, fetch X: 1 block, 8 bytes written, 16 read, peak 8.
struct DiskUse {
    std::int64_t blocks = 0;                       // written
    std::int64_t written = 0, read = 0, peak = 0;  // bytes; peak: on disk together, tasks run in order
};

DiskUse disk_use(Section const& section);
DiskUse disk_use(Schedule const& schedule);  // of all ranks together; peak: the sum of theirs

}  // namespace ein::schedule
