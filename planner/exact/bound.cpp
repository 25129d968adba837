#include "planner/exact/bound.hpp"

#include <algorithm>

namespace ein::planner {
namespace {

/// The least of a[k] - b[k]; four at a time, for a minimum waits for the one before.
double least_difference(double const* a, double const* b, std::size_t count) {
    std::array<double, 4> least{infinite, infinite, infinite, infinite};
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (std::size_t lane = 0; lane < 4; ++lane) least[lane] = std::min(least[lane], a[k + lane] - b[k + lane]);
    for (; k < count; ++k) least[0] = std::min(least[0], a[k] - b[k]);
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

}  // namespace

Bound::Bound(Model const& model)
    : model_(model), taken_(model.links.size()), links_(model.variables.size()), guess_(model.variables.size(), 0) {
    for (Variable const& variable : model.variables) {
        left_.push_back(variable.cost);
        excluded_.emplace_back(variable.cost.size(), false);
    }
    shift_.assign(model.variables.size(), 0);
    for (std::size_t k = 0; k < model.links.size(); ++k) {
        Link const& link = model.links[k];
        for (int side : {0, 1}) {
            taken_[k][at(side)].assign(link.classes_at(side), 0);
            links_[at(link.ends[at(side)])][at(1 - side)].push_back(static_cast<int>(k));
        }
    }
}

double Bound::of_link(int link, int row, int column) const {
    auto const& taken = taken_[at(link)];
    double const left = (*model_.links[at(link)].table)(row, column) - taken[0][at(row)] - taken[1][at(column)];
    return std::max(0.0, left);  // rounding may leave a little less than nothing
}

void Bound::exclude(int variable, int value) {
    excluded_[at(variable)][at(value)] = true;
    left_[at(variable)][at(value)] = infinite;
}

void Bound::sweep(Budget& budget) {
    int const count = static_cast<int>(model_.variables.size());
    auto const go_on = [&] { return !swept_ || !budget.exhausted(); };  // costs add up after every visit
    for (int v = 0; v < count && go_on(); ++v) visit(v, true, budget);
    for (int v = count; v-- > 0 && go_on();) visit(v, false, budget);
    swept_ = true;
}

void Bound::visit(int variable, bool forward, Budget& budget) {
    auto const& [earlier, later] = links_[at(variable)];
    std::vector<int> const& from = forward ? earlier : later;
    std::vector<int> const& to = forward ? later : earlier;
    for (int link : from) collect(link, forward ? 1 : 0, budget);
    if (forward) guess_[at(variable)] = guess_of(variable);

    std::vector<double>& left = left_[at(variable)];
    std::vector<double> const& cost = model_.variables[at(variable)].cost;
    for (std::size_t value = 0; value < left.size(); ++value) {
        left[value] = excluded_[at(variable)][value] ? infinite : cost[value] - shift_[at(variable)];
        for (int side : {0, 1})
            for (int link : links_[at(variable)][at(side)]) {
                Link const& of = model_.links[at(link)];
                auto const& taken = taken_[at(link)][at(1 - side)];
                left[value] += taken[at((*of.classes[at(1 - side)])[value])];
            }
    }
    double const least = *std::min_element(left.begin(), left.end());
    for (double& cost_left : left) cost_left = std::max(0.0, cost_left - least);
    shift_[at(variable)] += least;
    value_ += least;
    if (!to.empty()) give(variable, to, 1.0 / static_cast<double>(std::max(from.size(), to.size())));
}

/// Moves all that a link costs in any case, for each class of one end, to that end.
void Bound::collect(int number, int side, Budget& budget) {
    Link const& link = model_.links[at(number)];
    LinkTable const& table = *link.table;
    std::vector<double>& mine = taken_[at(number)][at(side)];
    std::vector<double> const& others = taken_[at(number)][at(1 - side)];
    mine.assign(mine.size(), infinite);
    for (std::size_t row = 0; row < table.rows; ++row) {
        double const* costs = table.row(row);
        if (side == 0) {
            mine[row] = least_difference(costs, others.data(), table.columns);
        } else {
            double const taken = others[row];
            for (std::size_t column = 0; column < table.columns; ++column)
                mine[column] = std::min(mine[column], costs[column] - taken);
        }
    }
    budget.spend(static_cast<double>(table.costs.size()));
}

/// Moves a share of what each class costs in any case from a variable to each of the links.
void Bound::give(int variable, std::vector<int> const& links, double share) {
    std::vector<double>& left = left_[at(variable)];
    std::vector<double> const before = left;
    for (int number : links) {
        Link const& link = model_.links[at(number)];
        std::size_t const side = at(link.side_of(variable));
        std::vector<int> const& class_of = *link.classes[side];
        std::vector<double> least(link.classes_at(static_cast<int>(side)), infinite);
        for (std::size_t value = 0; value < before.size(); ++value)
            least[at(class_of[value])] = std::min(least[at(class_of[value])], before[value]);
        for (std::size_t k = 0; k < least.size(); ++k) taken_[at(number)][side][k] -= share * least[k];
        for (std::size_t value = 0; value < before.size(); ++value)
            if (left[value] != infinite) left[value] = std::max(0.0, left[value] - share * least[at(class_of[value])]);
    }
}

/// The cheapest value beside the guesses of earlier variables and the bounds of later ones.
int Bound::guess_of(int variable) const {
    std::vector<double> cost = model_.variables[at(variable)].cost;
    for (std::size_t value = 0; value < cost.size(); ++value) {
        if (excluded_[at(variable)][value]) cost[value] = infinite;
        for (int number : links_[at(variable)][0]) {
            Link const& link = model_.links[at(number)];
            cost[value] += link.cost(variable, static_cast<int>(value), guess_[at(link.ends[0])]);
        }
        for (int number : links_[at(variable)][1]) {
            auto const& classes = *model_.links[at(number)].classes[0];
            cost[value] += taken_[at(number)][0][at(classes[value])];
        }
    }
    return static_cast<int>(std::min_element(cost.begin(), cost.end()) - cost.begin());
}

}  // namespace ein::planner
