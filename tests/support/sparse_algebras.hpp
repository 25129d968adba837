// What the nodes of random sparse graphs compute: functions that suit one fill and one aggregation, and some that do
// not. Example: x + y under min with the fill inf, as for distances.
#pragma once

#include <string>
#include <vector>

namespace ein::test {

/// Functions of which what is not listed contributes nothing, and some others, with the fill that suits them.
struct Algebra {
    std::string dtype, fill, agg;
    std::vector<std::vector<std::string>> joins;  // of one, two and three operands
    double low, high;
    std::vector<std::vector<std::string>> lookups;  // of two and three: what x lists decides, not what y lists
};

inline std::vector<Algebra> const algebras{
    {"f64",
     "0",
     "sum",
     {{"x", "2*x", "x*x/(1 + x*x)", "sin(x)", "abs(x)", "exp(-abs(x))", "x + 0.5", "where(@ >= 2, x, 0)"},
      {"x*y", "x*y", "x + y", "x - 0.5*y", "x*tanh(y)", "x*(y + 1)", "max(x, y)", "x*y + @", "where(x == 0, 0, y)"},
      {"x*y*z", "x*(y - z)", "x*y + z", "x*(y + z + 1)"}},
     -1,
     1,
     {{"x*(y + 1)", "x*exp(-y*y)", "x/(1 + abs(y))", "where(x != 0, (x - y)^2, 0)", "where(x == 0, 0, y + 0.5)"},
      {"x*(1 + y*z)", "x*z*exp(-abs(y))", "(x + z)*(y + 0.5)", "where(x != 0, x - y*z, 0)", "x/(1 + y*y + z*z)"}}},
    {"f64",
     "\"inf\"",
     "min",
     {{"x", "x + 1", "2*x"}, {"x + y", "x + y", "min(x, y)", "max(x, y)"}, {"x + y + z"}},
     0,
     4,
     {{"x + 1/(1 + y)", "x + min(y, 3)"}, {"x + z + min(y, 2)", "x + 1/(1 + y + z)"}}},
    {"f64",
     "\"-inf\"",
     "max",
     {{"x", "x - 1"}, {"x + y", "max(x, y)"}, {"x + y + z"}},
     0,
     4,
     {{"x + max(y, 0)"}, {"x + z + max(y, -1)"}}},
    {"f32",
     "0",
     "max",
     {{"x", "x/2", "x*x"}, {"x*y", "max(x, y)", "min(x, y)"}, {"x*y*z"}},
     0,
     1,
     {{"x*(1 + y)", "where(x == 0, 0, y)"}, {"x*(y + z + 1)"}}},
    {"bool",
     "false",
     "any",
     {{"x", "!x"}, {"x && y", "x || y", "x != y"}, {"x && y && z", "x && (y || z)"}},
     0,
     1,
     {{"x && !y"}, {"x && (z || !y)", "(x || z) && !y"}}},
    {"i32",
     "0",
     "sum",
     {{"x", "3*x", "x != 0", "x*x"}, {"x*y", "x + y", "x - y"}, {"x*y*z"}},
     -3,
     4,
     {{"x*(y + 1)", "where(x != 0, x - y, 0)"}, {"x*z*(y - 1)"}}},
    {"f64",
     "1",
     "prod",
     {{"x"}, {"x*y", "x^2*y"}, {"x*y*z"}},
     0.5,
     1.5,
     {{"where(x == 1, 1, x*y)"}, {"where(x == 1, 1, y*z)"}}},
    {"f32",
     "2.5",
     "sum",
     {{"x", "x - 2.5", "-x"}, {"(x - 2.5)*y", "x - y", "x*y"}, {"(x - 2.5)*(y - 2.5)*z"}},
     -1,
     1,
     {{"(x - 2.5)*y", "(x - 2.5)/(1 + y*y)"}, {"(x - 2.5)*(y - z)", "(x - 2.5)*(z - 2.5)*y"}}},
    {"c128",
     "0",
     "sum",
     {{"x", "2*x", "conj(x)"}, {"x*y", "x + y", "x*conj(y)"}, {"x*y*z"}},
     -1,
     1,
     {{"x*(1 + y)"}, {"x*z*(1 - y)", "x*(y - conj(z) + 1)"}}},
};

}  // namespace ein::test
