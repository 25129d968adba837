// Unequal boxes of an output, each shared by a few ranks: how any number of ranks contracts. The output is cut in
// columns, each column in boxes; a box has as many ranks as its area is large, and those cut the summed label evenly.
// So every rank has the same work, its share is close to a cube, and no grid has to fit. Example: 13 ranks, a cube:
// columns of boxes for 3 and 3 and for 3, 2 and 2 ranks; the busiest rank receives 1.07 times the lower bound (uneven
// columns of single ranks 1.35, 13 plain rows 2.96).
// Sources: Beaumont, Boudet, Rastello, Robert, 2001 (columns of unequal areas); Kwasniewski et al., 2019 (COSMA: shares
// close to cubes).
#pragma once

#include <limits>
#include <optional>

#include "planner/search/candidate_table.hpp"

namespace ein::planner {

/// Ranks of the boxes of each column, in order: areas are as large as these numbers.
using BoxRanks = std::vector<std::vector<std::int64_t>>;

/// The grid of cells that the shares of all ranks are made of: parts of three labels.
struct BoxGrid {
    std::int64_t ranks = 0, row_parts = 1, column_parts = 1, sum_parts = 1;
    std::int64_t unit = 1;  // ranks that a part of the columns is for

    double cells() const;
};
BoxGrid grid_of(BoxRanks const& columns);

/// The share of each rank.
class SharedBoxes {
public:
    explicit SharedBoxes(BoxRanks columns);

    BoxRanks const& columns() const { return columns_; }
    std::int64_t ranks() const { return grid_.ranks; }
    std::int64_t row_parts() const { return grid_.row_parts; }
    std::int64_t column_parts() const { return grid_.column_parts; }
    std::int64_t sum_parts() const { return grid_.sum_parts; }
    double cells() const { return grid_.cells(); }

    /// Cells [begin, end) of a rank's share along each label.
    struct Run {
        std::int64_t begin, end;
    };
    struct Share {
        Run row, column, sum;
        std::int64_t sharers;  // of its box
    };
    std::vector<Share> const& shares() const { return shares_; }  // by rank
    /// The rank of each cell, in C order over row, column and sum.
    std::vector<std::int64_t> ranks_of_cells() const;

private:
    BoxRanks columns_;
    BoxGrid grid_;
    std::vector<Share> shares_;
};

/// Where a contraction is cut: two labels of the output and one that is summed.
struct CutLabels {
    std::size_t row, column, sum;
};

/// What the rank that receives most receives, in elements, each rank having a share of each operand at first and of
/// the output at last; nothing where a rank has more than a little more work than the mean, or a label is too short, or
/// where it is `limit` or more.
std::optional<double> received_at_most(graph::EinSum const& einsum, CutLabels const& labels, SharedBoxes const& boxes,
                                       double limit = std::numeric_limits<double>::infinity());

/// Which boxes are looked at.
struct BoxKind {
    std::int64_t sharers = 1;  // ranks of a box, or one more
    bool alike = false;        // within a column: then there are fewer pieces, and little more is moved
};
/// All boxes of a kind, of few enough cells. They do not depend on what is cut.
std::vector<SharedBoxes> boxes_of(std::int64_t ranks, BoxKind kind);
/// Those of which the busiest rank receives least, the first of them where several do; nothing where none can be made.
SharedBoxes const* least_receiving(std::vector<SharedBoxes> const& boxes, graph::EinSum const& einsum,
                                   CutLabels const& labels);

/// Candidates of a graph's contractions in shared boxes: for each way to choose the labels those that move least. Other
/// nodes, and those whose extents allow no such boxes, have the usual candidates. Repartitions cost as published.
class SharedBoxesTable : public CandidateTable {
public:
    SharedBoxesTable(graph::EinGraph const& graph, std::int64_t ranks, BoxKind kind, Unit unit, std::size_t limit);
    SharedBoxesTable(SharedBoxesTable const&) = delete;  // layouts refer to its boxes
    SharedBoxesTable& operator=(SharedBoxesTable const&) = delete;

    /// Whether some node can be cut so.
    bool serves() const;
    /// The rank of each kernel call of a node's candidate (see relation::NodePlan); empty for the usual candidates.
    std::vector<Rank> ranks_of(NodeId node, int candidate) const;

private:
    struct Layout {
        CutLabels labels;
        SharedBoxes const* boxes;
    };
    NodeCandidates choices_of(graph::Node const& node, std::size_t limit, std::vector<Layout>& layouts) const;

    std::int64_t ranks_;
    std::vector<SharedBoxes> boxes_;
    std::vector<std::shared_ptr<std::vector<Layout> const>> layouts_;  // by node and candidate; none: the usual ones
};

}  // namespace ein::planner
