#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "tests/lib/relation/interpreting.hpp"

using namespace ein;
using ein::test::Case;
using ein::test::Numbers;
using ein::test::result_of;
using scalar::Agg;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
Numbers const six{1, 2, 3, 4, 5, 6};
}  // namespace

TEST_CASE("the reference interpreter contracts, transposes, reduces and multiplies", "[relation][interpret]") {
    CHECK(result_of({"ij,jk->ik", {{2, 3}, {3, 2}}, {six, six}}) == Numbers{22, 28, 49, 64});
    CHECK(result_of({"ij,jk->ki", {{2, 3}, {3, 2}}, {six, six}}) == Numbers{22, 49, 28, 64});
    CHECK(result_of({"ij->ji", {{2, 3}}, {six}}) == Numbers{1, 4, 2, 5, 3, 6});
    CHECK(result_of({"ij->j", {{2, 3}}, {six}}) == Numbers{5, 7, 9});
    CHECK(result_of({"ij->", {{2, 3}}, {six}}) == Numbers{21});
    CHECK(result_of({"i,j->ij", {{2}, {3}}, {{2, 3}, {1, 10, 100}}}) == Numbers{2, 20, 200, 3, 30, 300});
    CHECK(result_of({"ij,ij->ij", {{2, 3}, {2, 3}}, {six, six}}) == Numbers{1, 4, 9, 16, 25, 36});
    CHECK(result_of({"bij,bjk->bik", {{2, 1, 2}, {2, 2, 1}}, {{1, 2, 3, 4}, {5, 6, 7, 8}}}) == Numbers{17, 53});
    CHECK(result_of({",->", {{}, {}}, {{6}, {7}}}) == Numbers{42});
}

TEST_CASE("the reference interpreter knows diagonals, traces, hyperedges and broadcasts", "[relation][interpret]") {
    Numbers const nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
    CHECK(result_of({"ii->i", {{3, 3}}, {nine}}) == Numbers{1, 5, 9});
    CHECK(result_of({"ii->", {{3, 3}}, {nine}}) == Numbers{15});
    CHECK(result_of({"iij->j", {{2, 2, 2}}, {{1, 2, 3, 4, 5, 6, 7, 8}}}) == Numbers{8, 10});
    CHECK(result_of({"ii,ii->i", {{2, 2}, {2, 2}}, {{1, 2, 3, 4}, {5, 6, 7, 8}}}) == Numbers{5, 32});
    CHECK(result_of({"i,i,i->i", {{2}, {2}, {2}}, {{1, 2}, {3, 4}, {5, 6}}}) == Numbers{15, 48});
    CHECK(result_of({"i,i,i->", {{2}, {2}, {2}}, {{1, 2}, {3, 4}, {5, 6}}}) == Numbers{63});
    CHECK(result_of({"i->ij", {{2}}, {{7, 8}}, {.sizes = {{'j', 3}}}}) == Numbers{7, 7, 7, 8, 8, 8});
    CHECK(result_of({"->j", {{}}, {{7}}, {.sizes = {{'j', 2}}}}) == Numbers{7, 7});
}

TEST_CASE("the reference interpreter aggregates in every way", "[relation][interpret]") {
    auto reduced = [](Agg agg, Numbers const& numbers, DType dtype = DType::f64) {
        return result_of(
                   {"i->", {{static_cast<Extent>(numbers.size())}}, {numbers}, {.agg = agg, .dtype = dtype}, dtype})
            .front();
    };
    CHECK(reduced(Agg::sum, {1, 2, 4}) == 7.0);
    CHECK(reduced(Agg::prod, {3, 2, 4}) == 24.0);
    CHECK(reduced(Agg::min, {3, -2, 4}) == -2.0);
    CHECK(reduced(Agg::max, {3, -2, 4}) == 4.0);
    CHECK(reduced(Agg::logsumexp, {0, std::log(3)}).real() == Approx(std::log(4)));
    CHECK(reduced(Agg::logsumexp, {1000, 1000}).real() == Approx(1000 + std::log(2)));
    CHECK(std::isnan(reduced(Agg::max, {3, NAN, 4}).real()));
    CHECK(reduced(Agg::any, {0, 1, 0}, DType::boolean) == 1.0);
    CHECK(reduced(Agg::any, {0, 0}, DType::boolean) == 0.0);
    CHECK(reduced(Agg::all, {1, 1}, DType::boolean) == 1.0);
    CHECK(reduced(Agg::all, {1, 0}, DType::boolean) == 0.0);
}

