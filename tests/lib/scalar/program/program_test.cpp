#include "lib/scalar/program/program.hpp"

#include <array>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/typing.hpp"
#include "tests/lib/scalar/random_expression.hpp"
#include "tests/lib/scalar/scratch.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

Names const names{3, {"i", "k"}, {"eta"}};

Expr parsed(std::string const& text, Names const& with = names) {
    ParseResult const result = parse(text, with);
    REQUIRE(result.faults.empty());
    return result.expr;
}

void store(Scalar const& value, DType type, void* to) {
    auto const put = [to](auto bits) { std::memcpy(to, &bits, sizeof bits); };
    switch (register_dtype(type)) {
        case DType::f32: return put(static_cast<float>(value.number.real()));
        case DType::f64: return put(value.number.real());
        case DType::c64: return put(std::complex<float>(value.number));
        case DType::c128: return put(value.number);
        default: return put(value.integer);
    }
}

template <class T>
T loaded(void const* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

Scalar load(void const* from, DType type) {
    switch (register_dtype(type)) {
        case DType::f32: return Scalar::of(std::complex<double>(loaded<float>(from)));
        case DType::f64: return Scalar::of(std::complex<double>(loaded<double>(from)));
        case DType::c64: return Scalar::of(std::complex<double>(loaded<std::complex<float>>(from)));
        case DType::c128: return Scalar::of(loaded<std::complex<double>>(from));
        default: return Scalar::of(loaded<std::int64_t>(from));
    }
}

/// Operands and labels of one strip, as a program and as the judge want them.
struct Strip {
    std::size_t count = 0;
    DType type = DType::f32;
    std::vector<std::vector<std::byte>> data;
    std::vector<StripOperand> operands;
    std::vector<StripIndex> indices;

    std::vector<Scalar> judged(std::size_t k) const {
        std::vector<Scalar> list;
        for (StripOperand const& operand : operands) {
            std::size_t const at = operand.constant ? 0 : k;
            list.push_back(
                load(static_cast<std::byte const*>(operand.data) + at * size_of(register_dtype(type)), type));
        }
        return list;
    }
    std::vector<std::int64_t> labels(std::size_t k) const {
        std::vector<std::int64_t> list;
        for (StripIndex const& index : indices) list.push_back(index.first + static_cast<std::int64_t>(k) * index.step);
        return list;
    }
};

Scalar random_value(DType type, RandomExpression& draw) {
    if (register_dtype(type) == DType::i64) {
        return convert(Scalar::of(std::int64_t{draw.below(5) == 0 ? draw.below(1 << 30) : draw.below(12) - 6}),
                       DType::i64, type);
    }
    constexpr std::array<double, 8> specials{0.0, 1.0, -1.0, 0.5, HUGE_VAL, -HUGE_VAL, NAN, 2.5};
    auto const one = [&] {
        return draw.below(4) == 0 ? specials[static_cast<std::size_t>(draw.below(8))] : draw.any_double();
    };
    double const real = one();
    return convert(Scalar::of(std::complex<double>(real, is_complex(type) ? one() : 0.0)), DType::c128, type);
}

Strip random_strip(DType type, std::size_t count, RandomExpression& draw) {
    Strip strip;
    strip.count = count;
    strip.type = type;
    std::size_t const width = size_of(register_dtype(type));
    for (int k = 0; k < names.operands; ++k) {
        bool const constant = draw.below(3) == 0;
        strip.data.emplace_back(width * (constant ? 1 : count));
        for (std::size_t at = 0; at < strip.data.back().size(); at += width)
            store(random_value(type, draw), type, &strip.data.back()[at]);
        strip.operands.push_back({strip.data.back().data(), constant});
    }
    for (std::size_t k = 0; k < names.labels.size(); ++k) strip.indices.push_back({draw.below(10), draw.below(3)});
    return strip;
}

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b); }
bool same(Scalar const& a, Scalar const& b) {
    if (a.is_integer || b.is_integer) return a.is_integer && b.is_integer && a.integer == b.integer;
    return same(a.number.real(), b.number.real()) && same(a.number.imag(), b.number.imag());
}

