#include "scheduler/ia/compile.hpp"

#include "scheduler/ia/cost.hpp"
#include "tests/lib/algebra/programs.hpp"
#include "tests/scheduler/ia/random_relations.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::ia;
using ein::test::Random;

namespace {

PlacedInputs scattered(std::map<std::string, tra::TensorRelation> const& relations, Random& random) {
    PlacedInputs placed;
    for (auto const& [name, relation] : relations)
        placed.emplace(name, Placed{relation.type(), test::random_sites(random, relation.type().arity())});
    return placed;
}

}  // namespace

TEST_CASE("compiled expressions compute what the algebra says, on any number of sites", "[scheduler][ia][compile]") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        Random random(seed);
        std::map<std::string, tra::TensorRelation> const relations{
            {"A", test::random_relation(random, {3, 2}, {2, 4})},
            {"B", test::random_relation(random, {2, 3}, {4, 2})},
            {"X", test::random_relation(random, {3, 3}, {2, 2})},
            {"Y", test::random_relation(random, {3, 3}, {2, 2})}};
        tra::Expr const tiled = tra::tile(1, 2, tra::input("A"));
        std::vector<tra::Expr> const programs{
            test::times(tra::input("A"), tra::input("B")),
            test::diagonal_of_sum(),
            tiled,
            tra::concat(2, 1, tiled),
            tra::concat(0, 0, tiled),
            tra::aggregate({}, tra::kernels::mat_add(), tra::input("X")),
            tra::transform(tra::kernels::relu(), tra::rekey(tra::KeyMap::pick(2, {1, 0}), tra::input("X")))};
        int const sites = test::drawn(random, 1, 5);
        std::vector<Expr> const compiled = compile(programs, scattered(relations, random), sites);
        for (std::size_t k = 0; k < programs.size(); ++k) {
            CAPTURE(seed, sites, text(compiled[k]));
            CHECK(test::result_of(compiled[k], relations) == tra::interpret(programs[k], relations));
        }
    }
}

TEST_CASE("Table 1, as the paper prints it", "[scheduler][ia][compile]") {
    RelationType const type{{4, 4}, {2, 2}, std::nullopt, ""};
    PlacedInputs const placed{{"X", {type, Sites::part({0})}}, {"Y", {type, Sites::part({0})}}};
    auto const compiled = [&](tra::Expr const& expr) { return text(compile({expr}, placed, 3).front()); };
    CHECK(compiled(test::times(tra::input("X"), tra::input("Y"))) ==
          "Σᴸ(⟨0,2⟩,matAdd)(SHUF⟨0,2⟩(⋈ᴸ(⟨1⟩,⟨0⟩,matMul)(BCAST(X:PART⟨0⟩), Y:PART⟨0⟩)))");
    CHECK(compiled(tra::tile(0, 1, tra::input("X"))) == "λᴸ(→⟨[k0],[k1],[t]⟩ for t<2,arrayTile(0,1))(X:PART⟨0⟩)");
    CHECK(compiled(tra::concat(1, 0, tra::input("X"))) == "Σᴸ(⟨1⟩ᶜ,arrayConcat0)(SHUF⟨0⟩(X:PART⟨0⟩))");
}

TEST_CASE("what several expressions use is compiled and sent once", "[scheduler][ia][compile][cost]") {
    RelationType const type{{4, 4}, {2, 2}, std::nullopt, ""};
    PlacedInputs const placed{{"X", {type, Sites::part({0})}}, {"Y", {type, Sites::part({0})}}};
    tra::Expr const product = test::times(tra::input("X"), tra::input("Y"));
    auto const once = compile({product}, placed, 3), twice = compile({product, product}, placed, 3);
    CHECK(cost(once) == cost(twice));
}
