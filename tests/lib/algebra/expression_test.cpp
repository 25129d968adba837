#include "lib/algebra/expression.hpp"

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::tra;

namespace {

Array block(Extent rows, Extent columns, std::vector<double> values) { return {{rows, columns}, std::move(values)}; }

/// The paper's matrix A in 2 x 2 blocks.
TensorRelation paper_a() {
    return TensorRelation::make({{{0, 0}, block(2, 2, {1, 2, 3, 4})},
                                 {{0, 1}, block(2, 2, {5, 6, 7, 8})},
                                 {{1, 0}, block(2, 2, {9, 10, 11, 12})},
                                 {{1, 1}, block(2, 2, {13, 14, 15, 16})}},
                                2, {2, 2});
}

/// The paper's matrix B in 2 x 4 blocks.
TensorRelation paper_b() {
    return TensorRelation::make(
        {{{0}, block(2, 4, {1, 2, 5, 6, 3, 4, 7, 8})}, {{1}, block(2, 4, {9, 10, 13, 14, 11, 12, 15, 16})}}, 1, {2, 4});
}

Expr product() {
    return aggregate({0, 2}, kernels::mat_add(), join({1}, {0}, kernels::mat_mul(), input("A"), input("A")));
}

}  // namespace

TEST_CASE("aggregation groups by the keys it is given", "[lib][algebra]") {
    auto const by_row = interpret(aggregate({1}, kernels::mat_add(), input("A")), {{"A", paper_a()}});
    CHECK(by_row.at({0}) == block(2, 2, {10, 12, 14, 16}));
    CHECK(by_row.at({1}) == block(2, 2, {18, 20, 22, 24}));
    auto const all = interpret(aggregate({}, kernels::mat_add(), input("A")), {{"A", paper_a()}});
    CHECK(all.at({}) == block(2, 2, {28, 32, 36, 40}));
}

TEST_CASE("a join pairs blocks whose keys agree, and drops the repeated key part", "[lib][algebra]") {
    auto const joined = interpret(join({1}, {0}, kernels::mat_mul(), input("A"), input("A")), {{"A", paper_a()}});
    CHECK(joined.type().frontier == Shape{2, 2, 2});
    CHECK(joined.at({0, 1, 0}) == block(2, 2, {111, 122, 151, 166}));
    auto const squared = interpret(product(), {{"A", paper_a()}});
    // Row 0 of A squared: 1*1 + 2*3 + 5*9 + 6*11 and so on.
    CHECK(squared.at({0, 0}) == block(2, 2, {118, 132, 166, 188}));
}

TEST_CASE("filter, rekey and transform take the diagonal blocks' diagonals", "[lib][algebra]") {
    Expr const diagonal = transform(
        kernels::diag(), rekey(KeyMap::pick(2, {0}), filter(KeyPredicate::parse(2, "[k0] == [k1]"), input("A"))));
    auto const result = interpret(diagonal, {{"A", paper_a()}});
    CHECK(result.at({0}) == Array{{2}, {1, 4}});
    CHECK(result.at({1}) == Array{{2}, {13, 16}});
}

TEST_CASE("tile cuts arrays, rekey renames, concat undoes it", "[lib][algebra]") {
    Relations const inputs{{"B", paper_b()}};
    Expr const tiled = tile(1, 2, input("B"));
    auto const tiles = interpret(tiled, inputs);
    CHECK(tiles.at({0, 1}) == block(2, 2, {5, 6, 7, 8}));
    CHECK(tiles.at({1, 0}) == block(2, 2, {9, 10, 11, 12}));
    auto const rekeyed = interpret(rekey(KeyMap::parse(2, {"2*[k0] + [k1]"}), tiled), inputs);
    CHECK(rekeyed.type().frontier == Shape{4});
    CHECK(rekeyed.at({2}) == block(2, 2, {9, 10, 11, 12}));
    CHECK(interpret(concat(1, 1, tiled), inputs) == paper_b());
}

TEST_CASE("expressions are values: equal when made alike, and printed as in the paper", "[lib][algebra]") {
    CHECK(product() == product());
    CHECK_FALSE(product() == input("A"));
    CHECK(text(product()) == "Σ(⟨0,2⟩,matAdd)(⋈(⟨1⟩,⟨0⟩,matMul)(A, A))");
    CHECK(text(rekey(KeyMap::parse(2, {"2*[k0] + [k1]"}), tile(1, 2, input("B")))) ==
          "REKEY(→⟨2*[k0] + [k1]⟩)(TILE(1,2)(B))");
    CHECK(text(concat(1, 0, filter(KeyPredicate::parse(2, "[k0] == [k1]"), transform(kernels::relu(), input("A"))))) ==
          "CONCAT(⟨1⟩,⟨0⟩)(σ([k0] == [k1])(λ(relu)(A)))");
}

TEST_CASE("a tensor is cut into blocks by coordinate", "[lib][algebra]") {
    auto const relation =
        TensorRelation::chunked({4, 6}, {2, 3}, [](auto const& i) { return 10.0 * double(i[0]) + double(i[1]); });
    CHECK(relation.type().frontier == Shape{2, 2});
    CHECK(relation.at({1, 1}) == block(2, 3, {23, 24, 25, 33, 34, 35}));
    CHECK_THROWS_AS(TensorRelation::chunked({4}, {3}, [](auto const&) { return 0.0; }), InputError);
}
