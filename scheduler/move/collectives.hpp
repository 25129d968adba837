// Collectives of a group as pure functions: from how a region is cut and who holds what to who gets what from whom, in
// which order. No tasks, no messages: all_gather.hpp and reduce_scatter.hpp (scheduler/lower) make those.
// Staged: members hold one cell each of a grid and all want all of it (an all-gather), or hold all and want one cell
// each of the sum (a reduce-scatter, the same steps backwards). In a step a few members that differ in one digit of
// their cell's index exchange what they have, so that a group of g sends about 3 log4(g) messages a member instead of g
// - 1; the bytes are the same.
// Example: 16 cells in a row: members 4k .. 4k+3 exchange cells; then k, k+4, k+8, k+12 exchange runs of 4.
// Source: recursive doubling and halving; Thakur, Rabenseifner, Gropp: Optimization of Collective Communication
// Operations in MPICH, 2005.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "scheduler/move/cell_grid.hpp"
#include "scheduler/place/placement.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

/// When many ranks that exchange regions do so in steps: for large ones the copies in between would cost more than
/// messages.
struct Staging {
    std::size_t ranks = tuning::least_staged_ranks;  // of the group, at least
    std::int64_t bytes = tuning::most_staged_bytes;  // of what each sends to each, at most
    bool suits(std::size_t group, std::int64_t each) const { return group >= ranks && each <= bytes; }
};

/// What happens to every member of a group at the same time.
struct CollectiveStep {
    std::vector<std::vector<std::size_t>> peers;  // by member: from whom it gets something, itself among them, in order
    std::vector<Box> boxes;                       // by member: what it has afterwards
};

/// Member k has cell k (C order) and at last all. In each step a member gets all that its peers have, and puts it
/// together.
std::vector<CollectiveStep> staged_all_gather(CellGrid const& grid);

/// Every member has a summand of the whole region, and at last member k has the sum of cell k. In each step a member
/// gets its next box of what its peers have, and adds it up.
std::vector<CollectiveStep> staged_reduce_scatter(CellGrid const& grid);

/// In how many cells along each axis ranks best gather a region that lies in `pieces` at as many other ranks: each
/// rank gets the pieces of its cell, the cells go round, and ranks that are left over get the whole. No more cells than
/// ranks; of those that take as long the most. Costs are counted in messages: those of the busiest rank, and what steps
/// and bytes take (tuning.hpp).
/// @param bytes  of the region
Parts cells_to_gather(Parts const& pieces, std::size_t ranks, double bytes);

/// Who begins an all-gather with which cell.
struct CellOwners {
    std::vector<std::vector<Rank>> rows;  // of one rank a cell, in C order; each row is a group of its own
    std::vector<Rank> left_over;          // have no cell, and get the whole from one that has it
};

/// Which rank has how much of a region, in bytes.
using HeldOf = std::function<std::vector<Held>(Box const&)>;

/// Deals cells out to ranks, those that hold something of a cell first. Nothing where ranks would get more than
/// `most_again` bytes again that they have.
std::optional<CellOwners> owners_of_cells(CellGrid const& grid, Box const& region, std::vector<Rank> const& ranks,
                                          HeldOf const& held, double most_again = 0);

/// One member adds up what it has and what some others have.
struct Addition {
    std::size_t into = 0;
    std::vector<std::size_t> from;
};

/// Sums on several members, added up on member 0 through a tree: a few at a time.
std::vector<Addition> sum_tree(std::size_t members);

/// Which member of a group keeps subblock `subblock` of output block number `block`: as many subblocks each, and single
/// subblocks in turn.
std::size_t keeper_of(std::size_t subblock, std::size_t subblocks, std::size_t members, std::size_t block);

}  // namespace ein::scheduler
