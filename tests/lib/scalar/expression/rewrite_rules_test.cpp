// Every rule of the simplifier, and every form of a power, on special values: what stands for an expression has its
// bits. Expressions are not chosen by hand: every operation is tried on an operand and on literals, in every place.
#include "lib/scalar/expression/rewrite_rules.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/program/power_form.hpp"
#include "lib/scalar/program/program.hpp"
#include "tests/lib/scalar/scratch.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

using Complex = std::complex<double>;

Names const names{2, {"i"}, {}};
constexpr double inf = std::numeric_limits<double>::infinity(), no_number = std::numeric_limits<double>::quiet_NaN();
constexpr DType every_type[] = {DType::f32, DType::f64, DType::c64, DType::c128, DType::i8,
                                DType::i16, DType::i32, DType::i64, DType::u8,   DType::boolean};

template <class T>
std::vector<double> special_reals() {
    using L = std::numeric_limits<T>;
    std::vector<double> list{0.0, 1.0, 0.5, 3.0, inf, L::max(), L::min(), L::denorm_min(), T(1.1)};
    for (std::size_t k = 0, half = list.size(); k < half; ++k) list.push_back(-list[k]);
    list.push_back(no_number);
    return list;
}

std::vector<Scalar> special_integers(DType type) {
    std::vector<Scalar> list;
    std::vector<std::int64_t> const values{0,
                                           1,
                                           -1,
                                           2,
                                           3,
                                           -7,
                                           127,
                                           -128,
                                           255,
                                           32767,
                                           -32768,
                                           2147483647,
                                           -2147483648,
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min()};
    for (std::int64_t const value : values) {
        Scalar const held = convert(Scalar::of(value), DType::i64, type);
        if (type == DType::boolean ? value == 0 || value == 1 : held.integer == value) list.push_back(held);
    }
    return list;
}

std::vector<Scalar> special_values(DType type) {
    if (is_exact(type)) return special_integers(type);
    bool const single = type == DType::f32 || type == DType::c64;
    std::vector<Scalar> list;
    for (double const re : single ? special_reals<float>() : special_reals<double>()) {
        if (!is_complex(type))
            list.push_back(Scalar::of(Complex(re)));
        else
            for (double const im : {0.0, -0.0, 1.0, -1.0, inf, -inf, no_number, 1e-40, -2.5})
                list.push_back(convert(Scalar::of(Complex(re, im)), DType::c128, type));
    }
    return list;
}

bool same_or_nans(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}
bool same_or_nans(Scalar const& a, Scalar const& b) {
    if (a.is_integer || b.is_integer) return a.is_integer && b.is_integer && a.integer == b.integer;
    return same_or_nans(a.number.real(), b.number.real()) && same_or_nans(a.number.imag(), b.number.imag());
}

std::vector<Expr> literals() {
    std::vector<Expr> list;
    for (std::int64_t const value : {0, 1, -1, 2, 3}) list.push_back(Expr::integer(value));
    for (double const value : {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, inf, -inf, no_number, 1e300})
        list.push_back(Expr::number(value));
    return list;
}

