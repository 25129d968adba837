#include "lib/scalar/expression/type.hpp"
#include "tests/lib/scalar/random_tile.hpp"

using namespace ein;
using namespace ein::scalar;

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
            RandomTile const tile = random_tile(type, 8, draw);
            for (std::size_t at = 0; at < 8; ++at) {
                Scalar const a = first(tile.scalars(at), tile.labels(at)),
                             b = second(tile.scalars(at), tile.labels(at));
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
                                                          {"2^100 + x", "1267650600228229401496703205376 + x"},
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
