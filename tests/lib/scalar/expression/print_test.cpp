#include "tests/lib/scalar/random_expression.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

TEST_CASE("whatever prints reads back as an equal expression", "[lib][scalar][print]") {
    Names const names =
        GENERATE(values<Names>({{0, {}, {}}, {2, {"i", "long label"}, {"eta"}}, {5, {"a+b"}, {"p", "q1"}}}));
    RandomExpression draw(7, names);
    for (int k = 0; k < 4000; ++k) {
        Expr const expr = draw.draw(1 + k % 6);
        std::string const text = print(expr, names);
        ParseResult const back = parse(text, names);
        CAPTURE(text);
        REQUIRE(back.faults.empty());
        REQUIRE(back.expr == expr);
        REQUIRE(print(back.expr, names) == text);
    }
}

TEST_CASE("numbers read back to the same bits", "[lib][scalar][print]") {
    RandomExpression draw(8, {});
    for (int k = 0; k < 5000; ++k) {
        double const value =
            __builtin_bit_cast(double, (static_cast<std::uint64_t>(draw.random()()) << 32) | draw.random()());
        Expr const expr = Expr::number(value);
        CAPTURE(value);
        REQUIRE(parse(print(expr, {}), {}).expr == expr);
    }
}

TEST_CASE("equality tells kinds of numbers apart but not nans", "[lib][scalar][expr]") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(Expr::number(nan) == Expr::number(-nan));
    CHECK_FALSE(Expr::number(2.0) == Expr::integer(2));
    CHECK_FALSE(Expr::number(0.0) == Expr::number(-0.0));
    CHECK_FALSE(Expr::operand(0) == Expr::index(0));
    CHECK(Expr::number({1.0, 2.0}) == Expr::call(Op::complex, {Expr::number(1.0), Expr::number(2.0)}));
    CHECK(Expr{} == Expr{});
    CHECK_FALSE(Expr{} == Expr::integer(0));
}

TEST_CASE("leaves are listed in order, each once, and can be replaced", "[lib][scalar][expr]") {
    Names const names{3, {"i", "j"}, {"b", "a"}};
    Expr const expr = parse("b*z + where([j] > [i], x*a, x*b)", names).expr;
    CHECK(operands_of(expr) == std::vector<int>{0, 2});
    CHECK(labels_of(expr) == std::vector<int>{0, 1});
    CHECK(params_of(expr) == std::vector<std::string>{"a", "b"});
    std::vector<Expr> const operands{Expr::operand(2), Expr::operand(1), parse("x + y", names).expr};
    std::vector<int> const labels{1, 0};
    CHECK(print(substitute(expr, operands, labels), names) == "b*(x + y) + where([i] > [j], z*a, z*b)");
    CHECK(substitute(expr, {}, {}) == expr);
}
