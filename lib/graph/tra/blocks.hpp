// A tensor relation of a tra node on its way to nodes of the graph: an EinSum that is not a node yet. Its key labels
// are the grid that its arrays lie in: a key part a label, or, for a relation with holes, one label that counts its
// keys in order. Operators change labels and the join; a value is stored only where the next operator cannot be merged
// into the EinSum. Example: the join of the matrix product has keys (k0, k1, k2) and arrays (i, l), j aggregated;
// aggregating k1 makes its keys (k0, k2).
#pragma once

#include <optional>
#include <vector>

#include "lib/graph/graph_builder.hpp"

namespace ein::graph {

struct Blocks {
    struct Operand {
        ValueId value;
        std::vector<int> labels;
    };
    Shape extents;  // of each label
    std::vector<Operand> operands;
    scalar::Expr join;
    std::optional<scalar::Agg> agg;  // over the labels that are neither of keys nor of arrays
    std::vector<int> keys, array;

    /// A value as it is. @param keys, array  the axes that are key parts, and those of its arrays
    static Blocks of(ValueId value, Shape const& shape, std::vector<int> keys, std::vector<int> array);

    int add_label(Extent extent);
    /// Label `from` becomes `to` everywhere.
    void identify(int from, int to);
    Extent extent(int label) const { return extents[static_cast<std::size_t>(label)]; }
    Shape grid() const;
    Shape bound() const;
    /// The value itself, its axes only named.
    bool plain() const;
};

/// Makes nodes of blocks. Every value has one dtype.
class BlockBuilder {
public:
    BlockBuilder(NodeBuilder& build, DType dtype) : build_(build), dtype_(dtype) {}

    DType dtype() const { return dtype_; }
    /// The same as a value of its own, or as it is if it is one. @param part  of the value's name
    Blocks stored(Blocks const& blocks, std::string const& part);
    /// The value whose axes are these labels, in this order. Part "" is the node's own value: always a new one.
    ValueId in_order(Blocks const& blocks, std::string const& part, std::vector<int> const& order);
    NodeBuilder& build() { return build_; }

private:
    ValueId emit(Blocks const& blocks, std::string const& part, std::vector<int> const& order);

    NodeBuilder& build_;
    DType dtype_;
};

}  // namespace ein::graph
