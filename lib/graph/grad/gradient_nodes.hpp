// The nodes of one gradient while they are made: adds them to the graph under the gradient's name.
// Example: GradientNodes(graph, "g").part("h") is "g:h", the cotangent of h in the gradient g.
#pragma once

#include <string>

#include "lib/graph/grad/term.hpp"
#include "lib/graph/graph_builder.hpp"

namespace ein::graph::grad {

class GradientNodes {
public:
    GradientNodes(GraphBuilder& graph, std::string name) : graph_(graph), name_(std::move(name)) {}

    Value const& value(ValueId id) const { return graph_.value(id); }
    DType dtype(ValueId id) const { return value(id).dtype; }
    std::vector<DType> dtypes(std::vector<ValueId> const& ids) const;

    /// A name for what belongs to `of`: "g:of", or with a number when that is taken.
    std::string part(std::string const& of) const { return graph_.fresh_name(name_ + ":" + of); }

    ValueId add(NodeTerm term, std::string value_name, Shape shape, DType dtype);
    /// A leaf that holds `number` everywhere.
    ValueId add_filled(double number, std::string value_name, Shape shape, DType dtype);
    /// The cotangent of `of` as a value.
    ValueId stored(Cotangent const& cotangent, ValueId of);

private:
    GraphBuilder& graph_;
    std::string name_;
};

}  // namespace ein::graph::grad
