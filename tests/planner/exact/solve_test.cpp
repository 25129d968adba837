#include "planner/exact/solve.hpp"

#include <algorithm>
#include <numeric>

#include "planner/exact/dominate.hpp"
#include "planner/exact/frontier.hpp"
#include "planner/exact/order.hpp"
#include "planner/exact/tree_elimination.hpp"
#include "tests/planner/exact/models.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::planner;

namespace {

/// The model with its variables in an order of deciding.
Model in_order(Model const& model) {
    std::vector<int> all(model.variables.size());
    std::iota(all.begin(), all.end(), 0);
    auto const components = components_in_order(model, all);
    REQUIRE(components.size() == 1);
    return Subproblem(model).part(components.front());
}

Budget plenty() { return Budget(1e12, 0); }

/// A random model that is connected, in an order of deciding, and its bound, not yet raised.
struct Problem {
    test::RandomModel drawn;
    Model model;
    Bound bound;
    Budget budget = plenty();

    Problem(std::mt19937& random, int variables, double density)
        : drawn(random, variables, 4, density), model(in_order(drawn.model)), bound(model) {}
};

template <class Check>
void for_problems(unsigned seed, int rounds, int variables, double density, Check check) {
    std::mt19937 random(seed);
    for (int round = 0; round < rounds; ++round) {
        Problem problem(random, variables, density);
        check(problem);
    }
}

}  // namespace

TEST_CASE("a tree is eliminated altogether, at its least cost", "[planner][exact]") {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        test::RandomModel const drawn(random, 1 + static_cast<int>(random() % 6), 4, 0);
        Model model = drawn.model;
        TreeElimination const elimination(model);
        CHECK(elimination.rest().empty());
        CHECK(elimination.closed_cost() == drawn.least());
        std::vector<int> values(model.variables.size(), 0);
        elimination.restore(values);
        CHECK(drawn.model.cost(values) == drawn.least());
    }
}

TEST_CASE("elimination keeps what is connected in rings", "[planner][exact]") {
    std::mt19937 random(2);
    for (int round = 0; round < 300; ++round) {
        test::RandomModel const drawn(random, 5, 3, 0.3);
        Model model = drawn.model;
        TreeElimination const elimination(model);
        for (int variable : elimination.rest()) {
            std::vector<int> const& links = model.variables[static_cast<std::size_t>(variable)].links;
            CHECK(std::count_if(links.begin(), links.end(), [&](int link) {
                      return !elimination.eliminated(model.links[static_cast<std::size_t>(link)].other(variable));
                  }) >= 2);
        }
    }
}

TEST_CASE("a part in another order costs the same and its links lead forward", "[planner][exact]") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        test::RandomModel const drawn(random, 6, 3, 0.4);
        std::vector<int> order(drawn.model.variables.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        Model const part = Subproblem(drawn.model).part(order);
        CHECK(part.links.size() == drawn.model.links.size());
        for (Link const& link : part.links) CHECK(link.ends[0] < link.ends[1]);
        std::vector<int> values, reordered;
        for (Variable const& variable : drawn.model.variables)
            values.push_back(static_cast<int>(random() % variable.cost.size()));
        for (int variable : order) reordered.push_back(values[static_cast<std::size_t>(variable)]);
        CHECK(part.cost(reordered) == drawn.model.cost(values));
    }
}

TEST_CASE("an order has every variable once, components apart", "[planner][exact]") {
    std::mt19937 random(4);
    test::RandomModel const drawn(random, 40, 3, 0.05);
    std::vector<int> some;  // without a few, the rest falls into pieces
    for (int v = 0; v < 40; ++v)
        if (v % 7 != 3) some.push_back(v);
    std::vector<int> seen;
    for (std::vector<int> const& component : components_in_order(drawn.model, some))
        seen.insert(seen.end(), component.begin(), component.end());
    std::sort(seen.begin(), seen.end());
    CHECK(seen == some);
}

