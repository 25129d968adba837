// Regions that go from rank to rank at the same time. What lies in one run of memory is sent from where it is, and
// received where it will be. What does not is cut into messages (messages.hpp), each of which is cut out, sent and put
// in its place while it is in the cache; a few are on their way at a time, so that this needs little memory.
// Example: rows to columns on two ranks: a rank cuts 2 MiB of columns out of its rows, sends it, and cuts the next; the
// other receives each in place, as rows of its columns. Columns to rows: the same backwards.
#pragma once

#include <vector>

#include "scheduler/move/block_mover.hpp"
#include "scheduler/move/messages.hpp"

namespace ein::scheduler {

/// A region that goes from a block on one rank into a block, or a part of one, on another.
struct RegionTransfer {
    ValueId value;
    Holding from, to;
    Box region;
};

/// A region of a block that is copied into another block of the same rank.
struct LocalCopy {
    ValueId value;
    Holding from;
    BlockId to;
    Box region;
};

class Exchange {
public:
    Exchange(BlockMover& mover, Messages const& rule) : mover_(mover), rule_(rule) {}

    /// Asks for a region, or for a copy; a copy may read what comes. Makes no task yet.
    void add(RegionTransfer transfer);
    void add(LocalCopy copy) { copies_.push_back(std::move(copy)); }
    /// Makes the tasks of all that was asked for since the last time.
    void emit();

private:
    /// A region with the messages that bring it.
    struct Transfer {
        ValueId value;
        Holding from, to;
        std::vector<Box> messages;
    };
    class Arrivals;
    class OwnPieces;
    void send(Transfer const& transfer, Box const& message, Arrivals& arrivals);

    BlockMover& mover_;
    Messages rule_;
    std::vector<Transfer> transfers_;  // asked for; those to one block follow one another
    std::vector<LocalCopy> copies_;
};

}  // namespace ein::scheduler
