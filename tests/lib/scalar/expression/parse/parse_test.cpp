#include "lib/scalar/expression/parse/parse.hpp"

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

Names const names{3, {"i", "k", "head dim"}, {"eta", "beta"}};

std::string normal(std::string const& text) {
    ParseResult const result = parse(text, names);
    for (ParseFault const& fault : result.faults) return "fault at " + std::to_string(fault.where);
    return print(result.expr, names);
}

ParseFault first_fault(std::string const& text, Names const& with = names) {
    ParseResult const result = parse(text, with);
    REQUIRE_FALSE(result.faults.empty());
    CHECK(result.expr.empty());
    return result.faults.front();
}

}  // namespace

TEST_CASE("text prints in its shortest form, and that form is stable", "[lib][scalar][parse]") {
    auto const [text, expected] = GENERATE(table<std::string, std::string>({
        {"x", "x"},
        {"x0 + x1*x2", "x + y*z"},
        {"((x))", "x"},
        {"+x", "x"},
        {"x+y*z", "x + y*z"},
        {"(x+y)*z", "(x + y)*z"},
        {"x-(y-z)", "x - (y - z)"},
        {"x-y-z", "x - y - z"},
        {"x+(y+z)", "x + (y + z)"},
        {"x/(y*z)", "x/(y*z)"},
        {"x/y/z", "x/y/z"},
        {"x*(y/z)", "x*(y/z)"},
        {"-x^2", "-x^2"},
        {"(-x)^2", "(-x)^2"},
        {"x^-2", "x^-2"},
        {"x^y^z", "x^y^z"},
        {"(x^y)^z", "(x^y)^z"},
        {"-2^x", "-2^x"},
        {"(-2)^x", "(-2)^x"},
        {"-2", "-2"},
        {"-(2)", "-(2)"},
        {"x - -2", "x - -2"},
        {"--2", "--2"},
        {"-x*y", "-x*y"},
        {"-(x*y)", "-(x*y)"},
        {"x*-y", "x*-y"},
        {"!x == y", "!x == y"},
        {"!(x == y)", "!(x == y)"},
        {"x < y && y < z || x==z", "x < y && y < z || x == z"},
        {"x && (y || z)", "x && (y || z)"},
        {"(x < y) + 1", "(x < y) + 1"},
        {"(x<y)<z", "(x < y) < z"},
        {"x < y + 1", "x < y + 1"},
        {"abs(x-y)", "abs(x - y)"},
        {"min(x,y,z)", "min(x, y, z)"},
        {"min(x,min(y,z))", "min(x, min(y, z))"},
        {"min(max(x,y),z)", "min(max(x, y), z)"},
        {"pow(x,2)", "x^2"},
        {"mod(x,3)", "mod(x, 3)"},
        {"where([i] >= [k], eta*x, -inf)", "where([i] >= [k], eta*x, -inf)"},
        {"[head dim]*beta", "[head dim]*beta"},
        {"[ i ]", "[i]"},
        {"cast_float32(x)", "cast_f32(x)"},
        {"cast_bool(x)", "cast_bool(x)"},
        {"complex(x, y)", "complex(x, y)"},
        {"position(x, 7)", "position(x, 7)"},
        {"1", "1"},
        {"1.0", "1.0"},
        {"1.50", "1.5"},
        {".5", "0.5"},
        {"2.", "2.0"},
        {"1e-5", "1e-05"},
        {"1E3", "1000.0"},
        {"1e400", "inf"},
        {"1e-400", "0.0"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9223372036854775808", "9223372036854775808"},
        {"-9223372036854775809", "-9223372036854775809"},
        {"9223372036854775808.0", "9223372036854775808.0"},
        {"nan", "nan"},
        {"-inf", "-inf"},
        {"pi", "3.141592653589793"},
        {"e", "2.718281828459045"},
        {"-0", "-0.0"},
    }));
    CAPTURE(text);
    CHECK(normal(text) == expected);
    CHECK(normal(expected) == expected);
}

TEST_CASE("operators group as the grammar says", "[lib][scalar][parse]") {
    auto const x = Expr::operand(0), y = Expr::operand(1), z = Expr::operand(2);
    auto const same = [&](std::string const& text, Expr const& expr) {
        CAPTURE(text);
        CHECK(parse(text, names).expr == expr);
    };
    same("x - y - z", (x - y) - z);
    same("x / y * z", (x / y) * z);
    same("-x^2", Expr::call(Op::neg, {Expr::call(Op::pow, {x, Expr::integer(2)})}));
    same("x^y^z", Expr::call(Op::pow, {x, Expr::call(Op::pow, {y, z})}));
    same("x || y && z", Expr::call(Op::logical_or, {x, Expr::call(Op::logical_and, {y, z})}));
    same("x && y < z", Expr::call(Op::logical_and, {x, Expr::call(Op::lt, {y, z})}));
    same("!x && y", Expr::call(Op::logical_and, {Expr::call(Op::logical_not, {x}), y}));
    same("max(x, y, z)", Expr::call(Op::max, {Expr::call(Op::max, {x, y}), z}));
    same("-3", Expr::integer(-3));
    same("2^-1", Expr::call(Op::pow, {Expr::integer(2), Expr::integer(-1)}));
}

TEST_CASE("operands print as x, y, z up to three and as x0, x1, ... beyond", "[lib][scalar][print]") {
    CHECK(print(product(3), {3, {}, {}}) == "x*y*z");
    CHECK(print(product(4), {4, {}, {}}) == "x0*x1*x2*x3");
    CHECK(parse("x*x1*x2*x3", {4, {}, {}}).expr == product(4));
    CHECK(parse("x0*y*z*x3", {4, {}, {}}).expr == product(4));
}

TEST_CASE("a fault names the place, what was expected, what was found, and the fix", "[lib][scalar][parse]") {
    struct Case {
        std::string text;
        std::size_t where;
        std::string expected, found, fix;
    };
    auto const each = GENERATE(values<Case>({
        {"", 0, "a number, name, function, [label] or '('", "the end", "complete the expression"},
        {"x +", 3, "a number, name, function, [label] or '('", "the end", "complete the expression"},
        {"x y", 2, "an operator or the end of the expression", "'y'", "write * to multiply"},
        {"2x", 1, "an operator or the end of the expression", "'x'", "write * to multiply"},
        {"(x", 2, "')'", "the end", "complete the expression"},
        {"x)", 1, "an operator or the end of the expression", "')'", "remove it or add what is missing before it"},
        {"x = 2", 2, "an operator or the end of the expression", "'='", "write == to compare"},
        {"x & y", 2, "an operator or the end of the expression", "'&'",
         "write && for 'and'; the bits of integers have no operator"},
        {"x @ y", 2, "an operator or the end of the expression", "'@'",
         "a join sees one element of each: products of matrices are \"ij,jk->ik\""},
        {"x ? y", 5, "':'", "the end", "complete the expression"},
        {"x : y", 2, "an operator or the end of the expression", "':'",
         "write condition ? a : b, or where(condition, a, b)"},
        {"x if y", 6, "'else'", "the end", "complete the expression"},
        {"x + and y", 4, "a number, name, function, [label] or '('", "'and'", "correct the expression"},
        {"x == not y", 5, "a number, name, function, [label] or '('", "'not'", "put it in parentheses: (not a)"},
        {"x else y", 2, "an operator or the end of the expression", "'else'", "write a if condition else b"},
        {"x[i]", 1, "an operator or the end of the expression", "an index behind it, '[i]'",
         "write the operand alone: \"einsum\" says which element it is; [i] is the index of label i"},
        {"x.T", 2, "a function", "'T'", "axes are the business of \"einsum\": \"ij->ji\""},
        {"sum(x)", 0, "a function of one element", "'sum', an aggregation",
         "write \"agg\": \"sum\" beside the join that it is of, or a node of its own, {\"op\": \"sum\", \"axis\": N} "
         "for the axis that it is over, as another "
         "input of "
         "this one"},
        {"x - mean(x)", 4, "a function of one element", "'mean', an aggregation",
         "write a node of its own, {\"op\": \"mean\", \"axis\": N} for the axis that it is over, as another input of "
         "this one (\"agg\": \"mean\" beside the join "
         "is "
         "of the whole join)"},
        {"norm(x)", 0, "a function of one element", "'norm', an aggregation",
         "write \"agg\": \"norm\" beside the join that it is of, or a node of its own, {\"op\": \"norm\", \"axis\": N} "
         "for the axis that it is over, as another "
         "input "
         "of this one"},
        {"softmax(x)", 0, "a function", "'softmax'", "it needs a whole axis: write a node {\"op\": \"softmax\"}"},
        {"x.astype(float32)", 9, "x, y, z, eta, beta, inf, nan, pi or e", "'float32'",
         "write cast_f32(x) and the like to convert"},
        {"hypot(x)", 0, "2 arguments of 'hypot'", "1", "add what is missing"},
        {"hypot", 0, "'(' after the function 'hypot'", "none", "write hypot(...)"},
        {"etta*x", 0, "x, y, z, eta, beta, inf, nan, pi or e", "'etta'", "did you mean \"eta\"?"},
        {"x*i", 2, "x, y, z, eta, beta, inf, nan, pi or e", "'i'", "write [i] for the index of label 'i'"},
        {"x*unheard", 2, "x, y, z, eta, beta, inf, nan, pi or e", "'unheard'",
         "correct the name; a number of that name belongs into \"params\""},
        {"x3", 0, "an operand of the node", "'x3'",
         "the node has 3 inputs, x to z; add an input or use one that is there"},
        {"[hed dim]", 0, "a label of the node (i, k or head dim)", "'hed dim'", "did you mean \"[head dim]\"?"},
        {"[i", 0, "a number, name, function, [label] or '('", "'['", "close the label with ']'"},
        {"x \u00d7 y", 2, "an operator or the end of the expression", "'\u00d7'", "write *"},
        {"x \u2264 y", 2, "an operator or the end of the expression", "'\u2264'", "write <="},
        {"sqr(x)", 0, "a function", "'sqr'", "did you mean \"sqrt\"?"},
        {"abs", 0, "'(' after the function 'abs'", "none", "write abs(...)"},
        {"abs(x, y)", 0, "1 argument of 'abs'", "2", "remove what is too much"},
        {"where(x, y)", 0, "3 arguments of 'where'", "2", "add what is missing"},
        {"min(x)", 0, "a function of one element", "'min', an aggregation",
         "write min(x, y) of two numbers, or \"agg\": \"min\" beside the join, or a node of its own, {\"op\": "
         "\"min\", \"axis\": N} for the axis that it is over, as another input of this one"},
        {"abs(x[i])", 5, "',' or ')'", "an index behind it, '[i]'",
         "write the operand alone: \"einsum\" says which element it is; [i] is the index of label i"},
        {"x[:, 0]", 1, "an operator or the end of the expression", "an index behind it, '[:, 0]'",
         "a join sees one element of each: take it before, {\"op\": \"slice\", \"slices\": \":, 0\"}, and read that"},
        {"atan2()", 0, "2 arguments of 'atan2'", "0", "add what is missing"},
        {"position(x, y)", 0, "an extent (0, 1, ...) as second argument of position", "another expression",
         "write the extent as a number"},
        {"x \x01 y", 2, "an operator or the end of the expression", "'\\x01'", "correct the expression"},
    }));
    CAPTURE(each.text);
    ParseFault const fault = first_fault(each.text);
    CHECK(fault.where == each.where);
    CHECK(fault.expected == each.expected);
    CHECK(fault.found == each.found);
    CHECK(fault.fix == each.fix);
}

TEST_CASE("an aggregation is one fault, whatever its arguments are", "[lib][scalar][parse]") {
    for (std::string const text : {"x/sum(x, axis=1)", "x/sum(q, [r], axis=-1, keepdims=True)", "x - max(x, dim=0)",
                                   "x/x.sum()", "x - x.max(axis=1)", "x - x.min()", "softmax(x)"}) {
        CAPTURE(text);
        auto const faults = parse(text, names).faults;
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].kind == FaultKind::aggregation);
    }
    CHECK(parse("x - max(x) + sum(y)", names).faults.size() == 2);
    CHECK(parse("(x - x.mean(0))/x.std(0)", names).faults.size() == 2);
    CHECK(parse("x.argmax() + argmin(x)", names).faults.size() == 2);
    CHECK(parse("max(x, y) + min(x, max(y, z)) + x.max(y)", names).faults.empty());
    CHECK(parse("max()", names).faults.at(0).found == "0");
    CHECK(parse("sum(x", names).faults.at(0).expected == "',' or ')'");
}

