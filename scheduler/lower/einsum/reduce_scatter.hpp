// Partial results of several ranks, combined subblock by subblock. Every rank sends each subblock to the one that keeps
// it, which adds them to its own beginning with its next neighbour's: so at a time ranks send to different ones. Many
// ranks with small subblocks do so in steps (staged_reduce_scatter, collectives.hpp). Example: Z's block in two
// subblocks, partial results on ranks 0 and 1: rank 0 gets rank 1's share of subblock 0 and adds it to its own; rank 1
// likewise with subblock 1.
#pragma once

#include <vector>

#include "scheduler/lower/einsum/call_groups.hpp"

namespace ein::scheduler {

/// How a node's results become its blocks.
struct Combining {
    bool partial = false;  // kernel calls leave partial results, in the accumulate type
    DType accumulated = DType::f32;
    schedule::KernelId kernel;  // that adds partial results up, where there are any
};

class ReduceScatter {
public:
    ReduceScatter(LoweringContext& context, graph::Node const& node, Combining const& how)
        : context_(context), node_(node), how_(how) {}

    /// Makes the node's blocks inside `box` out of what the ranks of the group have of it. @param number  of the output
    /// block
    void combine(Box const& box, CallGroup const& group, std::size_t number);
    /// Enters a block of the node's value, rounded from the accumulate type to the value's dtype.
    void put(Cut::Block const& subblock, Partial const& result);

private:
    class Sum;

    struct Summands;
    std::vector<Partial> summed_in_turns(std::vector<Summands> const& all);
    BlockId sent(Partial const& from, Box const& box, Rank to);
    bool combine_in_steps(std::vector<Cut::Block> const& subblocks, std::vector<Partial> const& partials,
                          std::size_t number);
    std::vector<Partial> scattered(CellGrid const& grid, std::vector<Partial> members);
    Partial summed_in_tree(std::vector<Partial> sums);
    LoweringContext& context_;
    graph::Node const& node_;
    Combining how_;
};

}  // namespace ein::scheduler
