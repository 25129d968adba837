// Cotangents against central differences of the reference: every function at several points, real and complex.
#include "lib/scalar/derivative/pullback.hpp"

#include <cmath>
#include <set>

#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/type.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

using Complex = std::complex<double>;

constexpr Complex weight{0.7, -1.3};  // of the value in the loss Re(conj(weight) f)

Names const names{3, {"i"}, {"p"}};
Params const params{{"p", 1.5}};

Expr parsed(std::string const& text, int operands = 3) {
    ParseResult const result = parse(text, {operands, names.labels, names.params});
    CAPTURE(text);
    REQUIRE(result.faults.empty());
    return result.expr;
}

std::string shown(Expr const& expr) {
    return expr.empty() ? "0" : print(simplify(expr, DType::f64), {4, names.labels, names.params});
}

Complex value_of(Expr const& expr, DType compute, std::vector<Complex> const& at) {
    std::vector<Scalar> operands;
    for (Complex x : at) operands.push_back(Scalar::of(x));
    std::vector<std::int64_t> const labels{2};
    Scalar const value = evaluate(expr, compute, compute, operands, labels, params);
    return value.is_integer ? Complex(static_cast<double>(value.integer)) : value.number;
}

double loss(Expr const& expr, DType compute, std::vector<Complex> const& at) {
    return (std::conj(weight) * value_of(expr, compute, at)).real();
}

/// dL/dRe + i dL/dIm of operand k (of real operands: the first alone).
Complex differences(Expr const& expr, DType compute, std::vector<Complex> at, std::size_t k) {
    constexpr double h = 1e-6;
    auto along = [&](Complex step) {
        std::vector<Complex> more = at, less = at;
        more[k] += step, less[k] -= step;
        return (loss(expr, compute, more) - loss(expr, compute, less)) / (2 * h);
    };
    return {along(h), is_complex(compute) ? along({0, h}) : 0.0};
}

void check(std::string const& text, DType compute, std::vector<Complex> const& at) {
    Expr const expr = parsed(text);
    bool const complex_value = is_complex(type_of(expr, compute, compute).type);
    Expr const seed = complex_value ? Expr::number(weight) : Expr::number(weight.real());
    auto const cotangents = pullback(expr, compute, seed, {true, true, true});
    for (std::size_t k = 0; k < 3; ++k) {
        Complex const found = cotangents[k].empty() ? Complex(0) : value_of(cotangents[k], compute, at);
        Complex const expected = differences(expr, compute, at, k);
        CAPTURE(text, at, k, shown(cotangents[k]), found, expected);
        CHECK(std::abs(found - expected) <= 2e-8 * (1 + std::abs(expected)));
        if (!cotangents[k].empty()) CHECK(type_of(cotangents[k], compute, compute).problem.empty());
    }
}

}  // namespace