/// Every operation of operands, literals, and what rules look into: negations and casts.
std::vector<Expr> candidates() {
    Expr const x = Expr::operand(0), y = Expr::operand(1);
    std::vector<Expr> leaves = literals();
    std::vector<Expr> const numbers = leaves;
    for (Expr const& more : {x, Expr::call(Op::neg, {x}), Expr::cast(DType::f16, x), Expr::cast(DType::f32, x),
                             Expr::cast(DType::i8, x), Expr::index(0), Expr::call(Op::position, {x, Expr::integer(2)})})
        leaves.push_back(more);
    std::vector<Expr> list;
    for (int number = static_cast<int>(Op::neg); number < op_count; ++number) {
        Op const op = static_cast<Op>(number);
        if (op == Op::position) continue;
        for (Expr const& leaf : leaves) {
            if (op == Op::cast)
                for (DType const to : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128,
                                       DType::i8, DType::i32, DType::i64, DType::u8, DType::boolean})
                    list.push_back(Expr::cast(to, leaf));
            else if (info(op).arity == 1)
                list.push_back(Expr::call(op, {leaf}));
            else if (info(op).arity == 3)
                list.insert(list.end(), {Expr::call(op, {leaf, x, y}), Expr::call(op, {leaf, x, Expr::number(0.5)}),
                                         Expr::call(op, {x, leaf, y}), Expr::call(op, {x, y, leaf})});
            else
                list.insert(list.end(), {Expr::call(op, {leaf, y}), Expr::call(op, {y, leaf})});
        }
        if (info(op).arity == 2)
            for (Expr const& a : numbers)
                for (Expr const& b : numbers) list.push_back(Expr::call(op, {a, b}));
    }
    return list;
}

/// What a rule makes of an expression under one compute type; empty: nothing, or of another type.
Expr applied(RewriteRule const& rule, Expr const& expr, DType compute) {
    try {
        std::optional<ValueType> const type = TypedExpr(expr, compute).of(expr).value;
        Expr const made = rule.apply({expr, {&compute, 1}, {&type, 1}});
        return made.empty() || TypedExpr(made, compute).of(made).value != *type ? Expr{} : made;
    } catch (Refused const&) {
        return {};
    }
}

std::map<DType, std::vector<Scalar>> const values_of = [] {
    std::map<DType, std::vector<Scalar>> made;
    for (DType const type : every_type) made[type] = special_values(type);
    return made;
}();

/// "" where both have the same bits for all special values.
std::string difference(Expr const& before, Expr const& after, DType type) {
    Evaluator first(before, type, type, {}), second(after, type, type, {});
    std::vector<Scalar> const& values = values_of.at(type);
    std::vector<std::int64_t> const labels{0};
    std::size_t const count = operands_of(before).empty() ? 1 : values.size();
    for (std::size_t k = 0; k < count; ++k)
        for (Scalar const& y : {values[k], values.front()}) {
            Scalar const& x = values[k];
            std::vector<Scalar> const operands{x, y};
            std::optional<Scalar> a, b;
            try {
                a = first(operands, labels);
            } catch (InputError const&) {
                continue;  // a position that does not fit
            }
            b = second(operands, labels);
            if (!same_or_nans(*a, *b)) {
                std::ostringstream text;
                text << print(before, names) << " becomes " << print(after, names) << ", of " << name(type) << " at x "
                     << (x.is_integer ? Complex(static_cast<double>(x.integer)) : x.number) << ": " << a->number << " "
                     << a->integer << " becomes " << b->number << " " << b->integer;
                return text.str();
            }
        }
    return "";
}

std::string simple(std::string const& text, DType type) {
    return print(simplify(parse(text, names).expr, type), names);
}

}  // namespace

TEST_CASE("no rule of the simplifier changes a bit", "[lib][scalar][simplify]") {
    std::map<std::string_view, int> used;
    for (Expr const& expr : candidates())
        for (DType const type : every_type)
            for (RewriteRule const& rule : rewrite_rules()) {
                Expr const made = applied(rule, expr, type);
                if (made.empty() || made == expr) continue;
                ++used[rule.name];
                std::string const differs = difference(expr, made, type);
                if (differs.empty()) continue;
                CAPTURE(rule.name);
                FAIL_CHECK(differs);
            }
    for (RewriteRule const& rule : rewrite_rules()) {
        CAPTURE(rule.name);
        CHECK(used[rule.name] >= 8);  // a rule that no expression above meets is not tested: add one to candidates()
    }
}

