#include "planner/exact/order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ein::planner {
namespace {

enum class Next { as_given, beside_oldest };

/// The links of some variables among themselves, and what each variable weighs in a frontier.
class Neighbours {
public:
    Neighbours(Model const& model, std::vector<int> const& variables)
        : inside_(model.variables.size(), false), of_(model.variables.size()), weight_(model.variables.size(), 0) {
        for (int v : variables) inside_[at(v)] = true;
        for (int v : variables) {
            for (int link : model.variables[at(v)].links)
                if (inside_[at(model.links[at(link)].other(v))]) of_[at(v)].push_back(model.links[at(link)].other(v));
            weight_[at(v)] = std::log2(states_of(model, v));
        }
    }

    std::size_t size() const { return of_.size(); }
    std::vector<int> const& of(int variable) const { return of_[at(variable)]; }
    double weight(int variable) const { return weight_[at(variable)]; }

private:
    /// How many states an open variable stands for: its distinct classes at all its links, at most its values.
    double states_of(Model const& model, int variable) const {
        std::set<std::vector<int> const*> seen;
        double states = 1;
        for (int number : model.variables[at(variable)].links) {
            Link const& link = model.links[at(number)];
            if (!inside_[at(link.other(variable))]) continue;
            int const side = link.side_of(variable);
            if (seen.insert(link.classes[at(side)]).second) states *= static_cast<double>(link.classes_at(side));
        }
        return std::min(states, static_cast<double>(model.variables[at(variable)].cost.size()));
    }

    std::vector<bool> inside_;
    std::vector<std::vector<int>> of_;
    std::vector<double> weight_;
};

/// Decides the variables of one component.
class Ordering {
public:
    Ordering(Neighbours const& neighbours, std::vector<int> const& component)
        : neighbours_(neighbours), component_(component) {}

    std::vector<int> run(Next next) {
        decided_.assign(neighbours_.size(), false);
        open_links_.assign(neighbours_.size(), 0);
        for (int v : component_) open_links_[at(v)] = static_cast<int>(neighbours_.of(v).size());
        order_.clear();
        oldest_ = 0;
        states_ = bits_ = 0;
        while (order_.size() < component_.size()) decide(next == Next::as_given ? component_[order_.size()] : best());
        return order_;
    }

    double states() const { return states_; }  // of all frontiers of the last run

private:
    /// How much larger the frontier is (log2 of its states) when `variable` is decided.
    double growth(int variable) const {
        double growth = open_links_[at(variable)] > 0 ? neighbours_.weight(variable) : 0;
        for (int neighbour : neighbours_.of(variable))
            if (decided_[at(neighbour)] && open_links_[at(neighbour)] == 1) growth -= neighbours_.weight(neighbour);
        return growth;
    }

    /// Of the neighbours of the variable that is open longest the one that makes the frontier least, the earlier where
    /// several do.
    int best() {
        if (order_.empty()) return component_.front();
        while (open_links_[at(order_[oldest_])] == 0) ++oldest_;
        int best = -1;
        double least = std::numeric_limits<double>::infinity();
        for (int variable : neighbours_.of(order_[oldest_])) {
            if (decided_[at(variable)]) continue;
            double const grown = growth(variable);
            if (grown > least || (grown == least && variable > best)) continue;
            least = grown;
            best = variable;
        }
        return best;
    }

    void decide(int variable) {
        bits_ += growth(variable);
        states_ += std::exp2(bits_);
        decided_[at(variable)] = true;
        order_.push_back(variable);
        for (int neighbour : neighbours_.of(variable)) --open_links_[at(neighbour)];
    }

    Neighbours const& neighbours_;
    std::vector<int> const& component_;
    std::vector<bool> decided_;
    std::vector<int> open_links_;  // to undecided variables
    std::vector<int> order_;
    std::size_t oldest_ = 0;  // all before it in order_ are closed
    double bits_ = 0, states_ = 0;
};

/// The variables that are connected, each component in the order in which they are given.
std::vector<std::vector<int>> components(Neighbours const& neighbours, std::vector<int> const& variables) {
    std::vector<int> component_of(neighbours.size(), -1);
    int count = 0;
    for (int first : variables) {
        if (component_of[at(first)] >= 0) continue;
        std::vector<int> open{first};
        component_of[at(first)] = count;
        while (!open.empty()) {
            int const variable = open.back();
            open.pop_back();
            for (int neighbour : neighbours.of(variable)) {
                if (component_of[at(neighbour)] >= 0) continue;
                component_of[at(neighbour)] = count;
                open.push_back(neighbour);
            }
        }
        ++count;
    }
    std::vector<std::vector<int>> out(static_cast<std::size_t>(count));
    for (int variable : variables) out[at(component_of[at(variable)])].push_back(variable);
    return out;
}

std::vector<int> best_order(Neighbours const& neighbours, std::vector<int> const& component) {
    Ordering ordering(neighbours, component);
    std::vector<int> best;
    double least = std::numeric_limits<double>::infinity();
    for (Next next : {Next::as_given, Next::beside_oldest}) {
        std::vector<int> order = ordering.run(next);
        if (!best.empty() && ordering.states() >= least) continue;
        least = ordering.states();
        best = std::move(order);
    }
    return best;
}

}  // namespace

std::vector<std::vector<int>> components_in_order(Model const& model, std::vector<int> const& variables) {
    Neighbours const neighbours(model, variables);
    std::vector<std::vector<int>> out = components(neighbours, variables);
    for (std::vector<int>& component : out) component = best_order(neighbours, component);
    return out;
}

Model Subproblem::part(std::vector<int> const& variables) {
    Model out;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        position_[at(variables[k])] = static_cast<int>(k);
        out.variables.push_back({model_.variables[at(variables[k])].cost, {}});
    }
    for (int variable : variables) {
        for (int number : model_.variables[at(variable)].links) {
            Link const& link = model_.links[at(number)];
            int const other = position_[at(link.other(variable))];
            if (other < 0 || other > position_[at(variable)]) continue;  // every link once, at its later end
            int const made = static_cast<int>(out.links.size());
            out.links.push_back(turned(link));
            for (int end : out.links.back().ends) out.variables[at(end)].links.push_back(made);
        }
    }
    for (int variable : variables) position_[at(variable)] = -1;
    return out;
}

Link Subproblem::turned(Link const& link) {
    int const first = position_[at(link.ends[0])], second = position_[at(link.ends[1])];
    if (first < second) return {{first, second}, link.classes, link.table};
    auto& table = transposed_[link.table.get()];
    if (!table) table = std::make_shared<LinkTable const>(transposed(*link.table));
    return {{second, first}, {link.classes[1], link.classes[0]}, table};
}

}  // namespace ein::planner
