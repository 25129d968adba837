// Which rank has what of a tensor, or of a join's index space, counted in cells of the grid that it is cut into.
// Example: C[i, k] cut 2 x 1, each half again in two columns for two ranks: a grid of 2 x 2 cells, a cell a rank.
#pragma once

#include <optional>
#include <vector>

#include "lib/base/partition.hpp"
#include "lib/graph/einsum.hpp"
#include "scheduler/move/block_directory.hpp"

namespace ein::apps::explain {

struct Spread {
    Parts grid;
    std::vector<std::optional<Box>> of_rank;  // the cells of each rank; nothing for one that has none
    friend bool operator==(Spread const&, Spread const&) = default;
};

/// Where a node's kernel calls run, over the labels of an EinSum or the output's axes.
/// @param order  the labels in the order in which calls are counted (see relation::call_labels)
/// @return nothing when the calls of some rank are no box
std::optional<Spread> spread_of_calls(Parts const& parts, std::vector<int> const& order, std::vector<Rank> const& calls,
                                      int ranks);

/// Where a value lies when it is made or loaded, blocks that nobody reads left out; nothing when every rank reads it
/// for itself, or what a rank has is no box.
std::optional<Spread> spread_of_layout(scheduler::Layout const& layout, int ranks);

/// The part of an index space that these of its labels see.
Spread projected(Spread const& spread, std::vector<int> const& labels);

}  // namespace ein::apps::explain
