#include <random>

#include "lib/base/error.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/type.hpp"
#include "lib/scalar/program/program.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

std::string repeated(std::string const& text, int times) {
    std::string out;
    for (int k = 0; k < times; ++k) out += text;
    return out;
}

Names const names{2, {"i"}, {"eta"}};

}  // namespace

TEST_CASE("nesting beyond the limit is refused, not followed", "[lib][scalar][hostile]") {
    int const depth = GENERATE(600, 100000);
    for (std::string const opening : {"(", "-", "!", "abs(", "x^", "where(x, y, ", "-(", "x||x&&x<x+x*("}) {
        CAPTURE(opening, depth);
        ParseResult const result = parse(repeated(opening, depth) + "x" + repeated(")", depth), names);
        REQUIRE(result.faults.size() == 1);
        CHECK(result.faults[0].expected == "at most 500 nested operations");
    }
    CHECK(parse(repeated("(", 400) + "x" + repeated(")", 400), names).faults.empty());
}

TEST_CASE("chains are as long as the deepest tree allowed, and longer ones refused", "[lib][scalar][hostile]") {
    for (std::string const link : {"+x", "*x", "||x", " - x"}) {
        CAPTURE(link);
        ParseResult const longest = parse("x" + repeated(link, max_depth - 1), names);
        REQUIRE(longest.faults.empty());
        std::string const text = print(longest.expr, names);
        CHECK(parse(text, names).expr == longest.expr);
        CHECK(type_of(longest.expr, DType::f32, DType::f32).problem.empty());
        CHECK(operands_of(simplify(longest.expr)) == std::vector<int>{0});
        CHECK(Program(longest.expr, DType::f32, DType::f32, {}).scratch_bytes() > 0);
        ParseResult const longer = parse("x" + repeated(link, 100000), names);
        REQUIRE(longer.faults.size() == 1);
        CHECK(longer.faults[0].expected == "at most 2100 operations upon one another");
        CHECK(parse("x" + repeated(link, 99), names, 100).faults.empty());
        ParseResult const limited = parse("x" + repeated(link, 100), names, 100);
        REQUIRE(limited.faults.size() == 1);
        CHECK(limited.faults[0].expected == "at most 100 operations upon one another");
    }
    CHECK(parse("min(x" + repeated(",x", 5000) + ")", names).faults.size() == 1);
}

TEST_CASE("a deeper tree than allowed cannot be built", "[lib][scalar][hostile]") {
    Expr expr = Expr::operand(0);
    for (int k = 1; k < max_depth; ++k) expr = Expr::call(Op::neg, {expr});
    CHECK_THROWS_AS(Expr::call(Op::neg, {expr}), InputError);
    CHECK_THROWS_AS(Expr::cast(DType::f32, expr), InputError);
}

TEST_CASE("shared subtrees cost no more than their nodes", "[lib][scalar][hostile]") {
    Expr expr = Expr::operand(0);
    for (int k = 0; k < 200; ++k) expr = expr + expr;  // 2^200 leaves when written out
    CHECK(operands_of(expr).size() == 1);
    CHECK(type_of(expr, DType::f64, DType::f64).type == DType::f64);
    CHECK(Program(expr, DType::f64, DType::f64, {}).scratch_bytes() < 32768);
    CHECK(substitute(expr, std::vector<Expr>{Expr::operand(1)}).node().depth == 201);
}

TEST_CASE("huge numbers, long names and junk are answered with faults or values", "[lib][scalar][hostile]") {
    CHECK(parse(std::string(100000, '9'), names).faults.empty());
    CHECK(parse("1e" + std::string(1000, '9'), names).faults.empty());
    CHECK(parse("0." + std::string(100000, '0') + "1", names).faults.empty());
    CHECK(parse(std::string(100000, 'q'), names).faults.size() == 1);
    CHECK(parse("[" + std::string(100000, 'q') + "]", names).faults.size() == 1);
    CHECK(parse(std::string(1000, '\0'), names).faults.size() == 1);
    std::mt19937 random(5);
    for (int k = 0; k < 3000; ++k) {
        std::string text;
        for (unsigned n = random() % 40; n > 0; --n) text += static_cast<char>(random() % 256);
        ParseResult const result = parse(text, names);
        CHECK(result.faults.empty() != result.expr.empty());
        for (ParseFault const& fault : result.faults) {
            CHECK(fault.where <= text.size());
            CHECK_FALSE(with_caret(text, fault.where).empty());
        }
    }
}

TEST_CASE("grammatical nonsense never crashes", "[lib][scalar][hostile]") {
    std::vector<std::string> const words{"x",  "y",    "[i]",    "eta",  "(",   ")",  ",",       "+",
                                         "-",  "*",    "^",      "!",    "<",   "==", "&&",      "2",
                                         ".5", "min(", "where(", "abs(", "inf", "q",  "cast_i8("};
    std::mt19937 random(6);
    for (int k = 0; k < 5000; ++k) {
        std::string text;
        for (unsigned n = random() % 20; n > 0; --n) text += words[random() % words.size()];
        ParseResult const result = parse(text, names);
        CAPTURE(text);
        if (result.faults.empty()) {
            REQUIRE(parse(print(result.expr, names), names).expr == result.expr);
        } else {
            REQUIRE(result.expr.empty());
        }
    }
}