TEST_CASE("cotangents of every function agree with differences", "[lib][scalar][pullback]") {
    std::vector<std::string> const texts{"-x",
                                         "abs(x)",
                                         "sign(x)*x",
                                         "floor(x)*x",
                                         "ceil(x)*y",
                                         "round(x)+x",
                                         "sqrt(abs(x)+1)",
                                         "rsqrt(abs(x)+1)",
                                         "cbrt(x+3)",
                                         "exp(x)",
                                         "exp2(x)",
                                         "expm1(x)",
                                         "log(abs(x)+1)",
                                         "log2(abs(x)+1)",
                                         "log1p(abs(x))",
                                         "sin(x)",
                                         "cos(x)",
                                         "tan(x)",
                                         "atan(x)",
                                         "sinh(x)",
                                         "cosh(x)",
                                         "tanh(x)",
                                         "erf(x)",
                                         "sigmoid(x)",
                                         "relu(x)",
                                         "silu(x)",
                                         "gelu(x)",
                                         "softplus(x)",
                                         "conj(x)",
                                         "real(x)",
                                         "imag(x)",
                                         "cast_f64(x)*y",
                                         "cast_i32(x)*y",
                                         "cast_c128(x)*y",
                                         "x+y",
                                         "x-y",
                                         "x*y",
                                         "x/y",
                                         "x^2",
                                         "x^3",
                                         "abs(x)^y",
                                         "x^-2",
                                         "abs(x)^p",
                                         "2^x",
                                         "p^x",
                                         "abs(x)^[i]",
                                         "mod(x, y)",
                                         "mod(x, 0.3)",
                                         "atan2(x, y)",
                                         "min(x, y)",
                                         "max(x, y, z)",
                                         "max(x, 0)",
                                         "x < y",
                                         "(x < y)*z",
                                         "x == y",
                                         "x && y",
                                         "!x",
                                         "complex(x, y)",
                                         "complex(x*y, z)*z",
                                         "abs(complex(x, y))",
                                         "where(x > y, x*z, y/z)",
                                         "where(x, y, z)",
                                         "where(x > 0, log(x), z)",
                                         "where(x > 0, sqrt(x)*3, 0)/z",
                                         "x*x*x",
                                         "x*y*z",
                                         "x/y/z",
                                         "exp(x-y)/z",
                                         "(x-y)^2*exp(-x*y)",
                                         "tanh(x*y+z)/(1+exp(x))",
                                         "[i]*x + p*y",
                                         "x + x*x - x/y",
                                         "sin(sin(sin(x)))"};
    std::vector<std::vector<Complex>> const points{
        {0.4, 1.3, -0.7}, {-1.25, 0.6, 2.1}, {2.3, -0.8, 0.5}, {-0.33, -1.9, -1.1}};
    for (std::string const& text : texts)
        for (auto const& at : points) check(text, DType::f64, at);

    std::set<Op> covered;
    auto cover = [&](auto const& self, Expr const& expr) -> void {
        covered.insert(expr.op());
        for (Expr const& arg : expr.args()) self(self, arg);
    };
    for (std::string const& text : texts) cover(cover, parsed(text));
    for (int k = 0; k < op_count; ++k) {
        Op const op = static_cast<Op>(k);
        bool const constant = op == Op::position || (op >= Op::lt && op <= Op::logical_or);  // their slope is 0
        bool const of_table = info(op).pull == PullRule::slope;  // operations/table_test.cpp walks them
        CAPTURE(info(op).name);
        CHECK((constant || of_table || covered.count(op) == 1));
    }
}

TEST_CASE("cotangents of complex functions are dL/dRe + i dL/dIm", "[lib][scalar][pullback]") {
    std::vector<std::string> const texts{"-x",
                                         "x+y",
                                         "x-y",
                                         "x*y",
                                         "x/y",
                                         "x*conj(y)",
                                         "conj(x)/conj(y)",
                                         "abs(x)",
                                         "abs(x)*y",
                                         "real(x)",
                                         "imag(x)",
                                         "real(x)*imag(y)",
                                         "real(x*conj(x))",
                                         "complex(real(x), abs(y))",
                                         "complex(imag(x), 2)*y",
                                         "sqrt(x)",
                                         "rsqrt(x)",
                                         "exp(x)",
                                         "exp2(x)",
                                         "expm1(x)",
                                         "log(x)",
                                         "log2(x)",
                                         "log1p(x)",
                                         "sin(x)",
                                         "cos(x)",
                                         "tan(x)",
                                         "atan(x)",
                                         "sinh(x)",
                                         "cosh(x)",
                                         "tanh(x)",
                                         "sigmoid(x)",
                                         "silu(x)",
                                         "x^2",
                                         "x^3",
                                         "x^2.5",
                                         "x^y",
                                         "2^x",
                                         "where(real(x) > 0, x*y, z)",
                                         "cast_f64(x)*y",
                                         "max(real(x), real(y))*z",
                                         "atan2(imag(x), real(x))*y",
                                         "exp(complex(0, 1)*x)",
                                         "real(x)*real(x) + y"};
    std::vector<std::vector<Complex>> const points{{{0.4, 1.1}, {1.3, -0.4}, {-0.7, 0.2}},
                                                   {{1.2, -0.3}, {0.6, 0.9}, {2.1, 0.0}},
                                                   {{-0.5, 0.8}, {-0.3, -0.7}, {0.1, -1.5}}};
    for (std::string const& text : texts)
        for (auto const& at : points) check(text, DType::c128, at);
}