TEST_CASE("operands that the node lacks are reported with those it has", "[lib][scalar][parse]") {
    CHECK(first_fault("y", {1, {}, {}}).fix == "the node has one input, x; add an input or use one that is there");
    CHECK(first_fault("x", {0, {}, {}}).fix == "the node has no inputs; add an input or use one that is there");
    CHECK(first_fault("x99999999999999999999", {1, {}, {}}).expected == "an operand of the node");
    CHECK(first_fault("cast_f33(x)", {1, {}, {}}).fix == "did you mean \"cast_f32\"?");
    CHECK(first_fault("[i]", {1, {}, {}}).expected == "no index values here");
}

TEST_CASE("operands come before constants, constants before params", "[lib][scalar][parse]") {
    Names const clashing{1, {}, {"x", "pi"}};
    CHECK(parse("x", clashing).expr == Expr::operand(0));
    CHECK(parse("pi", clashing).expr.op() == Op::number);
}

TEST_CASE("size(label) is the label's extent, a number", "[lib][scalar][parse]") {
    Names const sized{2, {"i", "head dim", "f(x)"}, {"size"}, {7, 64, 3}};
    auto const text = [&](std::string const& join) {
        ParseResult const read = parse(join, sized);
        CAPTURE(join);
        REQUIRE(read.faults.empty());
        return print(read.expr, sized);
    };
    CHECK(text("x/size(i)") == "x/7");
    CHECK(text("size( head dim ) - [head dim]*size([head dim])") == "64 - [head dim]*64");
    CHECK(text("-size([f(x)])^2 + size*y") == "-3^2 + size*y");
    CHECK(text("position(cast_i64(x), size(i))") == "position(cast_i64(x), 7)");
    CHECK(parse(text("abs(x - size(i))"), sized).expr == parse("abs(x - size(i))", sized).expr);

    ParseFault const unknown = parse("x + size(hed dim)*y", sized).faults.at(0);
    CHECK(unknown.where == 9);
    CHECK(unknown.expected == "a label of the node (i, head dim or f(x))");
    CHECK(unknown.found == "'hed dim'");
    CHECK(unknown.fix == "did you mean \"size(head dim)\"?");
    CHECK(parse("size(i", sized).faults.at(0).fix == "close it: size(label)");
    CHECK(parse("size(q) + size(r)", sized).faults.size() == 2);
    CHECK(parse("x + ) + size(hed dim) + q", sized).faults.size() == 2);
    CHECK(parse("size(i)", names).faults.at(0).fix == "write the number");  // no extents
    CHECK(parse("sise(x)", sized).faults.at(0).fix == "did you mean \"size\"?");
}

