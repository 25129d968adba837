#include "lib/scalar/expression/type.hpp"

#include "lib/scalar/expression/agg.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

Names const names{2, {"i", "k"}, {"eta"}};

/// "i32 x/2" in compute type i32: what type_of says, by name.
std::string typed(std::string const& text, DType compute, DType weak) {
    ParseResult const parsed = parse(text, names);
    REQUIRE(parsed.faults.empty());
    TypeResult const type = type_of(parsed.expr, compute, weak);
    return type.problem.empty() ? std::string(name(type.type)) : type.problem;
}

}  // namespace

TEST_CASE("operands decide, numbers follow", "[lib][scalar][type]") {
    struct Case {
        std::string text;
        DType compute;
        std::string expected;
    };
    auto const each = GENERATE(values<Case>({
        {"x*[i]/2", DType::f32, "f32"},
        {"x*eta", DType::f32, "f32"},
        {"x*1.5", DType::f64, "f64"},
        {"x/2", DType::i32, "f64"},
        {"x*2", DType::i32, "i32"},
        {"x*eta", DType::i32, "f64"},
        {"x + [i]", DType::i8, "i8"},
        {"x*1.5", DType::u8, "f64"},
        {"sqrt(x)", DType::i64, "f64"},
        {"exp(x)", DType::i8, "f64"},
        {"atan2(x, y)", DType::i32, "f64"},
        {"floor(x)", DType::i16, "i16"},
        {"abs(x)", DType::i8, "i8"},
        {"sign(x)", DType::u8, "u8"},
        {"round(x)", DType::f32, "f32"},
        {"min(x, 3)", DType::i16, "i16"},
        {"max(x, 0.5)", DType::i16, "f64"},
        {"relu(x)", DType::i32, "i32"},
        {"x^2", DType::i32, "i32"},
        {"x^-2", DType::i32, "f64"},
        {"x^y", DType::i32, "i32"},
        {"x^(1 - 3)", DType::i32, "f64"},
        {"x^0.5", DType::i32, "f64"},
        {"mod(x, y)", DType::u8, "u8"},
        {"x^-2", DType::f32, "f32"},
        {"x < y", DType::f32, "bool"},
        {"x == 1", DType::c64, "bool"},
        {"!x", DType::f64, "bool"},
        {"x && y", DType::c128, "bool"},
        {"(x < y) + (x > y)", DType::f32, "i64"},
        {"(x < y)*x", DType::f32, "f32"},
        {"(x < y)*x", DType::i8, "i8"},
        {"x + y", DType::boolean, "bool"},
        {"x*y", DType::boolean, "bool"},
        {"x - y", DType::boolean, "i64"},
        {"x + 1", DType::boolean, "i64"},
        {"-x", DType::boolean, "i64"},
        {"x/y", DType::boolean, "f64"},
        {"x*1.5", DType::boolean, "f64"},
        {"max(x, y)", DType::boolean, "bool"},
        {"where(x, y, 0)", DType::boolean, "i64"},
        {"where(x, y, x)", DType::boolean, "bool"},
        {"where([i] >= [k], eta*x, -inf)", DType::f32, "f32"},
        {"where(x > 0, 1, 0)*x", DType::i16, "i16"},
        {"abs(x)", DType::c64, "f32"},
        {"real(x)", DType::c128, "f64"},
        {"imag(x)", DType::f32, "f32"},
        {"conj(x)", DType::i32, "i32"},
        {"complex(x, y)", DType::f32, "c64"},
        {"complex(x, 0)", DType::f64, "c128"},
        {"complex(x, 1)", DType::i32, "c128"},
        {"x*complex(0, 1)", DType::f32, "c64"},
        {"x*complex(0, 1)", DType::c64, "c64"},
        {"x*complex(0, 1)", DType::i8, "c128"},
        {"exp(x)", DType::c64, "c64"},
        {"x^2", DType::c128, "c128"},
        {"sigmoid(x)*silu(y)", DType::c64, "c64"},
        {"cast_i32(x)", DType::f32, "i32"},
        {"cast_f16(x)", DType::f64, "f32"},
        {"cast_f64(x)*y", DType::f32, "f64"},
        {"cast_i32(x)*y", DType::f32, "f64"},
        {"cast_i8(x)*y", DType::f32, "f32"},
        {"cast_bool(x)", DType::c64, "bool"},
        {"position(x, 9)", DType::i8, "i64"},
        {"position([i] - 2, 9)", DType::f32, "i64"},
        {"x*2^100", DType::f32, "f32"},
    }));
    CAPTURE(each.text, each.compute);
    CHECK(typed(each.text, each.compute, DType::f16) == each.expected);
}

