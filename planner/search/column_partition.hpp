// Uneven columns: how a prime number of ranks, which no grid fits, shares a matrix. The ranks stand in groups; each
// group gets a column as wide as it is strong, cut into as many pieces of rows as it has ranks. Every rank
// has the same area, and its half perimeter - what it must see of both operands - is close to a square's. Example: 7
// ranks in groups of 3, 2 and 2: rows cut in 6, columns in 7: 42 cells, 6 for each rank; each sees 0.76 or 0.79 of a
// side instead of the 1.14 that seven plain rows cost. Source: Beaumont, Boudet, Rastello, Robert, 2001 (column-based
// partitioning of a square).
#pragma once

#include "planner/search/candidate_table.hpp"

namespace ein::planner {

/// A cut of `ranks` = the sum of groups: rows into `rows` parts, columns into `ranks` parts.
struct ColumnPartition {
    std::int64_t ranks = 1;
    std::vector<std::int64_t> groups;  // ranks of each group, the larger first
    std::int64_t rows = 1;             // a multiple of every group

    /// The rank (0 to ranks - 1) that has row part `row` of column part `column`.
    std::int64_t rank_of(std::int64_t row, std::int64_t column) const;
};

/// The groups for which the busiest rank sees least.
ColumnPartition column_partition_for(std::int64_t ranks);

/// The largest prime factor of a number of ranks, when it is 5 or more: then uneven columns are worth trying. Else 1.
std::int64_t awkward_factor(std::int64_t ranks);

/// Candidates that cut two labels of the output in uneven columns of the awkward factor, the rest as a grid. Kernel
/// calls of one rank lie beside each other, are made as one (scheduler/lower/einsum/einsum_calls.cpp) and count as one
/// in the cost of the join and the aggregation; repartitions cost as published. A node whose extents allow no such
/// columns has the usual candidates.
class ColumnPartitionTable : public CandidateTable {
public:
    ColumnPartitionTable(graph::EinGraph const& graph, std::int64_t ranks, Unit unit, std::size_t limit);

    /// The rank of each kernel call of a node's candidate (see relation::NodePlan); empty for the usual candidates.
    std::vector<Rank> ranks_of(NodeId node, int candidate) const;

private:
    struct Layout {
        Parts grid;  // of the other factors
        std::size_t row = 0, column = 0;
        bool uneven = false;
    };
    NodeCandidates choices_of(graph::Node const& node, std::size_t limit, std::vector<Layout>& layouts) const;
    double seen(std::vector<int> const& labels, Layout const& layout) const;

    std::int64_t all_ranks_;
    ColumnPartition partition_;
    std::vector<std::shared_ptr<std::vector<Layout> const>> layouts_;  // by node and candidate
};

}  // namespace ein::planner
