// How a region that goes from one rank's block into another's is cut into messages, and in which order the messages of
// many regions are sent. Geometry and arithmetic only; tasks are made in exchange.cpp.
// Example: rows to columns, 8 MiB: what a rank gets lies apart at both ends, so it comes in four messages of 2 MiB; had
// it been rows at both ends, it would be one message.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/ids.hpp"
#include "scheduler/order/sends_first.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

/// How a region travels whose elements lie apart in the block that it comes from, or in the one that it becomes a part
/// of: cut into messages that stay in a core's cache from one end to the other. What lies together at both ends is one
/// message.
struct Messages {
    std::int64_t bytes = tuning::message_bytes;  // of one; regions of less than two are not cut
    std::int64_t most = tuning::most_messages;   // for one block, about: those of very large ones are larger
    /// On one rank, cut before they are sent, or received before they are put away.
    std::int64_t window = tuning::cut_window;
};

/// The messages in which `region` goes from a block with box `from` into one with box `to`, in C order.
/// @param element_size  bytes
std::vector<Box> messages_of(Box const& region, Box const& from, Box const& to, std::size_t element_size,
                             Messages const& rule);

/// A region that a rank waits for: in which block, and how many messages bring it.
struct ExpectedRegion {
    Rank to;
    BlockId block;  // on that rank
    std::size_t messages = 1;
    Rank from = Rank{0};
};
struct MessageNumber {
    std::uint32_t region = 0, message = 0;
};

/// Messages that are sent at the same time: one of each region of the block that each rank waits for.
using Round = std::vector<MessageNumber>;

/// All messages, in rounds, so that all ranks send and receive at once, and each rank's blocks are complete in the
/// order in which it asked for them. Regions of one block follow one another. Within a round ranks take turns: rank r
/// gets from rank r first, then r + 1, and so on, so that no two ranks that have something for everybody send to one
/// rank while others wait.
std::vector<Round> message_rounds(std::span<ExpectedRegion const> regions);

}  // namespace ein::scheduler
