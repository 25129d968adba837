#include "scheduler/ia/search.hpp"

#include "lib/base/error.hpp"
#include "tests/lib/algebra/programs.hpp"
#include "tests/scheduler/ia/random_relations.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::ia;
using ein::test::Random;

namespace {

using Relations = std::map<std::string, tra::TensorRelation>;

std::map<std::string, FreeInput> free_inputs(Relations const& relations, std::vector<Sites> const& layouts) {
    std::map<std::string, FreeInput> inputs;
    for (auto const& [name, relation] : relations) inputs.emplace(name, FreeInput{relation.type(), layouts});
    return inputs;
}

Relations step_inputs(Random& random) {
    return {{"X", test::random_relation(random, {2, 3}, {2, 2})},
            {"Y", test::random_relation(random, {2, 2}, {2, 1})},
            {"W1", test::random_relation(random, {3, 4}, {2, 1})},
            {"W2", test::random_relation(random, {4, 2}, {1, 1})}};
}

}  // namespace

TEST_CASE("what the search finds computes what the algebra says, and sends what it costs", "[scheduler][ia][search]") {
    for (unsigned seed = 0; seed < 12; ++seed) {
        Random random(seed);
        Relations const relations{{"A", test::random_relation(random, {3, 2}, {2, 4})},
                                  {"B", test::random_relation(random, {2, 3}, {4, 2})},
                                  {"X", test::random_relation(random, {3, 3}, {2, 2})},
                                  {"Y", test::random_relation(random, {3, 3}, {2, 2})}};
        tra::Expr const ab = test::times(tra::input("A"), tra::input("B"));
        std::vector<tra::Expr> const programs{
            ab, test::diagonal_of_sum(), tra::concat(1, 1, tra::tile(1, 2, ab)),
            tra::aggregate({}, tra::kernels::mat_add(), tra::transform(tra::kernels::relu(), ab))};
        int const sites = test::drawn(random, 1, 5);
        for (tra::Expr const& program : programs) {
            std::vector<Sites> const layouts{test::random_sites(random, 2)};
            Found const found = search({program}, free_inputs(relations, layouts), {.site_count = sites});
            CAPTURE(seed, sites, text(found.roots.front()));
            CHECK(test::result_of(found.roots.front(), relations) == tra::interpret(program, relations));
            double const sent = run(found.roots, relations).sent;
            CHECK(sent <= found.cost.stored);
            PlacedInputs placed;
            for (auto const& [name, relation] : relations)
                placed.emplace(name, Placed{relation.type(), layouts.front()});
            CHECK(found.cost.stored <= cost(compile({program}, placed, sites)).stored);
        }
    }
}

TEST_CASE("a training step found by the search", "[scheduler][ia][search]") {
    Random random(1);
    Relations const relations = step_inputs(random);
    test::TrainingStep const step = test::training_step(0.5);
    for (int sites : {2, 3}) {
        Found const found = search({step.weights_1, step.weights_2},
                                   free_inputs(relations, {Sites::part({0}), Sites::part({1})}), {.site_count = sites});
        Run const made = run(found.roots, relations);
        CHECK(made.sent == found.cost.stored);
        std::vector<tra::Expr> const wanted{step.weights_1, step.weights_2};
        for (std::size_t r = 0; r < 2; ++r) {
            auto const got = together(found.roots[r].type(), made.results[r]),
                       expected = tra::interpret(wanted[r], relations);
            REQUIRE(got.type() == expected.type());
            for (tra::Tuple const& tuple : expected.tuples())
                for (std::size_t e = 0; e < tuple.array.values.size(); ++e)
                    CHECK(got.at(tuple.key).values[e] == Approx(tuple.array.values[e]).margin(1e-12));
        }
    }
}

TEST_CASE("the same search finds the same plan; a bounded one says so", "[scheduler][ia][search]") {
    Random random(2);
    Relations const relations = step_inputs(random);
    test::TrainingStep const step = test::training_step(0.5);
    auto const inputs = free_inputs(relations, {Sites::part({0}), Sites::part({1})});
    Found const once = search({step.weights_1, step.weights_2}, inputs, {.site_count = 3});
    Found const again = search({step.weights_1, step.weights_2}, inputs, {.site_count = 3});
    CHECK(once.roots == again.roots);
    CHECK(text(once.roots[0]) == text(again.roots[0]));
    Found const bounded = search({step.weights_1, step.weights_2}, inputs, {.site_count = 3, .max_states = 4});
    CHECK_FALSE(bounded.exact);
    CHECK(bounded.cost.stored >= once.cost.stored);
}

TEST_CASE("filters are pushed below broadcasts before anything is chosen", "[scheduler][ia][search]") {
    Random random(4);
    Relations const relations{{"X", test::random_relation(random, {4, 4}, {3, 3})},
                              {"Y", test::random_relation(random, {4, 4}, {3, 3})}};
    auto inputs = free_inputs(relations, {Sites::part({0})});
    CHECK(search({test::diagonal_of_sum()}, inputs, {.site_count = 3}).cost.stored ==
          0);  // diagonal blocks lie together
    inputs.at("Y").layouts = {Sites::scattered()};
    Found const apart = search({test::diagonal_of_sum()}, inputs, {.site_count = 3});
    CHECK(apart.cost.stored == 36);  // one shuffle of the four diagonal blocks
    CHECK(test::result_of(apart.roots.front(), relations) == tra::interpret(test::diagonal_of_sum(), relations));
}

TEST_CASE("inputs that all plans must send cannot all be pinned", "[scheduler][ia][search]") {
    Random random(6);
    Relations const relations{{"X", test::random_relation(random, {4, 4}, {1, 1})},
                              {"Y", test::random_relation(random, {4, 4}, {1, 1})}};
    auto inputs = free_inputs(relations, {Sites::scattered()});
    for (auto& [name, input] : inputs) input.pinned = true;
    CHECK_THROWS_AS(search({test::times(tra::input("X"), tra::input("Y"))}, inputs, {.site_count = 3}), InputError);
}