/// The expression with `change` made to every strong step.
template <class Change>
Expr with_steps(Expr const& expr, TypedExpr const& types, Change const& change) {
    Node const& node = expr.node();
    ValueType const type = types.of(expr).value;
    Expr made = expr;
    if (!node.args.empty()) {
        std::vector<Expr> args;
        for (Expr const& arg : node.args) args.push_back(with_steps(arg, types, change));
        made = node.op == Op::cast ? Expr::cast(node.cast_to, args[0]) : Expr::call(node.op, std::move(args));
    }
    return type.weak ? made : change(made, type.type);
}

/// Every f32 step rounded, so that the judge, who computes in f64, gives what f32 arithmetic gives.
Expr rounded_steps(Expr const& expr, DType compute) {
    return with_steps(expr, TypedExpr(expr, compute), [](Expr const& step, DType type) {
        return type == DType::f32 || type == DType::c64 ? Expr::cast(type, step) : step;
    });
}

/// Every step moved a little up or down, as `seed` has it: how far the result moves is how well the expression is
/// conditioned.
Expr shaken_steps(Expr const& expr, DType compute, double by, unsigned seed) {
    std::mt19937 random(seed);
    return with_steps(expr, TypedExpr(expr, compute), [&](Expr const& step, DType type) {
        bool const whole = register_dtype(type) == DType::i64;
        return whole ? step : step * Expr::number(random() % 2 == 0 ? 1 + by : 1 - by);
    });
}

std::vector<Op> exact_ops(DType type) {
    std::vector<Op> ops{Op::neg, Op::logical_not, Op::abs, Op::conj, Op::real,        Op::imag,       Op::cast, Op::add,
                        Op::sub, Op::mul,         Op::eq,  Op::ne,   Op::logical_and, Op::logical_or, Op::where};
    if (type == DType::c64) std::erase_if(ops, [](Op op) { return op == Op::mul || op == Op::abs; });
    if (is_complex(type)) return ops;
    ops.insert(ops.end(), {Op::sign, Op::floor, Op::ceil, Op::round, Op::sqrt, Op::relu, Op::div, Op::mod, Op::min,
                           Op::max, Op::lt, Op::le, Op::gt, Op::ge});
    return ops;
}

}  // namespace

TEST_CASE("a program gives the judge's bits wherever arithmetic is exact or rounds once", "[lib][scalar][program]") {
    auto const type = GENERATE(DType::f32, DType::f64, DType::c64, DType::c128, DType::i8, DType::i16, DType::i32,
                               DType::i64, DType::u8, DType::boolean);
    RandomExpression draw(21, names, exact_ops(type));
    draw.casts = {DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::boolean};
    if (type == DType::f32) draw.casts.insert(draw.casts.end(), {DType::f16, DType::bf16, DType::f32});
    int compared = 0;
    for (int k = 0; k < 400; ++k) {
        Expr const expr = draw.draw(1 + k % 5);
        if (!type_of(expr, type, type).problem.empty()) continue;
        Params const params{{"eta", 0.3}};
        Program const program(expr, type, type, params);
        Evaluator judge(rounded_steps(expr, type), type, type, params);
        REQUIRE(program.result_dtype() == judge.result_dtype());
        Scratch const scratch(program.scratch_bytes());
        for (std::size_t const count : {std::size_t{1}, std::size_t{7}, std::min<std::size_t>(program.strip(), 512)}) {
            Strip const strip = random_strip(type, count, draw);
            StripOperand const result = program.run(count, strip.operands, strip.indices, scratch.get());
            DType const held = register_dtype(program.result_dtype());
            for (std::size_t at = 0; at < (result.constant ? 1 : count); ++at) {
                Scalar const found = load(static_cast<std::byte const*>(result.data) + at * size_of(held), held);
                Scalar const expected = judge(strip.judged(at), strip.labels(at));
                ++compared;
                if (same(found, expected)) continue;
                CAPTURE(print(expr, names), name(type), at, count, found.number, expected.number, found.integer,
                        expected.integer);
                FAIL("differs");
            }
        }
    }
    CHECK(compared > 10000);
}

namespace {

std::vector<Op> smooth_ops(DType type) {
    std::vector<Op> ops{Op::neg,     Op::sqrt, Op::rsqrt, Op::exp, Op::exp2, Op::expm1, Op::log,  Op::log2,
                        Op::log1p,   Op::sin,  Op::cos,   Op::tan, Op::atan, Op::sinh,  Op::cosh, Op::tanh,
                        Op::sigmoid, Op::silu, Op::add,   Op::sub, Op::mul,  Op::div,   Op::pow};
    if (!is_complex(type))
        ops.insert(ops.end(), {Op::cbrt, Op::erf, Op::gelu, Op::softplus, Op::relu, Op::atan2, Op::min, Op::max});
    return ops;
}

/// |a - b| in parts of their size.
double distance(std::complex<double> a, std::complex<double> b) {
    if (same(a.real(), b.real()) && same(a.imag(), b.imag())) return 0;
    double const apart = std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-30});
    return std::isnan(apart) ? 2 : apart;
}

}  // namespace

