#include "lib/scalar/expression/parse/spellings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/text/module_names.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();

Names const three{3, {"i"}, {"eta"}};

Expr read(std::string const& text, Names const& names = three) {
    ParseResult result = parse(text, names);
    CAPTURE(text);
    for (ParseFault const& fault : result.faults) FAIL(fault.expected + ", found " + fault.found);
    return result.expr;
}

ParseFault refused(std::string const& text, Names const& names = three) {
    ParseResult const result = parse(text, names);
    CAPTURE(text);
    REQUIRE_FALSE(result.faults.empty());
    return result.faults.front();
}

/// The value of an expression of x, and y.
double value(std::string const& text, double x, double y = 0) {
    std::vector<Scalar> const operands{Scalar::of(std::complex(x)), Scalar::of(std::complex(y)),
                                       Scalar::of(std::complex(0.0))};
    Scalar const result = evaluate(read(text), DType::f64, DType::f64, operands, {}, {});
    return result.is_integer ? static_cast<double>(result.integer) : result.number.real();
}

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace

TEST_CASE("every taken spelling reads as what it means, and prints so", "[lib][scalar][spellings]") {
    std::vector<Taken> rows;
    for (auto const& table : {taken_operators(), taken_functions(), taken_constants()})
        rows.insert(rows.end(), table.begin(), table.end());
    for (Taken const& row : rows) {
        std::string const written(row.written), means(row.means);
        CAPTURE(written, means);
        CHECK(read(written) == read(means));
        CHECK(print(read(written), three) == print(read(means), three));
        CHECK(read(print(read(written), three)) == read(written));
    }
}

TEST_CASE("what could mean two things is refused with both", "[lib][scalar][spellings]") {
    for (TwoMeanings const& row : ambiguous_spellings()) {
        std::string const written(row.written), arguments = written == "leaky_relu" ? "(x)" : "(x, y)";
        ParseFault const fault = refused(written == "//" ? "x // y" : written + arguments);
        CAPTURE(written);
        CHECK(fault.expected == "a spelling that means one thing");
        CHECK(fault.found == "'" + written + "'");
        CHECK(fault.fix == "write " + std::string(row.one) + ", or " + std::string(row.other));
    }
}

TEST_CASE("a table has each spelling once, and none that is ours", "[lib][scalar][spellings]") {
    std::vector<std::string_view> seen;
    for (Taken const& row : taken_functions()) {
        CAPTURE(row.written);
        CHECK(std::find(seen.begin(), seen.end(), row.written) == seen.end());
        seen.push_back(row.written);
    }
    CHECK(taken_arities("elu") == std::vector<std::size_t>{1, 2});
    CHECK(taken_arities("abs").empty());
}

TEST_CASE("the grammar of Python's words, choices and chains", "[lib][scalar][spellings]") {
    struct Row {
        char const* written;
        char const* means;
    };
    auto const row = GENERATE(values<Row>({{"x ** y ** z", "x^(y^z)"},
                                           {"-x ** 2", "-(x^2)"},
                                           {"x % y * z", "mod(x, y)*z"},
                                           {"x + y % z", "x + mod(y, z)"},
                                           {"not x and y", "(!x) && y"},
                                           {"not x < y", "!(x < y)"},
                                           {"not not x", "!!x"},
                                           {"x or not y and z", "x || ((!y) && z)"},
                                           {"x if y else z if eta else 1", "where(y, x, where(eta, z, 1))"},
                                           {"x + 1 if y > 0 else z", "where(y > 0, x + 1, z)"},
                                           {"x ? y : z ? 1 : 2", "where(x, y, where(z, 1, 2))"},
                                           {"x > 0 ? y : z", "where(x > 0, y, z)"},
                                           {"max(x if y else z, 1)", "max(where(y, x, z), 1)"},
                                           {"0 < x < 2", "0 < x && x < 2"},
                                           {"x == y != z < 1", "(x == y && y != z) && z < 1"},
                                           {"0 < x < 2 && y", "(0 < x && x < 2) && y"},
                                           {"(x < y) < z", "(x < y) < z"},
                                           {"x*y.conj()", "x*conj(y)"},
                                           {"(x - y).real**2", "real(x - y)^2"},
                                           {"-np.pi*x", "-(pi)*x"},
                                           {"torch.nn.functional.relu(x)", "relu(x)"},
                                           {"np.float32(x) + half(y)", "cast_f32(x) + cast_f16(y)"},
                                           {"1_0.5e1_0", "10.5e10"},
                                           {"x*2j + .5J", "x*complex(0.0, 2.0) + complex(0.0, 0.5)"},
                                           {"x + True", "x + 1"}}));
    CAPTURE(row.written);
    CHECK(read(row.written) == read(row.means));
}

