// Random programs beside the reference, an Evaluator.
#include "lib/scalar/program/program.hpp"

#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/expression/typing.hpp"
#include "tests/lib/scalar/random_tile.hpp"
#include "tests/lib/scalar/scratch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

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

/// Every f32 step rounded, so that the reference, which computes in f64, gives what f32 arithmetic gives.
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

TEST_CASE("a program gives the reference's bits wherever arithmetic is exact or rounds once",
          "[lib][scalar][program]") {
    auto const type = GENERATE(DType::f32, DType::f64, DType::c64, DType::c128, DType::i8, DType::i16, DType::i32,
                               DType::i64, DType::u8, DType::boolean);
    auto const integers = GENERATE(Program::Integers::wide, Program::Integers::own);
    bool const own = integers == Program::Integers::own;
    RandomExpression draw(21, names, exact_ops(type));
    draw.casts = {DType::i8, DType::i16, DType::u8, DType::boolean};
    if (!own) draw.casts.insert(draw.casts.end(), {DType::i32, DType::i64, DType::f16, DType::bf16, DType::f32});
    int compared = 0, narrow = 0;
    for (int k = 0; k < 400; ++k) {
        Expr const expr = draw.draw(1 + k % 5);
        if (!type_of(expr, type, type).problem.empty()) continue;
        Params const params{{"eta", 0.3}};
        Program const program(expr, type, type, params, integers);
        narrow += is_exact(program.operand_registers()) && program.operand_registers() != DType::i64;
        Evaluator reference(rounded_steps(expr, type), type, type, params);
        REQUIRE(program.result_dtype() == reference.result_dtype());
        Scratch const scratch(program.scratch_bytes());
        for (std::size_t const count : {std::size_t{1}, std::size_t{7}, std::min<std::size_t>(program.tile(), 512)}) {
            RandomTile const tile = random_tile(type, program.operand_registers(), count, draw);
            TileOperand const result = program.run(count, tile.operands, tile.indices, scratch.get());
            DType const held = program.result_registers();
            for (std::size_t at = 0; at < (result.constant ? 1 : count); ++at) {
                Scalar const found = load(static_cast<std::byte const*>(result.data) + at * size_of(held), held);
                Scalar const expected = reference(tile.scalars(at), tile.labels(at));
                ++compared;
                if (same(found, expected)) continue;
                CAPTURE(print(expr, names), name(type), at, count, found.number, expected.number, found.integer,
                        expected.integer);
                FAIL("differs");
            }
        }
    }
    CHECK(compared > 10000);
    CHECK((narrow > 20) == (own && is_exact(type) && type != DType::i64));
}

TEST_CASE("a program is as near to the reference as the expression's conditioning allows", "[lib][scalar][program]") {
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
        Evaluator reference(expr, type, type, params);
        std::vector<Evaluator> shaken{
            Evaluator(rounded_steps(expr, type), type, type, params)};  // shows what f32 cannot hold
        for (unsigned seed = 0; seed < 4; ++seed)
            shaken.emplace_back(shaken_steps(expr, type, 3 * step, seed), type, type, params);
        Scratch const scratch(program.scratch_bytes());
        RandomTile const tile = random_tile(type, 64, draw);
        TileOperand const result = program.run(64, tile.operands, tile.indices, scratch.get());
        DType const held = register_dtype(program.result_dtype());
        if (held == DType::i64) continue;
        for (std::size_t at = 0; at < (result.constant ? 1 : 64); ++at) {
            auto operands = tile.scalars(at);
            auto const labels = tile.labels(at);
            auto const expected = convert(reference(operands, labels), held, held).number;
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