TEST_CASE("a program is as near to the judge as the expression's conditioning allows", "[lib][scalar][program]") {
    auto const type = GENERATE(DType::f32, DType::f64, DType::c64, DType::c128, DType::i32);
    bool const narrow = type == DType::f32 || type == DType::c64;
    double const step = narrow ? 1e-6 : 1e-15;
    RandomExpression draw(22, names, smooth_ops(type));
    int compared = 0;
    for (int k = 0; k < 600; ++k) {
        Expr const expr = draw.draw(1 + k % 3);
        if (!type_of(expr, type, type).problem.empty()) continue;
        Params const params{{"eta", 0.3}};
        Program const program(expr, type, type, params);
        Evaluator judge(expr, type, type, params);
        std::vector<Evaluator> shaken{
            Evaluator(rounded_steps(expr, type), type, type, params)};  // shows what f32 cannot hold
        for (unsigned seed = 0; seed < 4; ++seed)
            shaken.emplace_back(shaken_steps(expr, type, 3 * step, seed), type, type, params);
        Scratch const scratch(program.scratch_bytes());
        Strip const strip = random_strip(type, 64, draw);
        StripOperand const result = program.run(64, strip.operands, strip.indices, scratch.get());
        DType const held = register_dtype(program.result_dtype());
        if (held == DType::i64) continue;
        for (std::size_t at = 0; at < (result.constant ? 1 : 64); ++at) {
            auto operands = strip.judged(at);
            auto const labels = strip.labels(at);
            auto const expected = convert(judge(operands, labels), held, held).number;
            double moved = 0;
            for (Evaluator& near : shaken) moved = std::max(moved, distance(near(operands, labels).number, expected));
            bool const extreme = !(std::abs(expected) < 1e30 && std::abs(expected) > 1e-30) && narrow;
            if (moved > 1000 * step || extreme || std::isnan(std::abs(expected))) continue;
            auto const found = load(static_cast<std::byte const*>(result.data) + at * size_of(held), held).number;
            ++compared;
            if (distance(found, expected) <= 20 * moved + 60 * step) continue;
            CAPTURE(print(expr, names), name(type), found, expected, moved, operands[0].number, operands[1].number,
                    operands[2].number);
            FAIL("too far");
        }
    }
    CHECK(compared > 3000);
}

TEST_CASE("simplifying changes no value", "[lib][scalar][simplify]") {
    auto const type = GENERATE(DType::f32, DType::f64, DType::c128, DType::i8, DType::i64, DType::u8, DType::boolean);
    std::vector<Op> ops = exact_ops(type);
    ops.insert(ops.end(), {Op::exp, Op::cast, Op::where});
    RandomExpression draw(23, names, ops);
    int changed = 0;
    for (int k = 0; k < 3000; ++k) {
        Expr const expr = draw.draw(1 + k % 5);
        for (Expr const& simple : {simplify(expr), simplify(expr, type)}) {
            TypeResult const before = type_of(expr, type, type), after = type_of(simple, type, type);
            CAPTURE(print(expr, names), print(simple, names), name(type));
            REQUIRE(before.type == after.type);
            REQUIRE(before.problem.empty() == after.problem.empty());
            if (simple == expr || !before.problem.empty()) continue;
            ++changed;
            Evaluator first(expr, type, type, {{"eta", 0.3}}), second(simple, type, type, {{"eta", 0.3}});
            Strip const strip = random_strip(type, 8, draw);
            for (std::size_t at = 0; at < 8; ++at) {
                Scalar const a = first(strip.judged(at), strip.labels(at)),
                             b = second(strip.judged(at), strip.labels(at));
                if (!same(a, b)) FAIL("differs");
            }
        }
    }
    CHECK(changed > 200);
}

