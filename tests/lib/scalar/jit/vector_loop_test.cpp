#include "lib/scalar/jit/vector_loop.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "lib/scalar/expression/type.hpp"
#include "tests/lib/scalar/random_expression.hpp"
#include "tests/lib/scalar/scratch.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

Names const three{3, {}, {}};

Expr parsed(std::string const& text) {
    ParseResult const result = parse(text, three);
    REQUIRE(result.faults.empty());
    return result.expr;
}

/// False on processors and in builds that have none: then there is nothing to test.
bool makes_loops(InstructionSet set) {
    return supported(set) && VectorLoop::possible(Program(parsed("x + y"), DType::f32, DType::f32, {}), set);
}

double element(void const* from, std::size_t at, DType type) {
    if (type == DType::f64) return static_cast<double const*>(from)[at];
    return static_cast<float const*>(from)[at];
}

/// The same bits; which nan is not looked at.
bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

/// Operands of a tile: numbers of all sizes, or of those that functions' shorter forms are for, with special ones
/// among them.
struct Operands {
    Operands(DType type, std::size_t count, std::vector<bool> const& constant, RandomExpression& draw) {
        constexpr double specials[] = {0.0, -0.0, 1.0, HUGE_VAL, -HUGE_VAL, NAN, 1e-310, 3e38};
        bool const moderate = draw.below(2) == 0;
        for (bool one : constant) {
            lists.push_back(std::make_unique<Scratch>(count * 8));
            for (std::size_t k = 0; k < (one ? 1 : count); ++k) {
                double const special = specials[static_cast<std::size_t>(draw.below(8))];
                double const value = moderate             ? draw.below(2000) * 0.003 - 3
                                     : draw.below(6) == 0 ? special
                                                          : draw.any_double();
                if (type == DType::f64)
                    reinterpret_cast<double*>(lists.back()->get())[k] = value;
                else
                    reinterpret_cast<float*>(lists.back()->get())[k] = static_cast<float>(value);
            }
            tiles.push_back({lists.back()->get(), one});
        }
    }
    std::vector<std::unique_ptr<Scratch>> lists;
    std::vector<TileOperand> tiles;
};

/// How many of the results of a loop and of the program, an operation at a time, differ.
int differences(Program const& program, VectorLoop const& loop, DType type, std::size_t count,
                Operands const& operands) {
    Scratch const scratch(program.scratch_bytes()), made(count * size_of(type) + 64);
    std::memset(made.get(), 0x5a, count * size_of(type) + 64);
    TileOperand const expected = program.run(count, operands.tiles, {}, scratch.get());
    std::span<std::byte const> const next(made.get(), count);  // changes nothing
    loop.run(count, operands.tiles, made.get(), count % 2 == 0 ? next : std::span<std::byte const>());
    int found = 0;
    for (std::size_t k = 0; k < count; ++k)
        found += !same(element(made.get(), k, type), element(expected.data, expected.constant ? 0 : k, type));
    for (std::size_t k = 0; k < 64; ++k) found += made.get()[count * size_of(type) + k] != std::byte{0x5a};
    return found;
}

std::vector<Op> loop_ops() {
    return {Op::neg,   Op::abs,   Op::sign,  Op::relu,    Op::floor, Op::ceil,        Op::round,      Op::sqrt,
            Op::rsqrt, Op::exp,   Op::exp2,  Op::expm1,   Op::log,   Op::log2,        Op::log1p,      Op::tanh,
            Op::asinh, Op::acosh, Op::atanh, Op::sigmoid, Op::silu,  Op::softplus,    Op::erf,        Op::gelu,
            Op::add,   Op::sub,   Op::mul,   Op::div,     Op::min,   Op::max,         Op::lt,         Op::le,
            Op::gt,    Op::ge,    Op::eq,    Op::ne,      Op::where, Op::logical_and, Op::logical_or, Op::logical_not};
}

}  // namespace

#ifdef EIN_WITH_XBYAK
TEST_CASE("this build makes loops for the processors that it knows", "[scalar][jit]") {
    for (InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) CHECK(makes_loops(set) == supported(set));
}
#endif

TEST_CASE("a vector loop gives the bits of the program, whatever its operands", "[lib][scalar][jit]") {
    auto const type = GENERATE(DType::f32, DType::f64);
    auto const set = GENERATE(InstructionSet::avx2, InstructionSet::avx512);
    if (!makes_loops(set)) return;
    RandomExpression draw(31, three, loop_ops());
    int made = 0;
    for (int k = 0; k < 1500; ++k) {
        Expr const expr = draw.draw(1 + k % 5);
        if (!type_of(expr, type, type).problem.empty()) continue;
        Program const program(expr, type, type, {});
        VectorLoop::Use use;
        for (int operand = 0; operand < three.operands; ++operand) {
            use.constant.push_back(draw.below(3) == 0);
            use.ahead.push_back(draw.below(2) == 0);
        }
        use.past_cache = draw.below(3) == 0;
        auto const loop = VectorLoop::make(program, use, set);
        if (loop == nullptr) continue;
        ++made;
        for (std::size_t const count :
             {std::size_t{1}, std::size_t{5}, std::size_t{16}, std::size_t{67}, std::size_t{256}}) {
            Operands const operands(type, count, use.constant, draw);
            CAPTURE(print(expr, three), name(type), count, use.past_cache);
            REQUIRE(differences(program, *loop, type, count, operands) == 0);
        }
    }
    CHECK(made > 500);
}

