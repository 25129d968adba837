#include "lib/scalar/evaluate/evaluate.hpp"

#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/type.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
double const no_number = std::numeric_limits<double>::quiet_NaN();

Names const names{2, {"i", "k"}, {"eta"}};

Scalar value(std::string const& text, DType type, Scalar x, Scalar y = Scalar::of(std::int64_t{0})) {
    ParseResult const parsed = parse(text, names);
    REQUIRE(parsed.faults.empty());
    std::vector<Scalar> const operands{x, y};
    std::vector<std::int64_t> const labels{3, 5};
    return evaluate(parsed.expr, type, type, operands, labels, {{"eta", 0.1}});
}

double real(std::string const& text, double x, double y = 0) {
    return value(text, DType::f64, Scalar::of({x, 0.0}), Scalar::of({y, 0.0})).number.real();
}

std::int64_t integer(std::string const& text, DType type, std::int64_t x, std::int64_t y = 0) {
    Scalar const result = value(text, type, Scalar::of(x), Scalar::of(y));
    REQUIRE(result.is_integer);
    return result.integer;
}

std::complex<double> complex(std::string const& text, std::complex<double> x, std::complex<double> y = 0) {
    return value(text, DType::c128, Scalar::of(x), Scalar::of(y)).number;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("functions of reals are the C library's and NumPy's, special values too", "[lib][scalar][evaluate]") {
    using Function = double (*)(double);
    std::vector<std::pair<std::string, Function>> const functions{
        {"-x", [](double x) { return -x; }},
        {"abs(x)", [](double x) { return std::fabs(x); }},
        {"floor(x)", std::floor},
        {"ceil(x)", std::ceil},
        {"round(x)", std::nearbyint},
        {"sqrt(x)", std::sqrt},
        {"conj(x)", [](double x) { return x; }},
        {"imag(x)", [](double) { return 0.0; }},
        {"sign(x)", [](double x) { return std::isnan(x) ? x : double(x > 0) - double(x < 0); }},
        {"relu(x)", [](double x) { return x < 0 ? 0 : x; }},
    };
    std::vector<std::pair<std::string, long double (*)(long double)>> const rounded_once{
        {"cbrt(x)", std::cbrt}, {"exp(x)", std::exp},
        {"exp2(x)", std::exp2}, {"expm1(x)", std::expm1},
        {"log(x)", std::log},   {"log2(x)", std::log2},
        {"sin(x)", std::sin},   {"log1p(x)", std::log1p},
        {"cos(x)", std::cos},   {"tan(x)", std::tan},
        {"atan(x)", std::atan}, {"sinh(x)", std::sinh},
        {"cosh(x)", std::cosh}, {"tanh(x)", std::tanh},
        {"erf(x)", std::erf},   {"rsqrt(x)", [](long double x) { return 1 / std::sqrt(x); }}};
    for (double const x :
         {0.0, -0.0, 0.5, -0.5, 1.0, 2.5, -2.5, 3.5, 700.0, -700.0, 1e-300, 5e-324, 1e300, inf, -inf, no_number}) {
        for (auto const& [text, function] : functions) {
            CAPTURE(text, x);
            CHECK(same(real(text, x), function(x)));
        }
        for (auto const& [text, function] : rounded_once) {
            CAPTURE(text, x);
            CHECK(same(real(text, x), static_cast<double>(function(x))));
        }
    }
}

TEST_CASE("the smooth steps keep their digits far from zero", "[lib][scalar][evaluate]") {
    CHECK(real("sigmoid(x)", 0) == 0.5);
    CHECK(real("sigmoid(x)", 800) == 1);
    CHECK(real("sigmoid(x)", -740) == Approx(std::exp(-740)));
    CHECK(real("silu(x)", -30) == Approx(-30 * std::exp(-30)));
    CHECK(real("silu(x)", -748) == static_cast<double>(-748 * std::exp(-748.0L)));  // e^-748 is no f64
    CHECK(real("softplus(x)", 1000) == 1000);
    CHECK(real("softplus(x)", -40) == Approx(std::exp(-40)));
    CHECK(real("softplus(x)", inf) == inf);
    CHECK(real("softplus(x)", -inf) == 0);
    CHECK(real("gelu(x)", 1) == Approx(0.8413447460685429));
    CHECK(real("gelu(x)", -10) == Approx(-7.619853024160527e-23).epsilon(1e-12));
    for (char const* const text : {"sigmoid(x)", "silu(x)", "softplus(x)", "gelu(x)", "relu(x)", "sign(x)"})
        CHECK(std::isnan(real(text, no_number)));
}

TEST_CASE("mod, min, max, pow and atan2 follow NumPy", "[lib][scalar][evaluate]") {
    CHECK(real("mod(x, y)", -1, 3) == 2);
    CHECK(real("mod(x, y)", 1, -3) == -2);
    CHECK(real("mod(x, y)", -6, 3) == 0);
    CHECK(real("mod(x, y)", 5.5, 2) == 1.5);
    CHECK(real("mod(x, y)", 1, inf) == 1);
    CHECK(real("mod(x, y)", -1, inf) == inf);
    CHECK(std::isnan(real("mod(x, y)", 1, 0)));
    CHECK(std::isnan(real("mod(x, y)", inf, 2)));
    CHECK(std::isnan(real("min(x, y)", no_number, 1)));
    CHECK(std::isnan(real("min(x, y)", 1, no_number)));
    CHECK(std::isnan(real("max(x, y)", no_number, 1)));
    CHECK(std::isnan(real("max(x, y)", 1, no_number)));
    CHECK(real("max(x, y, 7)", 1, 2) == 7);
    CHECK(real("x^y", -inf, 0.5) == inf);
    CHECK(real("x^0", no_number) == 1);
    CHECK(real("x^0.5", 2) == std::sqrt(2.0));
    CHECK(std::isnan(real("x^y", -8, 1.0 / 3)));
    CHECK(real("atan2(x, y)", 1, -1) == std::atan2(1.0, -1.0));
    CHECK(real("round(x)", 2.5) == 2);
}

TEST_CASE("comparisons and logic treat nan as C does and as true", "[lib][scalar][evaluate]") {
    CHECK(value("x < y", DType::f64, Scalar::of({no_number, 0}), Scalar::of({1, 0})).integer == 0);
    CHECK(value("x != x", DType::f64, Scalar::of({no_number, 0})).integer == 1);
    CHECK(value("!x", DType::f64, Scalar::of({no_number, 0})).integer == 0);
    CHECK(real("where(x, 1, 2)", no_number) == 1);
    CHECK(real("where(x, 1, 2)", 0) == 2);
    CHECK(real("where(x > 1 && y < 1 || x == -3, x, y)", 2, 0) == 2);
    CHECK(real("[i]*10 + [k] + eta*x", 1) == Approx(35.1));
}

TEST_CASE("integers wrap at their type's width", "[lib][scalar][evaluate]") {
    auto const [text, type, x, y,
                expected] = GENERATE(table<std::string, DType, std::int64_t, std::int64_t, std::int64_t>({
        {"x + y", DType::i8, 100, 100, -56},
        {"x*y", DType::u8, 20, 20, 144},
        {"x - y", DType::u8, 1, 2, 255},
        {"-x", DType::i8, -128, 0, -128},
        {"-x", DType::u8, 1, 0, 255},
        {"abs(x)", DType::i8, -128, 0, -128},
        {"x*y", DType::i32, 65536, 65536, 0},
        {"x + 200", DType::u8, 100, 0, 44},
        {"x^3", DType::i16, 100, 0, 16960},
        {"x^y", DType::i64, 3, 5, 243},
        {"x^y", DType::i64, 2, -1, 0},
        {"x^y", DType::i64, -1, -3, -1},
        {"x^y", DType::i32, 1, -3, 1},
        {"x^y", DType::i32, 0, 0, 1},
        {"mod(x, y)", DType::i32, -7, 3, 2},
        {"mod(x, y)", DType::i32, 7, -3, -2},
        {"mod(x, y)", DType::i32, 7, 0, 0},
        {"mod(x, y)", DType::i64, std::numeric_limits<std::int64_t>::min(), -1, 0},
        {"x + y", DType::i64, std::numeric_limits<std::int64_t>::max(), 1, std::numeric_limits<std::int64_t>::min()},
        {"sign(x)", DType::i8, -5, 0, -1},
        {"relu(x)", DType::i8, -5, 0, 0},
        {"floor(x)", DType::i8, -5, 0, -5},
        {"min(x, y)", DType::i8, -5, 3, -5},
        {"x > 300", DType::u8, 255, 0, 0},
        {"x > -1", DType::u8, 0, 0, 1},
        {"x + y", DType::boolean, 1, 1, 1},
        {"x*y", DType::boolean, 1, 0, 0},
        {"x - y", DType::boolean, 0, 1, -1},
        {"x + 1", DType::boolean, 1, 0, 2},
        {"(x > 0) + (y > 0)", DType::i8, 1, 1, 2},
        {"position(x, 4)", DType::i8, -1, 0, 3},
        {"position(x, 1000)", DType::i8, -1, 0, 999},
        {"imag(x)", DType::i32, 5, 0, 0},
        {"cast_i8(x*1.0)", DType::i32, 300, 0, 44},
        {"cast_bool(x)", DType::i32, -7, 0, 1},
    }));
    CAPTURE(text, x, y);
    CHECK(integer(text, type, x, y) == expected);
}

TEST_CASE("integer 7^1000000000000 wraps as repeated multiplication does", "[lib][scalar][evaluate]") {
    std::uint64_t expected = 1, base = 7;
    for (std::uint64_t n = 1000000000000; n > 0; n /= 2) {
        if (n % 2 == 1) expected *= base;
        base *= base;
    }
    CHECK(integer("x^y", DType::i64, 7, 1000000000000) == static_cast<std::int64_t>(expected));
}

TEST_CASE("positions outside the extent are refused with the allowed range", "[lib][scalar][evaluate]") {
    for (std::int64_t const index : {4L, -5L}) {
        try {
            integer("position(x, 4)", DType::i32, index);
            FAIL("accepted");
        } catch (InputError const& error) {
            CHECK(error.faults().front().expected == "an index from -4 to 3");
            CHECK(error.faults().front().found == std::to_string(index));
        }
    }
}

TEST_CASE("complex numbers", "[lib][scalar][evaluate]") {
    using C = std::complex<double>;
    C const a{1, 2}, b{-3, 0.5};
    auto const close = [](C x, C y) { return std::abs(x - y) <= 1e-14 * (1 + std::abs(y)); };
    CHECK(complex("x*y", a, b) == C(-4, -5.5));
    CHECK(close(complex("x/y", a, b), a / b));
    CHECK(complex("x + y - 1", a, b) == C(-3, 2.5));
    CHECK(complex("conj(x)", a) == std::conj(a));
    CHECK(complex("abs(x)", C(3, 4)) == 5.0);
    CHECK(complex("real(x)*10 + imag(x)", a) == 12.0);
    CHECK(complex("complex(1, 2)*x", a) == C(-3, 4));
    CHECK(complex("x^2", a) == C(-3, 4));
    CHECK(complex("x^0", C(0, 0)) == 1.0);
    CHECK(complex("x^y", C(0, 0), C(2, 0)) == 0.0);
    CHECK(close(complex("x^-3", a), 1.0 / (a * a * a)));
    CHECK(close(complex("x^y", a, b), std::pow(a, b)));
    CHECK(close(complex("exp(x)", a), std::exp(a)));
    CHECK(close(complex("expm1(x)", C(1e-10, 1e-10)), C(1e-10, 1e-10)));
    CHECK(close(complex("log1p(x)", a), std::log(1.0 + a)));
    CHECK(std::abs(complex("log1p(x)", C(1e-18, 1e-20)) - C(1e-18, 1e-20)) < 1e-30);
    CHECK(close(complex("log2(x)", C(8, 0)), 3.0));
    CHECK(close(complex("exp2(x)", C(3, 0)), 8.0));
    CHECK(close(complex("sqrt(x)", C(-4, 0)), C(0, 2)));
    CHECK(close(complex("rsqrt(x)", C(-4, 0)), C(0, -0.5)));
    CHECK(close(complex("tanh(x) + sin(x)*cos(x)*tan(x) + atan(x) + sinh(x)*cosh(x)", b),
                std::tanh(b) + std::sin(b) * std::cos(b) * std::tan(b) + std::atan(b) + std::sinh(b) * std::cosh(b)));
    CHECK(close(complex("sigmoid(x)", C(-800, 1)), 0.0));
    CHECK(close(complex("silu(x)", a), a / (1.0 + std::exp(-a))));
    CHECK(value("x == y", DType::c64, Scalar::of(a), Scalar::of(a)).integer == 1);
    CHECK(value("x != y", DType::c64, Scalar::of(a), Scalar::of(std::conj(a))).integer == 1);
}

TEST_CASE("inverse hyperbolic functions have NumPy's values and branch cuts", "[lib][scalar][evaluate]") {
    using C = std::complex<double>;
    constexpr double quarter = 1.5707963267948966;  // pi / 2
    struct Row {
        char const* function;
        C x, value;
    };
    for (auto const& [function, x, value] : {Row{"asinh(x)", {0.5, -1.25}, {0.8988936293694826, -1.0611857724687426}},
                                             {"asinh(x)", {0.0, 2}, {1.3169578969248166, quarter}},
                                             {"asinh(x)", {-0.0, 2}, {-1.3169578969248166, quarter}},
                                             {"asinh(x)", {-2, -0.0}, {-1.4436354751788103, -0.0}},
                                             {"asinh(x)", {1e-9, 3e-9}, {1e-9, 2.9999999999999996e-9}},
                                             {"acosh(x)", {0.5, -1.25}, {1.0855765577207785, -1.262814955222778}},
                                             {"acosh(x)", {-2, 0.0}, {1.3169578969248166, 2 * quarter}},
                                             {"acosh(x)", {-2, -0.0}, {1.3169578969248166, -2 * quarter}},
                                             {"acosh(x)", {-1e12, 5e11}, {28.4357400721456, 2.677945044588987}},
                                             {"atanh(x)", {0.5, -1.25}, {0.1858945085467093, -0.9425141129396175}},
                                             {"atanh(x)", {-2, 0.0}, {-0.5493061443340549, quarter}},
                                             {"atanh(x)", {-2, -0.0}, {-0.5493061443340549, -quarter}},
                                             {"atanh(x)", {1e-9, 3e-9}, {9.999999999999999e-10, 3e-9}}}) {
        CAPTURE(function, x);
        CHECK(std::abs(complex(function, x) - value) <= 1e-15 * std::abs(value));
    }
    CHECK(std::isnan(real("acosh(x)", 0.5)));
    CHECK(std::isnan(real("atanh(x)", 1.5)));
    CHECK(real("atanh(x)", -1) == -inf);
    CHECK(value("asinh(x)", DType::i32, Scalar::of(std::int64_t{2})).number.real() == std::asinh(2.0));  // in f64
}

TEST_CASE("values convert as NumPy's astype does", "[lib][scalar][evaluate]") {
    auto const number = [](double x) { return Scalar::of(std::complex<double>(x)); };
    CHECK(convert(number(1.0 / 3), DType::f64, DType::f32).number.real() == static_cast<double>(1.0f / 3));
    CHECK(convert(number(1.0 / 3), DType::f64, DType::f16).number.real() == 0.333251953125);
    CHECK(convert(number(1.0 / 3), DType::f64, DType::bf16).number.real() == 0.333984375);
    CHECK(convert(number(70000), DType::f64, DType::f16).number.real() == inf);
    CHECK(convert(number(-2.9), DType::f64, DType::i32).integer == -2);
    CHECK(convert(number(300), DType::f32, DType::i8).integer == 44);
    CHECK(convert(number(no_number), DType::f32, DType::i32).integer == 0);
    CHECK(convert(number(-inf), DType::f32, DType::i64).integer == 0);
    CHECK(convert(number(-0x1p63), DType::f64, DType::i64).integer == std::numeric_limits<std::int64_t>::min());
    CHECK(convert(number(no_number), DType::f32, DType::boolean).integer == 1);
    CHECK(convert(Scalar::of({0.0, 2.0}), DType::c64, DType::boolean).integer == 1);
    CHECK(convert(Scalar::of({3.0, 2.0}), DType::c64, DType::f32).number == 3.0);
    CHECK(convert(Scalar::of(std::int64_t{-1}), DType::i64, DType::u8).integer == 255);
}

TEST_CASE("a value that is converted is rounded once", "[lib][scalar][evaluate]") {
    auto const converted = [](auto value, DType to) {
        bool const whole = std::is_integral_v<decltype(value)>;
        Scalar const from = whole ? Scalar::of(static_cast<std::int64_t>(value))
                                  : Scalar::of(std::complex<double>(static_cast<double>(value)));
        return convert(from, whole ? DType::i64 : DType::f64, to).number.real();
    };
    CHECK(converted(std::int64_t{9007199791611905}, DType::f32) == 9007200328482816.0);  // 9007199254740992 by f64
    CHECK(converted(std::int64_t{-9007199791611905}, DType::f32) == -9007200328482816.0);
    CHECK(converted((std::int64_t{257} << 53) + 1, DType::bf16) == 0x1.02p61);  // a tie, and a little more
    CHECK(converted(std::int64_t{257} << 53, DType::bf16) == 0x1p61);
    CHECK(converted(1 + 0x1p-11 + 0x1p-40, DType::f16) == 1 + 0x1p-10);
    CHECK(converted(1 + 0x1p-8 + 0x1p-40, DType::bf16) == 1 + 0x1p-7);
    CHECK(converted(-1 - 0x1p-11 - 0x1p-40, DType::f16) == -1 - 0x1p-10);
    CHECK(std::signbit(converted(-0.0, DType::f16)));
    CHECK(std::signbit(converted(-0.0, DType::bf16)));
}

TEST_CASE("aggregations combine from their neutral element", "[lib][scalar][agg]") {
    auto const number = [](double x) { return Scalar::of(std::complex<double>(x)); };
    for (double const x : {0.0, -3.5, 1e30, inf, -inf, no_number}) {
        for (Agg const agg : {Agg::sum, Agg::prod, Agg::min, Agg::max, Agg::logsumexp}) {
            CAPTURE(x, name(agg));
            CHECK(same(combine(agg, DType::f32, identity(agg, DType::f32), number(x)).number.real(), x));
            CHECK(same(combine(agg, DType::f32, number(x), identity(agg, DType::f32)).number.real(), x));
        }
    }
    for (DType const type : {DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::boolean}) {
        for (std::int64_t const x : {0, 1}) {
            for (Agg const agg : {Agg::sum, Agg::prod, Agg::min, Agg::max, Agg::any, Agg::all}) {
                CAPTURE(name(type), name(agg), x);
                CHECK(combine(agg, type, identity(agg, type), Scalar::of(x)).integer == x);
            }
        }
    }
    CHECK(combine(Agg::sum, DType::i8, Scalar::of(std::int64_t{100}), Scalar::of(std::int64_t{100})).integer == -56);
    CHECK(combine(Agg::sum, DType::boolean, Scalar::of(std::int64_t{1}), Scalar::of(std::int64_t{1})).integer == 1);
    CHECK(combine(Agg::any, DType::boolean, Scalar::of(std::int64_t{0}), number(no_number)).integer == 1);
    CHECK(std::isnan(combine(Agg::max, DType::f32, number(no_number), number(1)).number.real()));
    CHECK(std::isnan(combine(Agg::min, DType::f32, number(1), number(no_number)).number.real()));
    CHECK(combine(Agg::logsumexp, DType::f64, number(1000), number(1000)).number.real() == Approx(1000 + std::log(2)));
    CHECK(combine(Agg::logsumexp, DType::f64, number(inf), number(inf)).number.real() == inf);
    CHECK(combine(Agg::prod, DType::c64, Scalar::of({0, 1}), Scalar::of({0, 1})).number == -1.0);
    std::complex<double> const both =
        combine(Agg::logsumexp, DType::c128, Scalar::of({1, 2}), Scalar::of({0, -1})).number;
    CHECK(std::abs(both - std::log(std::exp(std::complex<double>(1, 2)) + std::exp(std::complex<double>(0, -1)))) <
          1e-14);
}

TEST_CASE("a param without a value is refused by name", "[lib][scalar][evaluate]") {
    Expr const expr = Expr::param("rho");
    try {
        evaluate(expr, DType::f32, DType::f32, {}, {}, {{"eta", 1}});
        FAIL("accepted");
    } catch (InputError const& error) {
        CHECK(error.faults().front().expected == "a value for param 'rho'");
    }
    CHECK_THROWS_AS(evaluate(parse("floor(x)", names).expr, DType::c64, DType::c64, {}, {}, {}), InputError);
}