TEST_CASE("simplifying finds what it should", "[lib][scalar][simplify]") {
    auto const simple = [](std::string const& text, DType type) { return print(simplify(parsed(text), type), names); };
    for (auto const& [text, expected] :
         std::vector<std::pair<std::string, std::string>>{{"x*1", "x"},
                                                          {"1.0*x", "x"},
                                                          {"x + 0", "x + 0"},
                                                          {"0 + x", "0 + x"},
                                                          {"x - 0.0", "x"},
                                                          {"0 - x", "0 - x"},
                                                          {"x/1", "x"},
                                                          {"x^1", "x"},
                                                          {"--x", "x"},
                                                          {"-(-(-x))", "-x"},
                                                          {"2*3 + x", "6 + x"},
                                                          {"2*pi*x", "6.283185307179586*x"},
                                                          {"where(1, x, y)", "x"},
                                                          {"where(0, x, y)", "y"},
                                                          {"cast_f32(x)", "x"},
                                                          {"cast_f16(cast_f16(x))", "cast_f16(x)"},
                                                          {"cast_f16(x)", "cast_f16(x)"},
                                                          {"cast_i8(cast_i8(x))", "cast_i8(x)"},
                                                          {"0*x", "0*x"},
                                                          {"sqrt(4)*x", "2.0*x"},
                                                          {"2^100 + x", "1.2676506002282294e+30 + x"},
                                                          {"x*(2 - 1)", "x"},
                                                          {"x^(3 - 2)", "x"},
                                                          {"where(nan, x, y)", "x"},
                                                          {"(x*1 - 0)*(y/1)", "x*y"},
                                                          {"7/2*x", "3.5*x"}}) {
        CAPTURE(text);
        CHECK(simple(text, DType::f32) == expected);
    }
    CHECK(simple("x*1.0", DType::i32) == "x*1.0");  // it makes an f64
    CHECK(simple("x/1", DType::i32) == "x/1");
    CHECK(simple("x*1", DType::i32) == "x");
    CHECK(simple("x*1", DType::boolean) == "x*1");  // it makes an i64
    CHECK(simple("x*1", DType::c64) == "x*1");      // (inf + 0i)(1 + 0i) has a nan
    CHECK(simple("x - 0", DType::c64) == "x");
    CHECK(simple("where(1, x, 0.5)", DType::i32) == "where(1, x, 0.5)");
    CHECK(print(simplify(parsed("x*1")), names) == "x*1");  // of bools it is an i64
    CHECK(print(simplify(parsed("where(0, position(x, 3), 1)")), names) == "where(0, position(x, 3), 1)");
}

TEST_CASE("a program knows when it computes nothing", "[lib][scalar][program]") {
    auto const program = [](std::string const& text, DType type) {
        return Program(parsed(text), type, type, {{"eta", 1}});
    };
    CHECK(program("y", DType::f32).is_operand(1));
    CHECK_FALSE(program("y", DType::f32).is_operand(0));
    CHECK(program("1*z - 0", DType::f64).is_operand(2));
    CHECK(program("eta*x", DType::f32).is_operand(0));
    CHECK(program("floor(conj(real(x)))", DType::i32).is_operand(0));
    CHECK_FALSE(program("-x", DType::f32).is_operand(0));
    CHECK_FALSE(program("x*1", DType::boolean).is_operand(0));
    CHECK(program("x", DType::boolean).result_dtype() == DType::boolean);
}

TEST_CASE("unused operands are not touched and constants stay single", "[lib][scalar][program]") {
    Program const program(parsed("x*rsqrt(z/64)*[i]"), DType::f32, DType::f32, {});
    Scratch const scratch(program.scratch_bytes());
    std::array<float, 4> const x{1, 2, 3, 4};
    float const z = 256;
    std::vector<StripOperand> const operands{{x.data(), false}, {nullptr, false}, {&z, true}};
    StripOperand const strip = program.run(4, operands, std::vector<StripIndex>{{5, 1}}, scratch.get());
    REQUIRE_FALSE(strip.constant);
    CHECK(loaded<std::array<float, 4>>(strip.data) == std::array<float, 4>{2.5f, 6, 10.5f, 16});
    std::vector<StripOperand> const single{{&z, true}, {nullptr, false}, {&z, true}};
    StripOperand const constant = program.run(512, single, std::vector<StripIndex>{{3, 0}}, scratch.get());
    CHECK(constant.constant);
    CHECK(loaded<float>(constant.data) == 384);
    CHECK_FALSE(program.run(0, {}, {}, scratch.get()).constant);
}