TEST_CASE("every unknown name is reported, also behind a fault of grammar", "[lib][scalar][parse]") {
    auto const faults = parse("foo + bar*[q] + ) baz + abs(x) [r]", names).faults;
    REQUIRE(faults.size() == 6);
    CHECK(faults[0].found == "'foo'");
    CHECK(faults[1].found == "'bar'");
    CHECK(faults[2].found == "'q'");
    CHECK(faults[3].where == 16);
    CHECK(faults[4].found == "'baz'");
    CHECK(faults[5].found == "'r'");
}

TEST_CASE("the caret stands under the place", "[lib][scalar][parse]") {
    CHECK(with_caret("x + foo", 4) == "x + foo\n    ^");
    CHECK(with_caret("x +\n\tfoo", 5) == "x +  foo\n     ^");
    CHECK(with_caret("[\xce\xb1] + q", 7) == "[\xce\xb1] + q\n      ^");  // a Greek label is one column
    CHECK(with_caret("x", 99) == "x\n ^");
    std::string const longer = std::string(500, 'x') + "!" + std::string(500, 'y');
    std::string const shown = with_caret(longer, 500);
    auto const line = shown.find('\n');
    CHECK(line < 130);
    CHECK(shown[shown.size() - 1 - line - 1] == '!');
}
