#include "planner/exact/dominate.hpp"

#include <algorithm>
#include <limits>

namespace ein::planner {
namespace {

class Pruner {
public:
    Pruner(Model const& model, Bound& bound, double limit, Budget& budget)
        : model_(model), bound_(bound), limit_(limit), budget_(budget) {}

    bool run() {
        int const count = static_cast<int>(model_.variables.size());
        for (int v = 0; v < count; ++v) exclude_dear(v);
        for (int v = 0; v < count && !budget_.exhausted(); ++v) exclude_dominated(v);
        return any_;
    }

private:
    std::vector<int> alive(int variable) const {
        std::vector<int> values;
        for (int value = 0; value < static_cast<int>(model_.variables[at(variable)].cost.size()); ++value)
            if (!bound_.excluded(variable, value)) values.push_back(value);
        return values;
    }

    void exclude(int variable, int value) {
        bound_.exclude(variable, value);
        any_ = true;
    }

    /// The value of least reduced cost stays, so that every variable keeps one.
    void exclude_dear(int variable) {
        std::vector<int> const values = alive(variable);
        int const best = *std::min_element(values.begin(), values.end(), [&](int a, int b) {
            return bound_.of_value(variable, a) < bound_.of_value(variable, b);
        });
        for (int value : values)
            if (value != best && bound_.of_value(variable, value) >= limit_) exclude(variable, value);
    }

    void exclude_dominated(int variable) {
        std::vector<int> values = alive(variable);
        if (values.size() < 2) return;
        std::vector<std::vector<int>> const far = far_classes(variable);
        for (std::size_t k = 0; k < values.size(); ++k) {
            bool const dominated = std::any_of(values.begin(), values.end(), [&](int other) {
                return other >= 0 && other != values[k] && dominates(variable, other, values[k], far);
            });
            if (!dominated) continue;
            exclude(variable, values[k]);
            values[k] = -1;  // it does not dominate others any more: of two that dominate each other one stays
        }
    }

    /// For each link the classes that the neighbour may have.
    std::vector<std::vector<int>> far_classes(int variable) const {
        std::vector<std::vector<int>> out;
        for (int number : model_.variables[at(variable)].links) {
            Link const& link = model_.links[at(number)];
            int const other = link.other(variable);
            std::vector<int> classes;
            for (int value : alive(other)) classes.push_back(link.class_of(other, value));
            std::sort(classes.begin(), classes.end());
            classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
            out.push_back(std::move(classes));
        }
        return out;
    }

    /// Whether `better` never costs more than `value`.
    bool dominates(int variable, int better, int value, std::vector<std::vector<int>> const& far) {
        Variable const& of = model_.variables[at(variable)];
        double gain = of.cost[at(value)] - of.cost[at(better)];
        for (std::size_t k = 0; k < of.links.size(); ++k) {
            Link const& link = model_.links[at(of.links[k])];
            int const a = link.class_of(variable, value), b = link.class_of(variable, better);
            if (a == b) continue;
            double least = std::numeric_limits<double>::infinity();
            bool const rows = link.side_of(variable) == 0;
            for (int other : far[k]) {
                double const difference = rows ? (*link.table)(a, other) - (*link.table)(b, other)
                                               : (*link.table)(other, a) - (*link.table)(other, b);
                least = std::min(least, difference);
            }
            gain += least;
            budget_.spend(static_cast<double>(far[k].size()));
        }
        return gain >= 0;
    }

    Model const& model_;
    Bound& bound_;
    double limit_;
    Budget& budget_;
    bool any_ = false;
};

}  // namespace

bool exclude_needless(Model const& model, Bound& bound, double limit, Budget& budget) {
    return Pruner(model, bound, limit, budget).run();
}

}  // namespace ein::planner