TEST_CASE("operands by the names of tensors, where these mean one thing", "[lib][scalar][spellings]") {
    Names const names{2, {"i"}, {"eta"}, {}, {"A", "eta"}};
    CHECK(read("A*2 - y", names) == read("x*2 - y", names));
    CHECK(refused("eta*A", names).found == "'eta', which is a param and input 1");
    CHECK(refused("eta*A", names).fix == "write y for the input; rename the tensor if a param is meant");
    CHECK(refused("weigts*x", {1, {}, {}, {}, {"weights"}}).fix == "did you mean \"weights\"?");
    Names const twice{2, {}, {}, {}, {"A", "A"}};
    CHECK(refused("A + 1", twice).found == "'A', which is input 0 and input 1");
    CHECK(refused("A + 1", twice).fix == "write x or y");
    CHECK(refused("e*x", {1, {}, {}, {}, {"e"}}).found == "'e', which is a number and input 0");
    CHECK(refused("-e", {1, {}, {}, {}, {"e"}}).found == "'e', which is a number and input 0");
    // x, y, z count the inputs, also where tensors are called so, and then no such name is taken for a tensor.
    CHECK(read("x - y", {2, {}, {}, {}, {"y", "x"}}) == Expr::operand(0) - Expr::operand(1));
    CHECK(read("exp(y)", {1, {}, {}, {}, {"y"}}) == read("exp(x)"));
    CHECK(read("x*z", {2, {}, {}, {}, {"x", "z"}}) == read("x*y"));
    CHECK(refused("y*z", {2, {}, {}, {}, {"y", "z"}}).expected == "an operand of the node");
    CHECK(refused("x1 - x2", {2, {}, {}, {}, {"x1", "x2"}}).found == "'x2'");
    CHECK(read("not*x", {1, {}, {"not"}}) == Expr::param("not") * Expr::operand(0));
    CHECK(read("true + x", {1, {}, {"true"}}) == Expr::param("true") + Expr::operand(0));
}

TEST_CASE("a fault inside a taken function has its place", "[lib][scalar][spellings]") {
    ParseResult const result = parse("x + maximum(y, z)", three);
    REQUIRE(result.faults.empty());
    Node const* const max = &result.expr.args()[1].node();
    REQUIRE(result.places.contains(max));
    CHECK(result.places.at(max) == 4);
    CHECK(refused("foo + np.bar(x) + y.baz").where == 0);
    CHECK(parse("foo + np.bar(x) + y.baz", three).faults.size() == 3);
    CHECK(parse("foo + ) + np.exp(x) and y.baz", three).faults.size() == 2);
}

TEST_CASE("what is written out does not grow beyond bounds", "[lib][scalar][spellings]") {
    auto const nested = [](std::string const& open, int times, std::string const& close) {
        std::string before, behind;
        for (int k = 0; k < times; ++k) before += open, behind += close;
        return before + "x" + behind;
    };
    CHECK(refused(nested("fmax(", 40, ", y)")).expected == "at most 100000 operations, written out");
    CHECK(refused(nested("(y < ", 40, " < z)")).expected == "at most 100000 operations, written out");
    CHECK(refused(nested("mish(", 60, ")")).expected == "at most 100000 operations, written out");
    CHECK(refused(nested("not ", 600, "")).expected == "at most 500 nested operations");
    CHECK(refused(nested("y ? ", 100000, "")).expected == "at most 500 nested operations");
    CHECK(refused(nested("y if z else ", 100000, "")).expected == "at most 500 nested operations");
}