TEST_CASE("an expression of numbers alone takes the output's type if that is of its kind", "[lib][scalar][type]") {
    CHECK(typed("[i]*2", DType::f32, DType::f32) == "f32");
    CHECK(typed("[i]*2", DType::f32, DType::i8) == "i8");
    CHECK(typed("[i]*2", DType::f32, DType::boolean) == "i64");
    CHECK(typed("[i]*2", DType::i32, DType::c64) == "c64");
    CHECK(typed("[i]/2", DType::i32, DType::i32) == "f64");
    CHECK(typed("eta", DType::i32, DType::f32) == "f32");
    CHECK(typed("sin([i])", DType::f32, DType::f64) == "f64");
    CHECK(typed("complex([i], 1)", DType::f32, DType::f32) == "c64");
    CHECK(typed("complex([i], 1)", DType::f32, DType::i32) == "c128");
    CHECK(typed("[i] < [k]", DType::f32, DType::f32) == "bool");
    CHECK(typed("2^100", DType::i32, DType::f64) == "f64");  // as no int64 holds it
    CHECK(typed("2^62", DType::i32, DType::i64) == "i64");
}

TEST_CASE("a whole number that an operand's type does not hold is refused where it stands", "[lib][scalar][type]") {
    struct Case {
        std::string text;
        DType compute;
        std::string number;  // refused; empty: accepted
        std::size_t where;
    };
    auto const each = GENERATE(values<Case>({
        {"x + 300", DType::u8, "300", 4},
        {"x*(100 + 200)", DType::u8, "300", 7},
        {"x - -1", DType::u8, "-1", 4},
        {"x*-129", DType::i8, "-129", 2},
        {"x*-128", DType::i8, "", 0},
        {"min(x, 40000)", DType::i16, "40000", 7},
        {"where(y > 0, 2147483648, x)", DType::i32, "2147483648", 13},
        {"x^256", DType::u8, "256", 2},
        {"where([i] > 2, 300, 0)", DType::u8, "300", 15},
        {"--where([i] > 2, 300, 0)", DType::u8, "300", 0},
        {"--where([i] > 2, where([i] > 3, 300, [i]), 0)", DType::u8, "300", 0},
        {"-where([i] > 2, 300, 0)", DType::i8, "-300", 0},
        {"-where([i] > 2, 128, 0)", DType::i8, "", 0},
        {"x + where([i] > 2, 300, 0)", DType::u8, "300", 4},
        {"x + where([i] > 2, 30, 0)", DType::u8, "", 0},
        {"x/where([i] > 2, 300, 1)", DType::u8, "", 0},
        {"300", DType::u8, "300", 0},
        {"x < 300", DType::u8, "", 0},
        {"x*300.0", DType::u8, "", 0},
        {"x/300", DType::u8, "", 0},
        {"cast_i32(x) + 300", DType::u8, "", 0},
        {"cast_u8(300)", DType::u8, "", 0},
        {"where(300, x, y)", DType::u8, "", 0},
        {"x + 300", DType::f32, "", 0},
        {"x + 300", DType::boolean, "", 0},
        {"position(x, 300)", DType::u8, "", 0},
        {"x + 255", DType::u8, "", 0},
    }));
    CAPTURE(each.text, each.compute);
    ParseResult const parsed = parse(each.text, names);
    TypeResult const type = type_of(parsed.expr, each.compute, each.compute);
    if (each.number.empty()) {
        CHECK(type.problem == "");
        return;
    }
    CHECK(type.problem == each.number + ", which " + std::string(name(each.compute)) + " does not hold");
    REQUIRE(parsed.places.count(type.where) == 1);
    CHECK(parsed.places.at(type.where) == each.where);
}