TEST_CASE("every rule of the simplifier has an example", "[lib][scalar][simplify]") {
    struct Example {
        std::string_view rule;
        std::string text, becomes;
        DType type;
    };
    std::vector<Example> const examples{
        {"numbers", "2*pi", "6.283185307179586", DType::f32},
        {"same cast", "cast_f32(x)", "x", DType::f32},
        {"choice by a number", "where(0, x, y)", "y", DType::f64},
        {"neutral", "x - 0", "x", DType::f64},
        {"double negation", "--x", "x", DType::c64},
        {"from zero", "0 - x", "-x", DType::i32},
    };
    std::set<std::string_view> covered;
    for (Example const& example : examples) {
        CAPTURE(example.rule, example.text);
        CHECK(simple(example.text, example.type) == example.becomes);
        Expr const expr = parse(example.text, names).expr;
        for (RewriteRule const& rule : rewrite_rules())
            if (rule.name == example.rule && !applied(rule, expr, example.type).empty()) covered.insert(rule.name);
    }
    for (RewriteRule const& rule : rewrite_rules()) {
        CAPTURE(rule.name);
        CHECK(covered.count(rule.name) == 1);
    }
}

TEST_CASE("the sign of a zero keeps what would be shorter without it", "[lib][scalar][simplify]") {
    for (DType const type : {DType::f32, DType::f64, DType::c64, DType::c128})
        for (std::string const text : {"x + 0", "0 + x", "x + 0.0", "0 - x", "0.0 - x", "x - -0.0"}) {
            CAPTURE(text, name(type));
            CHECK(simple(text, type) == text);
        }
    for (DType const type : {DType::f32, DType::f64})
        for (std::string const text : {"x - 0", "x + -0.0", "-0.0 + x", "x*1", "1*x", "x/1", "x^1"}) {
            CAPTURE(text, name(type));
            CHECK(simple(text, type) == "x");
        }
    CHECK(simple("-0.0 - x", DType::f32) == "-x");
    CHECK(simple("x + -0.0", DType::c64) == "x + -0.0");  // the literal is -0 + 0i
    CHECK(simple("-0.0 - x", DType::c64) == "-0.0 - x");
    CHECK(simple("x - 0", DType::c64) == "x");
    CHECK(simple("x^1", DType::c128) == "x");
    for (std::string const text : {"x + 0", "0 + x", "x - 0", "x*1", "x^1"}) CHECK(simple(text, DType::u8) == "x");
}

namespace {

/// The program's result for one x.
Scalar run(Program const& program, Scalar const& x, DType type) {
    auto const held = register_dtype(type), made = register_dtype(program.result_dtype());
    alignas(64) std::byte from[16] = {}, other[16] = {};
    auto const put = [&](std::byte* to, auto value) { std::memcpy(to, &value, sizeof value); };
    if (held == DType::f32) put(from, static_cast<float>(x.number.real()));
    if (held == DType::f64) put(from, x.number.real());
    if (held == DType::c64) put(from, std::complex<float>(x.number));
    if (held == DType::c128) put(from, x.number);
    if (held == DType::i64) put(from, x.integer);
    Scratch const scratch(program.scratch_bytes());
    TileOperand const operands[]{{from, false}, {other, false}};
    TileIndex const labels[]{{0, 0}};
    void const* const at = program.run(1, operands, labels, scratch.get()).data;
    if (made == DType::f32) return Scalar::of(Complex(*static_cast<float const*>(at)));
    if (made == DType::f64) return Scalar::of(Complex(*static_cast<double const*>(at)));
    if (made == DType::c64) return Scalar::of(Complex(*static_cast<std::complex<float> const*>(at)));
    if (made == DType::c128) return Scalar::of(*static_cast<Complex const*>(at));
    return Scalar::of(*static_cast<std::int64_t const*>(at));
}

/// The same nan, infinity or zero, or finite numbers that are near one another.
bool alike(double a, double b, double tolerance) {
    bool const special = a == 0 || b == 0 || !std::isfinite(a) || !std::isfinite(b);
    return special ? same_or_nans(a, b) : std::fabs(a - b) <= tolerance * std::fabs(b);
}

}  // namespace

