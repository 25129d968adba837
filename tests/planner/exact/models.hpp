// Random models, and their least cost by trying every assignment.
#pragma once

#include <random>

#include "planner/exact/model.hpp"

namespace ein::test {

/// @param density  of links: 0 a tree, 1 all pairs
/// Owns the classes that its links refer to: neither copied nor moved.
class RandomModel {
public:
    RandomModel(std::mt19937& random, int variables, int values, double density) {
        model.variables.resize(static_cast<std::size_t>(variables));
        auto below = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
        for (planner::Variable& variable : model.variables)
            for (int k = 1 + below(values); k > 0; --k) variable.cost.push_back(below(20));
        for (int later = 1; later < variables; ++later) {
            int const parent = below(later);
            for (int earlier = 0; earlier < later; ++earlier) {
                bool const linked = earlier == parent || static_cast<double>(below(1000)) < 1000 * density;
                if (linked) link(random, earlier, later);
            }
        }
    }
    RandomModel(RandomModel const&) = delete;
    RandomModel& operator=(RandomModel const&) = delete;

    double least() const {
        Shape counts;
        for (planner::Variable const& variable : model.variables)
            counts.push_back(static_cast<Extent>(variable.cost.size()));
        double least = -1;
        for_each_index(counts, [&](std::vector<Extent> const& index) {
            double const cost = model.cost(std::vector<int>(index.begin(), index.end()));
            if (least < 0 || cost < least) least = cost;
        });
        return least;
    }

    planner::Model model;

private:
    /// Either end may be the row; classes are fewer than values.
    void link(std::mt19937& random, int a, int b) {
        if (random() % 2) std::swap(a, b);
        auto table = std::make_shared<planner::LinkTable>();
        table->rows = 1 + random() % 3;
        table->columns = 1 + random() % 3;
        for (std::size_t k = 0; k < table->rows * table->columns; ++k)
            table->costs.push_back(static_cast<double>(random() % 15));
        planner::Link made{{a, b}, {classes(random, a, table->rows), classes(random, b, table->columns)}, table};
        for (int end : made.ends)
            model.variables[static_cast<std::size_t>(end)].links.push_back(static_cast<int>(model.links.size()));
        model.links.push_back(std::move(made));
    }

    std::vector<int> const* classes(std::mt19937& random, int variable, std::size_t count) {
        owned_.push_back(std::make_unique<std::vector<int>>());
        for (std::size_t k = 0; k < model.variables[static_cast<std::size_t>(variable)].cost.size(); ++k)
            owned_.back()->push_back(static_cast<int>(random() % count));
        return owned_.back().get();
    }

    std::vector<std::unique_ptr<std::vector<int>>> owned_;
};

}  // namespace ein::test