TEST_CASE("the bound never falls, is below the least cost, and reduced costs add up", "[planner][exact]") {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        Problem problem(random, 2 + static_cast<int>(random() % 5), 0.5);
        auto& [drawn, model, bound, budget] = problem;
        double before = 0;
        for (int sweep = 0; sweep < 20; ++sweep) {
            bound.sweep(budget);
            CHECK(bound.value() >= before - 1e-9);
            before = bound.value();
        }
        CHECK(bound.value() <= drawn.least() + 1e-9);
        CHECK(model.cost(bound.guess()) >= drawn.least());
        double cost = bound.value();  // of any assignment: the bound and its reduced costs
        std::vector<int> values;
        for (std::size_t v = 0; v < model.variables.size(); ++v) {
            values.push_back(static_cast<int>(random() % model.variables[v].cost.size()));
            cost += bound.of_value(static_cast<int>(v), values.back());
        }
        for (std::size_t k = 0; k < model.links.size(); ++k) {
            Link const& link = model.links[k];
            auto class_at = [&](int side) {
                int const end = link.ends[static_cast<std::size_t>(side)];
                return link.class_of(end, values[static_cast<std::size_t>(end)]);
            };
            cost += bound.of_link(static_cast<int>(k), class_at(0), class_at(1));
        }
        CHECK(cost == Approx(model.cost(values)).margin(1e-9));
    }
}

TEST_CASE("on a tree one sweep reaches the least cost", "[planner][exact]") {
    for_problems(6, 200, 6, 0, [](Problem& problem) {
        problem.bound.sweep(problem.budget);
        CHECK(problem.bound.value() == Approx(problem.drawn.least()).margin(1e-9));
    });
}

TEST_CASE("excluding needless values keeps an assignment of least cost", "[planner][exact]") {
    for_problems(7, 300, 5, 0.5, [](Problem& problem) {
        auto& [drawn, model, bound, budget] = problem;
        bound.sweep(budget);
        double const least = drawn.least();
        exclude_needless(model, bound, least - bound.value() + 0.5, budget);
        FrontierResult const found = search_frontier(model, bound, infinite, 1 << 20, budget);
        REQUIRE(found.values.has_value());
        CHECK(model.cost(*found.values) == least);
    });
}

TEST_CASE("a frontier without limits finds the least cost; what a limit on states drops is known", "[planner][exact]") {
    int dropped = 0;
    for_problems(8, 300, 6, 0.6, [&](Problem& problem) {
        auto& [drawn, model, bound, budget] = problem;  // the bound is not raised: the frontier has all to do
        double const least = drawn.least();
        FrontierResult const all = search_frontier(model, bound, infinite, 1 << 20, budget);
        REQUIRE(all.values.has_value());
        CHECK(model.cost(*all.values) == least);
        CHECK(all.dropped == infinite);
        CHECK_FALSE(search_frontier(model, bound, least, 1 << 20, budget).values.has_value());
        CHECK(search_frontier(model, bound, least + 0.5, 1 << 20, budget).values.has_value());

        FrontierResult const few = search_frontier(model, bound, infinite, 2, budget);
        REQUIRE(few.values.has_value());
        CHECK(std::min(model.cost(*few.values), few.dropped) <= least);
        dropped += few.dropped < infinite;
    });
    CHECK(dropped > 10);
}

TEST_CASE("solving proves the least cost", "[planner][exact]") {
    std::mt19937 random(9);
    for (int round = 0; round < 60; ++round) {
        test::RandomModel const drawn(random, 3 + static_cast<int>(random() % 6), 4, 1);
        Model const model = in_order(drawn.model);
        double const least = drawn.least();
        Budget budget = plenty();
        Solution const solved = solve(model, std::vector<int>(model.variables.size(), 0), budget);
        CHECK(solved.cost == least);
        CHECK(solved.bound == solved.cost);
        CHECK(model.cost(solved.values) == least);
    }
}

TEST_CASE("a spent budget leaves a bound below every cost, and the same answer every time", "[planner][exact]") {
    std::mt19937 random(10);
    int unproven = 0;
    for (int round = 0; round < 10; ++round) {
        test::RandomModel const drawn(random, 40, 8, 0.9);
        Model const model = in_order(drawn.model);
        std::vector<int> const start(model.variables.size(), 0);
        Budget small(1, 0), again(1, 0), large(3e6, 0);
        Solution const hasty = solve(model, start, small), patient = solve(model, start, large);
        CHECK(hasty.cost == model.cost(hasty.values));
        CHECK(hasty.cost <= model.cost(start));
        CHECK(hasty.bound <= patient.cost);
        CHECK(patient.bound <= hasty.cost);
        CHECK(solve(model, start, again).values == hasty.values);
        unproven += hasty.bound < hasty.cost;
    }
    CHECK(unproven > 5);
}
