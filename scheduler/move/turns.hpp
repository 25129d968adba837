// In which order many messages go that are sent at the same time. In turns: in a turn no rank sends two or receives
// two, so that every link carries one message whole instead of many that arrive together, and late. This is an edge
// colouring of the bipartite graph of senders and receivers, which takes as many turns as the busiest rank has messages
// (Koenig, 1916). Within a turn a rank receives before it sends, but for one rank of each cycle: where it has memory
// for what comes only once what it sends has gone, all would wait for one another, rank after rank. Example: 1 -> 0, 2
// -> 1, 3 -> 1, 3 -> 0 take two turns: 2 -> 1 and 3 -> 0, then 3 -> 1 and 1 -> 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/ids.hpp"

namespace ein::scheduler {

struct Route {
    Rank from, to;
    bool operator==(Route const&) const = default;
};

/// Of each message its turn, from 0. Where ranks that have something for everybody would do as well with rank r getting
/// from rank r + 1 first, then r + 2, and so on, they do. @param ranks  more than any rank's number
std::vector<std::int32_t> turns_of(std::span<Route const> messages, int ranks);

/// The numbers of all messages, turn by turn, in the order in which they go.
std::vector<std::uint32_t> in_turns(std::span<Route const> messages, int ranks);

}  // namespace ein::scheduler
