// What the axes of a graph are for, found without names.
//
// sequence  positions that look at each other: a product of two operands has the same class of axes as two labels, one
// from
//           each operand, both in its output ("hsd,htd->hst" where s and t are positions of the same text)
// heads     labels that both operands of such a product and its output have, and that are not the batch; group: those
// that
//           one operand alone has (queries that share a head of keys)
// batch     with attention: of the labels that both operands share, the one that is the first axis of a leaf with
// positions.
//           Without: the class that is the first axis of a leaf and, less the products that contract it, the first axis
//           of the most node outputs; the earlier leaf's among equals. A class that is contracted as often as that is
//           none.
// feature   everything else
//
// Example: Y = "nd,dh->nh": n is the batch, d and h are features.
#pragma once

#include <optional>
#include <vector>

#include "planner/strategies/axis_classes.hpp"

namespace ein::planner {

enum class Role { feature, batch, sequence, heads, group };

class Roles {
public:
    explicit Roles(graph::EinGraph const& graph);

    AxisClasses const& classes() const { return classes_; }
    Role of_class(int axis_class) const { return roles_[static_cast<std::size_t>(axis_class)]; }

    /// The first label of a node with this role (axis, of a Move or Reshape): of the output's, then of the aggregated
    /// ones. Where positions look at each other it is the output's first of the two that is cut.
    std::optional<std::size_t> label(graph::Node const& node, Role role) const;

    /// Whether a value is data: it has a batch or positions, or it is computed from such a value. All else is weights.
    bool is_data(ValueId value) const { return data_[static_cast<std::size_t>(value.value())]; }

private:
    void find_attention(graph::EinGraph const& graph);
    void find_batch(graph::EinGraph const& graph);
    void find_data(graph::EinGraph const& graph);
    bool has(graph::EinGraph const& graph, ValueId value, Role role) const;
    Role& role(int axis_class) { return roles_[static_cast<std::size_t>(axis_class)]; }

    AxisClasses classes_;
    std::vector<Role> roles_;  // of each class
    std::vector<bool> data_;   // of each value
};

}  // namespace ein::planner
