#include "lib/relation/verify/rounding_spread.hpp"

#include <algorithm>
#include <cmath>

#include "tests/lib/relation/interpreting.hpp"

using namespace ein;
using ein::test::Numbers;

namespace {

/// Numbers near `middle`, none of which is a short binary fraction.
tensor::HostTensor around(double middle, double width, Shape shape) {
    Numbers numbers;
    for (Extent k = 0; k < element_count(shape); ++k)
        numbers.emplace_back(static_cast<float>(middle + width * std::sin(static_cast<double>(k) * 1.7 + 1)));
    return test::tensor_of(DType::f32, shape, numbers);
}

struct Roundings {
    graph::EinGraph graph;
    test::Leaves leaves;
    test::GraphBuilder builder;

    void leaf(std::string const& name, tensor::HostTensor const& values) {
        builder.leaf(name, values.shape(), DType::f32);
        leaves.put(name, values);
    }
    void node(std::string const& name, std::string const& subscripts, std::vector<std::string> const& inputs,
              std::string const& join, DType dtype = DType::f32) {
        builder.einsum(name, subscripts, inputs, {.join = join, .dtype = dtype});
    }
    /// The spreads of all elements of `output`.
    std::vector<double> spread(std::string const& output) {
        std::vector<double> out;
        for (relation::Outcomes const& each : outcomes(output)) out.push_back(each.spread);
        return out;
    }
    std::vector<relation::Outcomes> outcomes(std::string const& output) {
        graph = builder.finish({output});
        relation::Interpreter interpreter(graph, leaves.reader(graph));
        ValueId const value = graph.outputs[0];
        tensor::HostTensor const expected = interpreter.whole(value);
        relation::IndexSets indices;
        std::vector<Extent> chosen;
        for (Extent extent : expected.shape()) {
            indices.emplace_back();
            for (Extent k = 0; k < extent; ++k) indices.back().push_back(k);
        }
        for (Extent k = 0; k < expected.elements(); ++k) chosen.push_back(k);
        return relation::rounding_spread(interpreter, value, indices, expected, chosen);
    }
};

double most(std::vector<double> const& values) { return *std::max_element(values.begin(), values.end()); }
double least(std::vector<double> const& values) { return *std::min_element(values.begin(), values.end()); }

}  // namespace

TEST_CASE("a well-conditioned product has a spread of a few roundings", "[relation][spread]") {
    Roundings checked;
    checked.leaf("A", around(1, 0.5, {5, 100}));
    checked.leaf("B", around(1, 0.5, {100, 4}));
    checked.node("C", "ij,jk->ik", {"A", "B"}, "");
    auto const spread = checked.spread("C");
    CHECK(least(spread) > 1e-6);  // of elements near 100
    CHECK(most(spread) < 1e-3);
}

TEST_CASE("what cancels in a later node is spread as far as what it came from", "[relation][spread]") {
    Roundings checked;
    checked.leaf("A", around(1000, 0.01, {5, 64}));
    checked.node("M", "ij->i", {"A"}, "x / 64");
    checked.node("D", "ij,i->ij", {"A", "M"}, "x - y");
    checked.node("S", "ij->i", {"D"}, "");  // nothing but rounding: 64 times the mean's
    auto const spread = checked.spread("S");
    CHECK(least(spread) > 1e-4);
    CHECK(most(spread) < 1);
}

TEST_CASE("cancelling inside one join and one sum counts too", "[relation][spread]") {
    Roundings checked;
    checked.leaf("A", around(1, 0.5, {3, 8}));
    checked.node("J", "ij->ij", {"A"}, "(x + 10000) - 10000");
    CHECK(least(checked.spread("J")) > 1e-5);
    Roundings sum;
    sum.leaf("A", around(1, 0.5, {3, 8}));
    sum.node("S", "ij->i", {"A"}, "where([j] < 4, x * 10000, 0) - where([j] >= 4, x * 10000, 0)");
    CHECK(least(sum.spread("S")) > 1e-5);
}

TEST_CASE("values are rounded to what they are stored as", "[relation][spread]") {
    Roundings checked;
    checked.leaf("A", around(1, 0.5, {8}));
    checked.node("H", "i->i", {"A"}, "x * 3", DType::f16);
    CHECK(most(checked.spread("H")) > 1e-4);
}

TEST_CASE("exact results have no spread, those that rounding decides come out in several ways", "[relation][spread]") {
    Roundings exact;
    exact.leaf("A", test::tensor_of(DType::f32, {4}, {1, 2, 3, 4}));
    exact.node("B", "i->", {"A"}, "where(x == 3, x * 5, x)");
    CHECK(most(exact.spread("B")) == 0);
    Roundings decided;
    decided.leaf("A", around(1, 0.5, {8}));
    decided.node("T", "i->i", {"A"}, "x / 3");
    decided.node("R", "i,i->i", {"A", "T"}, "1 / floor(y * 3 / x)");
    auto const outcomes = decided.outcomes("R");
    CHECK(std::any_of(outcomes.begin(), outcomes.end(),
                      [](relation::Outcomes const& each) { return each.finite && each.infinite && !each.nan; }));
}

TEST_CASE("sums come out as any order of adding up may leave them", "[relation][spread]") {
    struct Row {
        Numbers terms;
        bool finite, infinite, minus_infinite, nan;
    };
    auto const row = GENERATE(values<Row>({{{3e38, 3e38, -3e38, -3e38}, true, true, true, true},
                                           {{3e38, 3e38, -3e38, -1e30}, true, true, false, false},
                                           {{-3e38, -3e38, 3e38, 1e30}, true, false, true, false},
                                           {{3e38, 3e38, 1e30, 1e30}, false, true, false, false},
                                           {{1e38, 1e38, -1e38, -1e38}, true, false, false, false}}));
    for (char const* join : {"", "x * 1.000001 / 1.000001"}) {  // by loops of their own, and by expressions
        Roundings checked;
        checked.leaf("A", test::tensor_of(DType::f32, {4}, row.terms));
        checked.node("S", "i->", {"A"}, join);
        relation::Outcomes const out = checked.outcomes("S").at(0);
        CAPTURE(join, row.terms[3].real());
        CHECK(out.finite == row.finite);
        CHECK(out.infinite == row.infinite);
        CHECK(out.minus_infinite == row.minus_infinite);
        CHECK(out.nan == row.nan);
        CHECK(out.allow(scalar::Scalar::of(std::complex<double>(INFINITY)), 8) == row.infinite);
        CHECK(out.allow(scalar::Scalar::of(std::complex<double>(std::nan(""))), 8) == row.nan);
        CHECK_FALSE(out.allow(scalar::Scalar::of(std::complex<double>(1e36)), 8));
    }
}

TEST_CASE("only chosen elements are looked at", "[relation][spread]") {
    Roundings checked;
    checked.leaf("A", around(1, 0.5, {6, 4}));
    checked.builder.einsum("B", "ij->ij", {"A"}, {.join = "x / 3 * [i]", .dtype = DType::f32});
    checked.graph = checked.builder.finish({"B"});
    relation::Interpreter interpreter(checked.graph, checked.leaves.reader(checked.graph));
    relation::IndexSets const indices{{0, 2, 5}, {1, 3}};
    tensor::HostTensor const expected = interpreter.sample(checked.graph.outputs[0], indices);
    auto const spread = relation::rounding_spread(interpreter, checked.graph.outputs[0], indices, expected, {1, 5});
    REQUIRE(spread.size() == 2);
    CHECK(spread[0].spread == 0);  // row 0 is zero
    CHECK(spread[1].spread > 0);
}
