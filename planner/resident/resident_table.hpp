// The choices of decompose.hpp under a second cost: what a schedule would really send. Candidates are shardings, a set
// of mesh axes for each label; the output of a node lies where its calls made it (partial results scattered along one
// axis of the output), and a reader pays for what each of its ranks wants and does not hold. A leaf lies where its
// first reader wants it. Readers of one form share the cost of what they all read, for it is sent once. Bytes only;
// exact where extents divide and cuts are nested, an average over ranks where they cross. Example: x read by q, k and
// v, each cut over heads on all 8 ranks: one all-gather of x, not three. Source: collectives as in
// [S]. Considered: the published cost with operands in place left out (blind to where blocks lie, so that two cuts
// of the same fineness look alike), and counting boxes rank by rank (exact, but p times the work).
#pragma once

#include <map>

#include "planner/resident/mesh.hpp"
#include "planner/search/candidate_table.hpp"

namespace ein::planner {

class ResidentTable : public CandidateTable {
public:
    /// @param mesh  whose ranks compute each node, where its extents allow so many. Parts that the graph fixes are kept
    /// to, and its shardings, which name the axes of this mesh.
    ResidentTable(graph::EinGraph const& graph, Mesh mesh);

    /// Whether every node has candidates: fixed parts may be none that the mesh can make.
    bool serves_all() const;
    /// For each axis or label of a node (see call_labels) in this order the mesh axes that cut it.
    graph::Sharding sharding(NodeId node, int candidate, std::vector<int> const& labels) const;

    double edge(NodeId node, SourceNeeds const& source, std::size_t need, Parts const& output) const override;

private:
    using Sets = std::vector<std::vector<AxisSet>>;  // of each candidate: for each label
    NodeCandidates choices_of(graph::Node const& node, std::vector<double> const& shares, Sets& sets) const;
    std::vector<std::vector<AxisSet>> shardings_of(graph::Node const& node) const;
    double overlap(graph::Node const& node, std::size_t operand, Parts const& home, Parts const& need) const;

    Mesh mesh_;
    std::vector<std::shared_ptr<Sets const>> sets_;  // by NodeId
    std::vector<std::vector<double>> shares_;        // by node and operand: the part of an operand's cost that it pays
};

}  // namespace ein::planner
