#include "planner/exact/tree_elimination.hpp"

#include <algorithm>

namespace ein::planner {
namespace {

/// For each class of the far end the least cost of a variable together with its link.
std::vector<double> least_beside(Variable const& variable, Link const& link, int near) {
    std::vector<double> mine(link.classes_at(near), infinite);
    for (std::size_t value = 0; value < variable.cost.size(); ++value) {
        double& least = mine[at((*link.classes[at(near)])[value])];
        least = std::min(least, variable.cost[value]);
    }
    std::vector<double> far(link.classes_at(1 - near), infinite);
    LinkTable const& table = *link.table;
    for (std::size_t row = 0; row < table.rows; ++row)
        for (std::size_t column = 0; column < table.columns; ++column) {
            double& least = far[near == 0 ? column : row];
            least = std::min(least, table.row(row)[column] + mine[near == 0 ? row : column]);
        }
    return far;
}

}  // namespace

TreeElimination::TreeElimination(Model& model) : model_(model), eliminated_(model.variables.size(), false) {
    for (Variable const& variable : model.variables) open_links_.push_back(static_cast<int>(variable.links.size()));
    std::vector<int> ready;
    for (std::size_t v = model.variables.size(); v-- > 0;)
        if (open_links_[v] <= 1) ready.push_back(static_cast<int>(v));
    while (!ready.empty()) {
        int const variable = ready.back();
        ready.pop_back();
        int const link = only_link(variable);
        eliminate(variable);
        if (link < 0) continue;
        int const neighbour = model.links[at(link)].other(variable);
        if (--open_links_[at(neighbour)] == 1) ready.push_back(neighbour);
    }
}

std::vector<int> TreeElimination::rest() const {
    std::vector<int> out;
    for (std::size_t v = 0; v < eliminated_.size(); ++v)
        if (!eliminated_[v]) out.push_back(static_cast<int>(v));
    return out;
}

int TreeElimination::only_link(int variable) const {
    for (int link : model_.variables[at(variable)].links)
        if (!eliminated(model_.links[at(link)].other(variable))) return link;
    return -1;
}

void TreeElimination::eliminate(int variable) {
    int const number = only_link(variable);
    order_.push_back({variable, number});
    eliminated_[at(variable)] = true;
    Variable const& from = model_.variables[at(variable)];
    if (number < 0) {
        closed_cost_ += *std::min_element(from.cost.begin(), from.cost.end());
        return;
    }
    Link const& link = model_.links[at(number)];
    int const near = link.side_of(variable);
    std::vector<double> const added = least_beside(from, link, near);
    Variable& into = model_.variables[at(link.other(variable))];
    for (std::size_t value = 0; value < into.cost.size(); ++value)
        into.cost[value] += added[at((*link.classes[at(1 - near)])[value])];
}

void TreeElimination::restore(std::vector<int>& values) const {
    for (auto eliminated = order_.rbegin(); eliminated != order_.rend(); ++eliminated) {
        auto const [variable, number] = *eliminated;
        std::vector<double> cost = model_.variables[at(variable)].cost;
        if (number >= 0) {
            Link const& link = model_.links[at(number)];
            for (std::size_t value = 0; value < cost.size(); ++value)
                cost[value] += link.cost(variable, static_cast<int>(value), values[at(link.other(variable))]);
        }
        values[at(variable)] = static_cast<int>(std::min_element(cost.begin(), cost.end()) - cost.begin());
    }
}

}  // namespace ein::planner