TEST_CASE("taken functions have their library's values, special ones too", "[lib][scalar][spellings]") {
    double const reals[]{0.0, -0.0, 0.5, -0.5, 1, -1, 2.5, -2.5, 3, -3, 7, inf, -inf, none};
    for (double const x : reals) {
        CAPTURE(x);
        CHECK(same(value("trunc(x)", x), std::trunc(x)));
        CHECK(same(value("isfinite(x)", x), std::isfinite(x) ? 1.0 : 0.0));
        CHECK(same(value("isinf(x)", x), std::isinf(x) ? 1.0 : 0.0));
        CHECK(same(value("isnan(x)", x), std::isnan(x) ? 1.0 : 0.0));
        CHECK((std::isnan(x) ? std::isnan(value("relu6(x)", x)) : value("relu6(x)", x) == std::clamp(x, 0.0, 6.0)));
        if (std::fabs(x) <= 1) {
            CHECK(std::fabs(value("arcsin(x)", x) - std::asin(x)) < 1e-15);
            CHECK(std::fabs(value("acos(x)", x) - std::acos(x)) < 1e-15);
        } else {
            CHECK(std::isnan(value("arcsin(x)", x)));
        }
        for (double const y : reals) {
            CAPTURE(y);
            CHECK(same(value("fmod(x, y)", x, y), std::fmod(x, y)));
            CHECK(same(value("hypot(x, y)", x, y), std::hypot(x, y)));
            CHECK((same(value("fmax(x, y)", x, y), std::fmax(x, y)) || x == y));
            CHECK((same(value("fmin(x, y)", x, y), std::fmin(x, y)) || x == y));
            CHECK(same(value("logical_xor(x, y)", x, y), (x != 0) != (y != 0)));
            CHECK(same(value("0 < x < y", x, y), 0 < x && x < y));
        }
    }
    CHECK(std::fabs(value("logaddexp(x, y)", 1, 2) - std::log(std::exp(1) + std::exp(2))) < 1e-15);
    CHECK(value("logaddexp(x, y)", -inf, -inf) == -inf);
    CHECK(value("logaddexp(x, y)", inf, inf) == inf);
    CHECK(std::fabs(value("logaddexp(x, y)", 3, 3) - 3 - std::log(2)) < 1e-15);
    CHECK(value("sinc(x)", 0) == 1);
    CHECK(std::fabs(value("log10(x)", 1000) - 3) < 1e-15);
    CHECK(value("heaviside(x, y)", 0, 0.5) == 0.5);
    CHECK(std::isnan(value("heaviside(x, y)", none, 0.5)));
}

TEST_CASE("fmod of integers has C's values, up to the least number", "[lib][scalar][spellings]") {
    auto const rest = [](DType dtype, int x, int y) {
        std::vector<Scalar> const operands{Scalar::of(std::int64_t{x}), Scalar::of(std::int64_t{y})};
        return evaluate(read("fmod(x, y)"), dtype, dtype, operands, {}, {}).integer;
    };
    for (int const x : {-128, -127, -9, -1, 0, 1, 5, 127})
        for (int const y : {-128, -127, -3, -1, 1, 4, 127}) {
            CAPTURE(x, y);
            CHECK(rest(DType::i8, x, y) == x % y);
            if (x >= 0 && y > 0) CHECK(rest(DType::u8, 2 * x, 2 * y) == 2 * x % (2 * y));
        }
}

TEST_CASE("modules before a name are left out", "[lib][base]") {
    CHECK(without_modules("np.float32") == "float32");
    CHECK(without_modules("torch.nn.functional.relu") == "relu");
    CHECK(without_modules("layer.weight") == "layer.weight");
    CHECK(without_modules("relu") == "relu");
}
