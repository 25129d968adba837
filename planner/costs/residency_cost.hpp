// What a plan moves between ranks, by our own model: unlike the published cost (cost.hpp), which bounds it from above,
// what a rank holds already is free. Assumed is what the scheduler does: a leaf's blocks are loaded where their first
// reader runs; partial results are reduced in as many subblocks as there are of them, cut towards what the first reader
// wants; calls run where most of their operands lie; and what several readers need alike is brought once. Ranks are as
// many as calls. A block of a sparse leaf is loaded by each rank that wants it: a second load counts as if it were
// sent, for it takes as much memory and more time. A value with more than 64 readers is costed by the first of them,
// and by one that is being cut. Example: ij,jk->ik of 8 x 8 matrices of f64 on 4 calls (4, 1, 1): the right matrix is
// brought to 3 more ranks: 1536 bytes.
#pragma once

#include <optional>
#include <vector>

#include "lib/relation/plan.hpp"

namespace ein::planner {

class ResidencyCost {
public:
    explicit ResidencyCost(graph::EinGraph const& graph);

    /// Bytes that bringing a value to all its readers moves. @param parts  of every node, by NodeId
    /// @param reader  a node that is looked at even if it comes behind many other readers: all that are alike shall
    /// have the same to choose from
    double of_value(ValueId value, std::vector<Parts> const& parts, OptionalId<NodeId> reader = {}) const;
    /// Bytes that combining a node's partial results moves.
    double of_partials(NodeId node, Parts const& parts) const;
    /// Of the whole graph.
    double total(std::vector<Parts> const& parts) const;

private:
    struct Need {
        Parts parts;             // of the value's axes
        std::int64_t calls = 1;  // that want one block each
        friend bool operator==(Need const&, Need const&) = default;
    };
    std::vector<Need> needs_of(ValueId value, std::vector<Parts> const& parts, OptionalId<NodeId> reader) const;
    void add_needs(NodeId reader, ValueId value, std::vector<Parts> const& parts, std::vector<Need>& needs) const;
    Parts home_of(ValueId value, std::vector<Parts> const& parts, std::vector<Need> const& needs) const;
    double of_movements(ValueId value, std::vector<Parts> const& parts) const;

    graph::EinGraph const& graph_;
    std::vector<std::optional<NodeId>> producers_;
    std::vector<std::vector<NodeId>> consumers_;
    std::vector<std::int64_t> iterations_;  // by value: how often it changes
    std::vector<double> partial_bytes_;     // of one element in all iterations, for each node
};

}  // namespace ein::planner