TEST_CASE("aggregating nothing gives the neutral element", "[relation][interpret]") {
    auto empty = [](Agg agg, DType dtype) {
        return result_of({"ij->i", {{2, 0}}, {{}}, {.agg = agg, .dtype = dtype}, dtype});
    };
    CHECK(empty(Agg::sum, DType::f64) == Numbers{0, 0});
    CHECK(empty(Agg::prod, DType::i32) == Numbers{1, 1});
    CHECK(empty(Agg::min, DType::f64) == Numbers{inf, inf});
    CHECK(empty(Agg::max, DType::i8) == Numbers{-128, -128});
    CHECK(empty(Agg::all, DType::boolean) == Numbers{1, 1});
    CHECK(result_of({"ij->ij", {{2, 0}}, {{}}}).empty());
    CHECK(result_of({"ij,jk->ik", {{2, 0}, {0, 2}}, {{}, {}}}) == Numbers{0, 0, 0, 0});
}

TEST_CASE("the reference evaluates joins: tropical products, indices, params, comparisons", "[relation][interpret]") {
    CHECK(result_of({"ij,jk->ik", {{2, 2}, {2, 2}}, {{1, 5, 2, 0}, {3, 1, 1, 9}}, {.join = "x+y", .agg = Agg::min}}) ==
          Numbers{4, 2, 1, 3});
    CHECK(result_of({"ij,jk->ik", {{1, 2}, {2, 1}}, {{1, 5}, {4, 4}}, {.join = "abs(x-y)", .agg = Agg::max}}) ==
          Numbers{3});
    CHECK(result_of({"ik->ik",
                     {{2, 2}},
                     {{1, 2, 3, 4}},
                     {.join = "where([i] >= [k], eta*x, -inf)"},
                     DType::f64,
                     {{"eta", 10}}}) == Numbers{10, -inf, 30, 40});
    CHECK(result_of({"ik->i", {{2, 2}}, {{1, 2, 3, 4}}, {.join = "x * [k]"}}) == Numbers{2, 4});
    CHECK(result_of({"i,i->", {{3}, {3}}, {{1, 2, 3}, {2, 2, 2}}, {.join = "x >= y", .dtype = DType::f64}}) ==
          Numbers{2});
}

TEST_CASE("integers wrap, bools are logic, complex numbers multiply", "[relation][interpret]") {
    CHECK(result_of({"i->", {{3}}, {{100, 100, 100}}, {.dtype = DType::i8}, DType::i8}) == Numbers{44});
    CHECK(result_of({"i,i->i", {{2}, {2}}, {{16, 200}, {17, 2}}, {.dtype = DType::u8}, DType::u8}) == Numbers{16, 144});
    CHECK(
        result_of({"ij,jk->ik", {{2, 2}, {2, 1}}, {{1, 0, 0, 0}, {1, 1}}, {.dtype = DType::boolean}, DType::boolean}) ==
        Numbers{1, 0});
    std::complex<double> const i{0, 1};
    CHECK(result_of({"i,i->", {{2}, {2}}, {{1.0 + i, 2.0}, {i, 3.0 * i}}, {.dtype = DType::c128}, DType::c128}) ==
          Numbers{-1.0 + 7.0 * i});
    CHECK(result_of({"i->i", {{1}}, {{1.0 + i}}, {.join = "conj(x)", .dtype = DType::c64}, DType::c64}) ==
          Numbers{1.0 - i});
    CHECK(result_of({"i->i", {{2}}, {{3.0 + 4.0 * i, -5.0}}, {.join = "abs(x)", .dtype = DType::f64}, DType::c128}) ==
          Numbers{5, 5});
}

TEST_CASE("results are rounded once, to the type of the output", "[relation][interpret]") {
    // 1 + 2^-12 repeated: f16 partial sums would lose every addend.
    Numbers addends(1024, std::pow(2.0, -12));
    addends.insert(addends.begin(), 1.0);
    CHECK(result_of({"i->", {{1025}}, {addends}, {.dtype = DType::f16}, DType::f16}) == Numbers{1.25});
    CHECK(result_of({"i->i", {{1}}, {{0.1}}, {.dtype = DType::f32}}) == Numbers{static_cast<double>(0.1f)});
    CHECK(result_of({"i->i", {{2}}, {{2.9, -2.9}}, {.dtype = DType::i32}}) == Numbers{2, -2});
    CHECK(std::signbit(result_of({"i->i", {{1}}, {{-0.0}}}).front().real()));
}

TEST_CASE("a param without a value is an InputError that names the node", "[relation][interpret]") {
    test::GraphBuilder builder;
    builder.leaf("X", {2});
    builder.param("eta", 2);
    ValueId const out = builder.einsum("out", "i->i", {"X"}, {.join = "eta*x"});
    graph::EinGraph graph = builder.finish({"out"});
    test::Leaves leaves;
    leaves.put("X", test::tensor_of(DType::f64, {2}, {1, 2}));
    CHECK(test::numbers_of(relation::Interpreter(graph, leaves.reader(graph), {{"eta", 5}}).whole(out)) ==
          Numbers{5, 10});
    graph.params.clear();
    try {
        relation::Interpreter(graph, leaves.reader(graph)).whole(out);
        FAIL("accepted");
    } catch (InputError const& error) {
        CHECK(error.faults().at(0).where == "node 'out'");
    }
}