TEST_CASE("cotangents carry no needless operations", "[lib][scalar][pullback]") {
    struct Row {
        std::string expr;
        std::vector<std::string> cotangents;  // of x and y, from w
    };
    auto const row = GENERATE(values<Row>({{"x*y", {"w*y", "w*x"}},
                                           {"x+y", {"w", "w"}},
                                           {"x-y", {"w", "-w"}},
                                           {"-x", {"-w", "0"}},
                                           {"2*x", {"w*2", "0"}},
                                           {"x*x", {"2*(w*x)", "0"}},
                                           {"x^2", {"w*(2*x)", "0"}},
                                           {"x/y", {"w/y", "-(w*(x/y)/y)"}},
                                           {"exp(x-y)", {"w*exp(x-y)", "-(w*exp(x-y))"}},
                                           {"relu(x)", {"where(x>0, w, 0)", "0"}},
                                           {"where(x > 0, log(x), y)", {"where(x>0, w/x, 0)", "where(x>0, 0, w)"}},
                                           {"floor(x) + y", {"0", "w"}},
                                           {"x > y", {"0", "0"}},
                                           {"sigmoid(x)", {"w*(sigmoid(x)*(1-sigmoid(x)))", "0"}}}));
    auto const cotangents = pullback(parsed(row.expr, 2), DType::f64, Expr::operand(3), {true, true});
    auto spelled = [](std::string text) {
        std::erase(text, ' ');
        for (std::size_t at; (at = text.find("x0")) != std::string::npos;) text.replace(at, 2, "x");
        for (std::size_t at; (at = text.find("x1")) != std::string::npos;) text.replace(at, 2, "y");
        for (std::size_t at; (at = text.find("x3")) != std::string::npos;) text.replace(at, 2, "w");
        return text;
    };
    CAPTURE(row.expr);
    for (std::size_t k = 0; k < 2; ++k) CHECK(spelled(shown(cotangents[k])) == spelled(row.cotangents[k]));
}

TEST_CASE("corners have the slopes that pullback.hpp states", "[lib][scalar][pullback]") {
    auto slope = [](std::string const& text, double at) {
        return value_of(pullback(parsed(text), DType::f64, Expr::number(1.0), {true, false, false})[0], DType::f64,
                        {at, 1, 0})
            .real();
    };
    CHECK(slope("relu(x)", 0) == 0);
    CHECK(slope("abs(x)", 0) == 0);
    CHECK(slope("max(x, y)", 1) == 0.5);
    CHECK(slope("min(x, y)", 1) == 0.5);
    CHECK(slope("max(x, x)", 1) == 1);
    CHECK(slope("x^y", 0) == 1);
    CHECK(slope("where(x > 0, sqrt(x), 0)", -1) == 0);  // not 0 * nan
    CHECK(slope("where(x == 0, 1, sin(x)/x)", 0) == 0);
    CHECK(slope("tanh(x)", 1e6) == 0);
    CHECK(slope("sigmoid(x)", -1e6) == 0);
    CHECK(slope("softplus(x)", 1e6) == 1);
    CHECK(slope("gelu(x)", -1e6) == 0);
    CHECK(slope("logaddexp(x, y)", 1) == 0.5);
    CHECK(slope("logaddexp(0, x)", 0) == 0.5);
}

TEST_CASE("operands behind steps are not differentiable", "[lib][scalar][pullback]") {
    auto of = [](std::string const& text) { return differentiable_operands(parsed(text), DType::f32, 3); };
    CHECK(of("floor(x) + y") == std::vector{false, true, false});
    CHECK(of("where(x > y, z, 0)") == std::vector{false, false, true});
    CHECK(of("cast_i64(x)*cast_bf16(y)") == std::vector{false, true, false});
    CHECK(of("z^0 + x^2") == std::vector{true, false, false});
    CHECK(of("x < y") == std::vector{false, false, false});
    CHECK(differentiable_operands(parsed("x*y"), DType::i32, 3) == std::vector{false, false, false});
}

TEST_CASE("the cotangents of a long chain are as long as the chain", "[lib][scalar][pullback]") {
    std::string text = "x";
    for (int k = 0; k < 400; ++k) text = "sin(" + text + ")";
    double const found = value_of(pullback(parsed(text), DType::f64, Expr::number(1.0), {true, false, false})[0],
                                  DType::f64, {0.5, 0, 0})
                             .real();
    double expected = 1, at = 0.5;
    for (int k = 0; k < 400; ++k) expected *= std::cos(at), at = std::sin(at);
    CHECK(std::abs(found - expected) <= 1e-12);
}
