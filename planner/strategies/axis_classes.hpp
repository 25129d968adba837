// Which axes of a graph's values run over the same thing: axes that share a label in some EinSum, that a Move or a
// Reshape hands on whole, and so on through the whole graph. A label belongs to the class of its axes. Example: Y =
// "nd,dh->nh" of X and W, Z = "nh,nh->nh" of Y and B: {X0, Y0, Z0, B0}, {X1, W0}, {W1, Y1, Z1, B1}. A Reshape that
// splits or merges axes keeps the first of them: blocks of (6, 64) line up with blocks of (6, 4, 16).
#pragma once

#include <vector>

#include "lib/graph/ein_graph.hpp"

namespace ein::planner {

class AxisClasses {
public:
    explicit AxisClasses(graph::EinGraph const& graph);

    int of(ValueId value, std::size_t axis) const { return classes_[index(value, axis)]; }
    /// The class of each label of an EinSum, of each axis of the output of another node: as parts are counted.
    std::vector<int> of(graph::Node const& node) const;
    /// Classes are numbered from 0 in order of their first axis.
    std::size_t count() const { return count_; }

private:
    std::size_t index(ValueId value, std::size_t axis) const {
        return first_[static_cast<std::size_t>(value.value())] + axis;
    }
    std::size_t root(std::size_t axis);
    void join(std::size_t a, std::size_t b);
    void join_axes(graph::EinGraph const& graph, graph::Node const& node);
    void number();

    std::vector<std::size_t> first_;   // of each value, its first axis among all axes
    std::vector<std::size_t> parent_;  // of each axis
    std::vector<int> classes_;         // of each axis
    std::size_t count_ = 0;
};

}  // namespace ein::planner