TEST_CASE("every function has a vector loop, for all arguments and for moderate ones", "[lib][scalar][jit]") {
    auto const type = GENERATE(DType::f32, DType::f64);
    auto const set = GENERATE(InstructionSet::avx2, InstructionSet::avx512);
    if (!makes_loops(set)) return;
    RandomExpression draw(32, three);
    for (Op const op : loop_ops()) {
        Operation const& about = info(op);
        if (about.arity != 1 || op == Op::logical_not) continue;
        Program const program(Expr::call(op, {Expr::operand(0)}), type, type, {});
        auto const loop = VectorLoop::make(program, {{false}, {false}, false}, set);
        CAPTURE(std::string(about.name), name(type));
        REQUIRE(loop != nullptr);
        for (int iteration = 0; iteration < 20; ++iteration)
            CHECK(differences(program, *loop, type, 250, Operands(type, 250, {false}, draw)) == 0);
    }
}

TEST_CASE("what a vector loop cannot do is left to the program", "[lib][scalar][jit]") {
    if (!makes_loops(InstructionSet::avx2)) return;
    auto const possible = [](char const* text, DType type) {
        return VectorLoop::possible(Program(parsed(text), type, type, {}), InstructionSet::avx2);
    };
    CHECK(possible("x*y + z", DType::f64));
    CHECK(possible("where(x < y && !(y == z), x, 2*z)", DType::f32));
    CHECK_FALSE(possible("x*y + z", DType::i32));
    CHECK_FALSE(possible("x*y + z", DType::c64));
    CHECK_FALSE(possible("x*y + z", DType::bf16));
    CHECK_FALSE(possible("x < y", DType::f32));  // a truth value
    CHECK(possible("atan2(x, y)^z", DType::f64));
    CHECK_FALSE(possible("tan(x)", DType::f64));  // of the C library
    CHECK_FALSE(possible("cast_i32(x) + y", DType::f64));
    Program const sum(parsed("x + y"), DType::f32, DType::f32, {});
    CHECK(VectorLoop::make(sum, {{false, false, false}, {false, false, false}, false}, InstructionSet::baseline) ==
          nullptr);
}

TEST_CASE("a join that needs more registers than there are has no vector loop", "[lib][scalar][jit]") {
    if (!makes_loops(InstructionSet::avx2)) return;
    auto const terms = [](char const* between) {
        std::string text;
        for (int k = 1; k < 24; ++k) text += (k > 1 ? between : "") + std::string("(x - ") + std::to_string(k) + ")";
        return text;
    };
    RandomExpression draw(33, three);
    auto const agrees = [&](Program const& program, InstructionSet set) {
        auto const loop = VectorLoop::make(program, {{false}, {false}, false}, set);
        if (loop == nullptr) return false;
        CHECK(differences(program, *loop, DType::f64, 100, Operands(DType::f64, 100, {false}, draw)) == 0);
        return true;
    };
    Program const few(parsed(terms(" + ")), DType::f64, DType::f64, {});  // each term is read as soon as it is made
    Program const many(parsed("(" + terms(" + ") + ") * (" + terms(" * ") + ")"), DType::f64, DType::f64, {});
    CHECK(agrees(few, InstructionSet::avx2));
    CHECK_FALSE(agrees(many, InstructionSet::avx2));  // 23 terms are held, in 16 registers
    if (makes_loops(InstructionSet::avx512)) CHECK(agrees(many, InstructionSet::avx512));
}

#if defined(__linux__)
TEST_CASE("where the system forbids code made at run time there is no vector loop", "[lib][scalar][jit]") {
    if (!makes_loops(InstructionSet::avx2)) return;
    Program const program(parsed("x + y"), DType::f32, DType::f32, {});
    constexpr int forbid_new_code = 65, from_now_on = 1;  // PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN; Linux 6.3
    enum { none, made, no_such_rule };
    pid_t const child = fork();
    if (child == 0) {
        if (prctl(forbid_new_code, from_now_on, 0, 0, 0) != 0) _exit(no_such_rule);
        VectorLoop::Use const use{{false, false}, {false, false}, false};
        _exit(VectorLoop::make(program, use, InstructionSet::avx2) == nullptr ? none : made);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) != made);
}
#endif
