// The paper's programs, interpreted, against plain loops over matrices.
#include "tests/lib/algebra/programs.hpp"

#include <cmath>
#include <functional>

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::test;

namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix matrix(Extent rows, Extent columns, int seed) {
    Matrix m(static_cast<std::size_t>(rows), std::vector<double>(static_cast<std::size_t>(columns)));
    int state = seed;
    for (auto& row : m)
        for (double& x : row) x = (state = (state * 37 + 11) % 101) % 9 - 4;
    return m;
}

TensorRelation cut(Matrix const& m, Shape const& block) {
    Shape const shape{static_cast<Extent>(m.size()), static_cast<Extent>(m[0].size())};
    return TensorRelation::chunked(shape, block,
                                   [&](auto const& i) { return m[std::size_t(i[0])][std::size_t(i[1])]; });
}

Matrix computed(std::size_t rows, std::size_t columns, std::function<double(std::size_t, std::size_t)> const& at) {
    Matrix m(rows, std::vector<double>(columns));
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) m[i][j] = at(i, j);
    return m;
}

Matrix product(Matrix const& a, Matrix const& b) {
    return computed(a.size(), b[0].size(), [&](auto i, auto j) {
        double sum = 0;
        for (std::size_t k = 0; k < b.size(); ++k) sum += a[i][k] * b[k][j];
        return sum;
    });
}

Matrix transposed(Matrix const& a) {
    return computed(a[0].size(), a.size(), [&](auto i, auto j) { return a[j][i]; });
}

double difference(TensorRelation const& result, Matrix const& wanted, Shape const& block) {
    double most = 0;
    TensorRelation const expected = cut(wanted, block);
    for (Tuple const& tuple : expected.tuples()) {
        Array const& got = result.at(tuple.key);
        for (std::size_t k = 0; k < got.values.size(); ++k)
            most = std::max(most, std::abs(got.values[k] - tuple.array.values[k]));
    }
    return result.type() == expected.type() ? most : 1e300;
}

}  // namespace

TEST_CASE("a product of blocks is the product", "[lib][algebra][programs]") {
    Matrix const a = matrix(6, 8, 1), b = matrix(8, 4, 2);
    auto const result = interpret(times(input("A"), input("B")), {{"A", cut(a, {3, 2})}, {"B", cut(b, {2, 4})}});
    CHECK(difference(result, product(a, b), {3, 4}) == 0);
}

TEST_CASE("diag(X + Y)", "[lib][algebra][programs]") {
    Matrix const x = matrix(6, 6, 3), y = matrix(6, 6, 4);
    auto const result = interpret(diagonal_of_sum(), {{"X", cut(x, {2, 2})}, {"Y", cut(y, {2, 2})}});
    for (std::size_t i = 0; i < 6; ++i) CHECK(result.at({Extent(i / 2)}).values[i % 2] == x[i][i] + y[i][i]);
}

TEST_CASE("the nearest neighbour in the metric of a matrix", "[lib][algebra][programs]") {
    Matrix const x = matrix(8, 6, 5), q = matrix(1, 6, 6), a = matrix(6, 6, 7);
    std::vector<double> dist;
    for (auto const& row : x) {
        double sum = 0;
        for (std::size_t j = 0; j < 6; ++j)
            for (std::size_t k = 0; k < 6; ++k) sum += (row[j] - q[0][j]) * a[j][k] * (row[k] - q[0][k]);
        dist.push_back(sum);
    }
    Relations const inputs{{"X", cut(x, {2, 3})},
                           {"q", cut(q, {1, 3})},
                           {"A", cut(a, {3, 3})},
                           {"I", TensorRelation::chunked({8}, {2}, [](auto const& i) { return double(i[0]); })}};
    auto const result = interpret(distances(), inputs);
    for (std::size_t i = 0; i < 8; ++i) CHECK(result.at({Extent(i / 2)}).values[i % 2] == dist[i]);
    auto const least = std::min_element(dist.begin(), dist.end()) - dist.begin();
    CHECK(interpret(nearest_neighbour(), inputs).at({}).values == std::vector<double>{double(least)});
}

TEST_CASE("a training step of a classifier with one hidden layer", "[lib][algebra][programs]") {
    double const eta = 0.25;
    Matrix const x = matrix(4, 6, 8), y = matrix(4, 2, 9), w1 = matrix(6, 4, 10), w2 = matrix(4, 2, 11);
    Matrix const z1 = product(x, w1);
    Matrix const a1 = computed(4, 4, [&](auto i, auto j) { return std::max(z1[i][j], 0.0); });
    Matrix const z2 = product(a1, w2);
    Matrix const d2 = computed(4, 2, [&](auto i, auto j) { return 1 / (1 + std::exp(-z2[i][j])) - y[i][j]; });
    Matrix const back = product(d2, transposed(w2));
    Matrix const d1 = computed(4, 4, [&](auto i, auto j) { return a1[i][j] > 0 ? back[i][j] : 0.0; });
    Matrix const g1 = product(transposed(x), d1), g2 = product(transposed(a1), d2);
    Relations const inputs{
        {"X", cut(x, {2, 3})}, {"Y", cut(y, {2, 1})}, {"W1", cut(w1, {3, 2})}, {"W2", cut(w2, {2, 1})}};
    TrainingStep const step = training_step(eta);
    Matrix const new_1 = computed(6, 4, [&](auto i, auto j) { return w1[i][j] - eta * g1[i][j]; });
    Matrix const new_2 = computed(4, 2, [&](auto i, auto j) { return w2[i][j] - eta * g2[i][j]; });
    CHECK(difference(interpret(step.weights_1, inputs), new_1, {3, 2}) < 1e-12);
    CHECK(difference(interpret(step.weights_2, inputs), new_2, {2, 1}) < 1e-12);
}
