#include "planner/strategies/by_role.hpp"

#include "planner/strategies/cut_in_order.hpp"

namespace ein::planner {
namespace {

using Row = std::vector<Role>;

std::vector<relation::NodePlan> cut_by_rows(graph::EinGraph const& graph, std::int64_t calls,
                                            std::vector<Row> const& rows) {
    Roles const roles(graph);
    std::vector<relation::NodePlan> plans;
    for (graph::Node const& node : graph.nodes) {
        std::vector<std::size_t> labels;
        for (Row const& row : rows) {
            for (Role const role : row)
                if (auto const label = roles.label(node, role)) labels.push_back(*label);
            if (!labels.empty()) break;
        }
        plans.push_back({.parts = cut_in_order(graph, node, labels, calls), .candidates = 1});
    }
    cut_weights_as_read(graph, roles, plans);
    return plans;
}

}  // namespace

std::vector<relation::NodePlan> cut_data_parallel(graph::EinGraph const& graph, std::int64_t calls) {
    return cut_by_rows(graph, calls, {{Role::batch}});
}

std::vector<relation::NodePlan> cut_sequence(graph::EinGraph const& graph, std::int64_t calls) {
    return cut_by_rows(graph, calls, {{Role::sequence}, {Role::batch}});
}

std::vector<relation::NodePlan> cut_attention(graph::EinGraph const& graph, std::int64_t calls) {
    return cut_by_rows(graph, calls, {{Role::heads, Role::group}, {Role::sequence}, {Role::batch}});
}

}  // namespace ein::planner
