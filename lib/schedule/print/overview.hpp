// A schedule on one screen: totals by kind of task, by node and by rank, with those at the top that matter most. What a
// single task does is print.hpp's.
// Example: of a product on 4 ranks: load 8, apply 4, ...; AB 4 calls on 4 ranks, 240 M operations; rank 0 sends most.
#pragma once

#include <string>
#include <vector>

#include "lib/schedule/model/schedule.hpp"

namespace ein::schedule {

/// Of all iterations of loops, as many as there may be.
struct Overview {
    struct OfKind {
        std::string kind;
        std::int64_t tasks = 0, bytes = 0;  // of what they make, or move
    };
    struct OfNode {  // or of an input
        std::string name;
        std::int64_t calls = 0, ranks = 0;  // kernel calls, and ranks that have some
        double flops = 0;
        std::int64_t moved = 0;  // bytes of its blocks that cross ranks
    };
    struct OfRank {
        Rank rank;
        std::int64_t tasks = 0;
        double flops = 0;
        std::int64_t sent = 0, received = 0, peak = 0, spilled = 0;  // bytes
    };
    struct OfMoment {           // at which a run may be stopped and saved
        std::string before;     // the node that comes next; "" where no rank has a task of it
        std::string loop;       // around it; "" for none
        std::int64_t live = 0;  // bytes of a checkpoint there
    };
    std::vector<OfKind> kinds;  // in the order of TaskKinds, those that there are
    std::vector<OfNode> nodes;  // most operations first, then most bytes moved
    std::vector<OfRank> ranks;  // most operations first, then most bytes received
    std::vector<OfMoment> moments;
};

Overview overview_of(Schedule const& schedule);
std::vector<Overview::OfMoment> moments_of(Schedule const& schedule);

/// At most 100 columns and, whatever the schedule, a screen of rows.
std::string to_text(Overview const& overview, Header const& header);

}  // namespace ein::schedule
