// Brings a small region that many ranks want to all of them at once, by a staged all-gather (collectives.hpp): each
// rank takes the cell of the region that it holds, or one that nobody has taken; members of a row exchange runs of
// cells until they have all. Where there are more ranks than cells there are several rows; ranks that are left over get
// the whole region from one that has it.
// Example: 16 ranks want a vector of which each holds a sixteenth: two steps of three messages a rank, not fifteen
// messages.
#pragma once

#include <vector>

#include "scheduler/move/collectives.hpp"
#include "scheduler/move/delivery.hpp"

namespace ein::scheduler {

class StagedAllGather {
public:
    StagedAllGather(BlockDirectory& directory, BlockMover& mover, Delivery& delivery, TrafficCounter& traffic,
                    Staging const& staging)
        : directory_(directory), mover_(mover), delivery_(delivery), traffic_(traffic), staging_(staging) {}

    /// Does nothing where it would not save messages: then need() brings the region to each rank on its own.
    void bring(ValueId value, Box const& region, std::vector<Rank> ranks);

private:
    struct Group {
        CellGrid grid;
        CellOwners owners;
    };
    std::optional<Group> group_of(ValueId value, Box const& region, std::vector<Rank> const& ranks) const;
    std::vector<Holding> gather(ValueId value, CellGrid const& grid, std::vector<Rank> const& row, Purpose purpose);
    Holding exactly(ValueId value, Box const& region, Rank rank);
    BlockId transfer(ValueId value, Holding const& from, Rank to, Purpose purpose);

    BlockDirectory& directory_;
    BlockMover& mover_;
    Delivery& delivery_;
    TrafficCounter& traffic_;
    Staging staging_;
};

}  // namespace ein::scheduler
