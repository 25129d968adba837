// Which tensors are sparse: of each result it is decided here whether it is kept so, and where a node must look at what
// a tensor does not list, it reads a dense copy of it, "A:dense", an identity from a sparse tensor to a dense one.
// After this pass every node that reads a sparse tensor is computed over listed elements (idle_sets.hpp). Example: C =
// A * B of two sparse matrices is kept sparse if what it lists takes less room; exp(C) then reads "C:dense".
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/graph/sparse/idle_sets.hpp"

namespace ein::graph {

class GraphBuilder;

/// How a result is kept that can be sparse: its listing; nothing: dense. Operands of the node have their listings.
using ResultStorage = std::function<std::optional<Listing>(EinGraph const&, Node const&, IdleSets const&)>;

/// Decides of one node after the other, as they are added to a graph (lower_graph.hpp). A node whose result is sparse
/// aggregates whole: its aggregated labels are not cut. What a loop carries is sparse from what it begins with to what
/// an iteration ends with, or dense; the first is decided before the second is known.
class StorageChoice {
public:
    /// @param graph  whose leaves and loops are known already  @param keep  without it all results are dense
    /// @param dense  what iterations begin with, and is not to be sparse
    StorageChoice(EinGraph const& graph, ResultStorage keep, std::string file, std::set<ValueId> dense = {});

    /// Of a node that was added to the builder; those before it are decided.
    void decide(GraphBuilder& builder, Node const& node);
    /// What iterations begin with that was kept sparse, though what they end with cannot be: it has to be dense.
    std::set<ValueId> const& refused() const { return refused_; }
    /// The graph with dense copies where they are wanted.
    /// @throws InputError for nodes whose results are asked to be sparse (StorageWish) and cannot be
    EinGraph finish(EinGraph graph) &&;

private:
    bool reads_sparse(EinGraph const& graph, Node const& node, std::size_t operand, IdleSets const& idle) const;
    void choose(GraphBuilder& builder, Node const& node, IdleSets const& idle);
    bool begins_otherwise(EinGraph const& graph, Node const& node, IdleSets const& idle) const;
    std::string why_not_sparse(EinGraph const& graph, Node const& node, IdleSets const& idle) const;
    EinGraph with_dense_copies(EinGraph graph);
    void add_copy(GraphBuilder& builder, ValueId value, std::int32_t loop);
    void append(GraphBuilder& builder, Node node);

    ResultStorage keep_;
    std::string file_;
    std::set<ValueId> dense_;               // not to be sparse: conditions too
    std::set<ValueId> insides_;             // what iterations begin with
    std::map<ValueId, ValueId> by_result_;  // what they end with: what the next one begins with
    std::set<ValueId> refused_;
    std::set<ValueId> wanted_dense_;
    std::map<ValueId, ValueId> copies_;  // dense ones
    std::vector<Fault> faults_;
};

/// What loops hand from iteration to iteration, and their conditions.
std::set<ValueId> carried(EinGraph const& graph);

/// Whether anything of a graph can be sparse.
bool may_be_sparse(EinGraph const& graph);

}  // namespace ein::graph