TEST_CASE("a whole number that no i64 holds is refused beside integers, not beside reals", "[lib][scalar][type]") {
    std::string const digits = "9223372036854775808", computed = "a whole number beyond 64 bits";
    struct Case {
        std::string text, refused;  // empty: accepted
        std::size_t where;
    };
    auto const each = GENERATE_COPY(values<Case>({
        {"x + " + digits, digits, 4},
        {digits + " - x", digits, 0},
        {"x*-9223372036854775809", "-9223372036854775809", 2},
        {"x + 2^63", computed, 5},
        {"x + (9223372036854775807 + 1)", computed, 25},
        {"min(x, " + digits + ")", digits, 7},
        {"x < " + digits, digits, 4},
        {"where(x > 0, x, " + digits + ")", digits, 16},
        {"where([i] > 2, " + digits + ", 0)", digits, 15},
        {digits, digits, 0},
        {"x + 1" + std::string(60, '0'), "1" + std::string(39, '0') + "...", 4},
        {"x + abs(" + digits + ")", computed, 4},
        {"x/" + digits, "", 0},
        {"x + " + digits + ".0", "", 0},
        {"x + 1e30", "", 0},
        {"x + 1/" + digits, "", 0},
        {"x + 2^-63", "", 0},
        {"cast_f64(x) + " + digits, "", 0},
        {"where(2^63 < 2^64, x, 1)", "", 0},
    }));
    DType const integer = GENERATE(DType::i64, DType::u8);
    CAPTURE(each.text, name(integer));
    ParseResult const parsed = parse(each.text, names);
    REQUIRE(parsed.faults.empty());
    CHECK(type_of(parsed.expr, DType::f32, DType::f32).problem == "");
    CHECK(type_of(parsed.expr, DType::c128, DType::c128).problem.find("does not hold") == std::string::npos);
    TypeResult const type = type_of(parsed.expr, integer, integer);
    if (each.refused.empty()) {
        CHECK(type.problem == "");
        return;
    }
    CHECK(type.problem == each.refused + ", which " + std::string(name(integer)) + " does not hold");
    REQUIRE(parsed.places.count(type.where) == 1);
    CHECK(parsed.places.at(type.where) == each.where);
}

TEST_CASE("what complex numbers do not have is refused by name", "[lib][scalar][type]") {
    DType const complex = GENERATE(DType::c64, DType::c128);
    for (char const* const text : {"x < y", "x <= y", "x > y", "x >= 1", "min(x, y)", "max(x, 1)", "sign(x)"}) {
        CAPTURE(text);
        CHECK_THAT(typed(text, complex, complex), Catch::Matchers::EndsWith("of complex numbers (they have no order)"));
    }
    for (char const* const text :
         {"floor(x)", "ceil(x)", "round(x)", "mod(x, y)", "atan2(x, y)", "erf(x)", "relu(x)", "gelu(x)", "cbrt(x)",
          "softplus(x)", "complex(x, y)", "1 + floor(x)", "where(floor(x), 1, 2)"}) {
        CAPTURE(text);
        CHECK_THAT(typed(text, complex, complex), Catch::Matchers::EndsWith("' of complex numbers"));
    }
    CHECK(typed("floor(x)", complex, complex) == "'floor' of complex numbers");
    CHECK(typed("x < y", complex, complex) == "'<' of complex numbers (they have no order)");
    CHECK(typed("position(x, 3)", DType::f32, DType::f32) == "'position' of numbers that are no integers");
}

TEST_CASE("aggregations have names and types", "[lib][scalar][agg]") {
    for (Agg const agg : {Agg::sum, Agg::prod, Agg::min, Agg::max, Agg::any, Agg::all, Agg::logsumexp}) {
        CHECK(agg_from_name(name(agg)) == agg);
    }
    CHECK_FALSE(agg_from_name("mean"));
    CHECK(accumulate_dtype(Agg::sum, DType::i8) == DType::i8);
    CHECK(accumulate_dtype(Agg::any, DType::f32) == DType::boolean);
    CHECK(accumulate_dtype(Agg::logsumexp, DType::i32) == DType::f64);
    CHECK(accumulate_dtype(Agg::logsumexp, DType::c64) == DType::c64);
}