TEST_CASE("a mask is a select of strips", "[lib][scalar][program]") {
    Program const program(parsed("where([i] >= [k], eta*x, -inf)"), DType::f32, DType::f32, {{"eta", 0.5}});
    Scratch const scratch(program.scratch_bytes());
    std::array<float, 4> const x{2, 4, 6, 8};
    std::vector<StripOperand> const operands{{x.data(), false}};
    StripOperand const result = program.run(4, operands, std::vector<StripIndex>{{2, 0}, {1, 1}}, scratch.get());
    float const low = -HUGE_VALF;
    CHECK(loaded<std::array<float, 4>>(result.data) == std::array<float, 4>{1, 2, low, low});
    StripOperand const none = program.run(4, operands, std::vector<StripIndex>{{2, 0}, {3, 0}}, scratch.get());
    CHECK(none.constant);
    CHECK(loaded<float>(none.data) == low);
    StripOperand const all = program.run(4, operands, std::vector<StripIndex>{{2, 0}, {1, 0}}, scratch.get());
    CHECK(loaded<std::array<float, 4>>(all.data) == std::array<float, 4>{1, 2, 3, 4});
}

TEST_CASE("equal parts are computed once and strips reused", "[lib][scalar][program]") {
    Program const once(parsed("exp(x - y)"), DType::f32, DType::f32, {});
    Program const twice(parsed("exp(x - y)/(1 + exp(x - y))"), DType::f32, DType::f32, {});
    auto const bytes = [](Program const& program, std::size_t registers) {
        return registers * 4 * program.strip() + 256;
    };
    CHECK(twice.scratch_bytes() <= bytes(twice, 3));
    CHECK(once.scratch_bytes() <= bytes(once, 2));
    CHECK(twice.strip() < once.strip());
    std::string chain = "x";
    for (int k = 0; k < 300; ++k) chain += " + y*" + std::to_string(k) + ".5";
    Program const program(parsed(chain), DType::f32, DType::f32, {});
    CHECK(program.scratch_bytes() <= bytes(program, 4) + 16 * 1300);
}

TEST_CASE("strips are shorter where more registers live at once", "[lib][scalar][program]") {
    std::string wide = "0";
    for (int k = 0; k < 64; ++k) wide = "max(sin(x*" + std::to_string(k) + ".5), " + wide + ")";
    Program const few(parsed("x + 1"), DType::f64, DType::f64, {}), many(parsed(wide), DType::f64, DType::f64, {});
    CHECK(few.strip() == 2048);
    CHECK(many.strip() >= 256);
    CHECK(many.strip() < few.strip());
}

TEST_CASE("a computed result goes where it is asked to", "[lib][scalar][program]") {
    std::vector<float> const x{1, 2, 3, 4}, y{5};
    std::array<float, 4> to{};
    std::array const operands{StripOperand{x.data(), false}, StripOperand{y.data(), true}};
    auto const run = [&](std::string const& text) {
        Program const program(parsed(text), DType::f32, DType::f32, {});
        Scratch const scratch(program.scratch_bytes());
        StripOperand const result = program.run(4, operands, {}, scratch.get(), to.data());
        return std::pair(result.constant, result.data == to.data());
    };
    CHECK(run("(x + y)*x - y") == std::pair(false, true));
    CHECK(to == std::array<float, 4>{1, 9, 19, 31});
    CHECK(run("y*y") == std::pair(true, true));
    CHECK(to[0] == 25);
    CHECK(run("x") == std::pair(false, false));  // nothing is computed
}

TEST_CASE("a program refuses what it cannot run", "[lib][scalar][program]") {
    CHECK_THROWS_AS(Program(parsed("eta*x"), DType::f32, DType::f32, {}), InputError);
    CHECK_THROWS_AS(Program(parsed("x < y"), DType::c64, DType::c64, {}), InputError);
    Program const program(parsed("position(x, 3)"), DType::i32, DType::i32, {});
    Scratch const scratch(program.scratch_bytes());
    std::array<std::int64_t, 3> indices{2, -3, 0};
    std::vector<StripOperand> const operands{{indices.data(), false}};
    StripOperand const result = program.run(3, operands, {}, scratch.get());
    CHECK(loaded<std::array<std::int64_t, 3>>(result.data) == std::array<std::int64_t, 3>{2, 0, 0});
    indices[2] = 3;
    CHECK_THROWS_AS(program.run(3, operands, {}, scratch.get()), InputError);
}
