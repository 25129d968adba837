// Cutting a graph as a problem of variables and links: a variable is a node, its values are the node's candidates; a
// link is an edge between two nodes, whose cost depends on the cut of the producer's output and on the cut that the
// consumer needs. To be minimised: the sum of the costs of all variables and links.
// Edges of one form share one table.
// Example: matmul -> relu on 8 calls: variables of 10 and 4 values, one link with a table of 10 x 4 entries.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "planner/search/candidate_table.hpp"

namespace ein::planner {

inline constexpr double infinite = std::numeric_limits<double>::infinity();  // the cost of what cannot be

/// The cost of a link for each pair of classes of its two ends.
struct LinkTable {
    std::size_t rows = 0, columns = 0;
    std::vector<double> costs;  // row by row

    double operator()(int row, int column) const {
        return costs[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
    }
    double const* row(std::size_t at) const { return costs.data() + at * columns; }
};

struct Link {
    std::array<int, 2> ends;  // variables
    std::array<std::vector<int> const*, 2>
        classes;  // for each value of an end its class: row, and column, of the table
    std::shared_ptr<LinkTable const> table;

    int side_of(int variable) const { return ends[0] == variable ? 0 : 1; }
    int other(int variable) const { return ends[0] == variable ? ends[1] : ends[0]; }
    int class_of(int variable, int value) const {
        return (*classes[static_cast<std::size_t>(side_of(variable))])[static_cast<std::size_t>(value)];
    }
    std::size_t classes_at(int side) const { return side == 0 ? table->rows : table->columns; }
    /// The cost when `variable` has `value` and the other end `other_value`.
    double cost(int variable, int value, int other_value) const {
        int const mine = class_of(variable, value), others = class_of(other(variable), other_value);
        return side_of(variable) == 0 ? (*table)(mine, others) : (*table)(others, mine);
    }
};

struct Variable {
    std::vector<double> cost;  // of each value
    std::vector<int> links;
};

struct Model {
    std::vector<Variable> variables;
    std::vector<Link> links;

    /// The cost of an assignment of values.
    double cost(std::vector<int> const& values) const;
};

/// Variables by NodeId, values by the table's candidates.
/// @param most_entries  of all tables together  @return nothing when there would be more
std::optional<Model> make_model(graph::EinGraph const& graph, CandidateTable const& table, double most_entries);

/// The same costs with the ends exchanged.
LinkTable transposed(LinkTable const& table);

}  // namespace ein::planner