TEST_CASE("every form of a power has the power's nans, infinities and signs of zeros", "[lib][scalar][simplify]") {
    std::set<PowerForm> met;
    for (DType const type : {DType::f32, DType::f64}) {
        bool const single = type == DType::f32;
        for (double n = -17; n <= 17; n += 0.5) {
            met.insert(power_form(Scalar::of(Complex(n)), type));
            Program const program(Expr::call(Op::pow, {Expr::operand(0), Expr::number(n)}), type, type, {});
            for (Scalar const& x : special_values(type)) {
                double const found = run(program, x, type).number.real();
                double const exact = std::pow(x.number.real(), n);
                double const expected = single ? static_cast<double>(static_cast<float>(exact)) : exact;
                CAPTURE(name(type), n, x.number.real(), found, expected);
                CHECK(alike(found, expected, single ? 0x1p-23 : 0x1p-52));
            }
        }
    }
    CHECK(met ==
          std::set{PowerForm::power, PowerForm::square, PowerForm::product, PowerForm::reciprocal, PowerForm::root});
    for (DType const type : {DType::c128, DType::i8, DType::i64})
        for (int n = 1; n <= 4; ++n) {
            Expr const power = Expr::call(Op::pow, {Expr::operand(0), Expr::integer(n)});
            Program const program(power, type, type, {});
            Evaluator reference(power, type, type, {});
            for (Scalar const& x : special_values(type)) {
                std::vector<Scalar> const operands{x, x};
                CAPTURE(name(type), n, x.number, x.integer);
                CHECK(same_or_nans(run(program, x, type), reference(operands, {})));
            }
        }
}

TEST_CASE("signs of zeros reach what shows them", "[lib][scalar][simplify]") {
    struct Case {
        std::string text;
        Complex x, expected;
        DType type;
    };
    std::vector<Case> const cases{
        {"1/(0 - x)", 0.0, inf, DType::f32},
        {"1/(0 - x)", 0.0, inf, DType::f64},
        {"1/(x + 0)", -0.0, inf, DType::f64},
        {"1/(0 + x)", -0.0, inf, DType::f32},
        {"1/x^0.5", -0.0, inf, DType::f32},
        {"1/pow(x, 0.5)", -0.0, inf, DType::f64},
        {"atan2(x + 0, -1)", -0.0, M_PI, DType::f64},
        {"atan2(0 - x, -1)", 0.0, M_PI, DType::f64},
        {"sqrt(0 - x)", {4, 0}, {0, 2}, DType::c128},
        {"log(0 - x)", {1, 0}, {0, M_PI}, DType::c128},
        {"1/(-x)", 0.0, -inf, DType::f64},
        {"1/(x - 0)", -0.0, -inf, DType::f32},
        {"1/relu(x)", -0.0, -inf, DType::f32},
        {"1/(x*1)", -0.0, -inf, DType::f64},
        {"x^0.5", -inf, inf, DType::f32},
        {"sqrt(x + 0)", {-4, -0.0}, {0, 2}, DType::c64},
    };
    for (Case const& each : cases) {
        CAPTURE(each.text, each.x, name(each.type));
        Expr const expr = parse(each.text, names).expr;
        Scalar const x = Scalar::of(each.x);
        std::vector<Scalar> const operands{x, x};
        Complex const found = run(Program(expr, each.type, each.type, {}), x, each.type).number,
                      evaluated = evaluate(expr, each.type, each.type, operands, {}, {}).number;
        CHECK(alike(found.real(), each.expected.real(), 1e-6));
        CHECK(alike(evaluated.real(), each.expected.real(), 1e-6));
        CHECK(alike(found.imag(), each.expected.imag(), 1e-6));
        CHECK(alike(evaluated.imag(), each.expected.imag(), 1e-6));
    }
}
