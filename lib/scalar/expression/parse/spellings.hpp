// Spellings that people bring along from Python, NumPy, PyTorch, JAX and C, and what each means in a join. The parser
// reads by these tables; docs/graph-format/spellings.md and tests are checked against them. What could mean two things
// stands in a table of its own and is refused with both. Nothing is printed so: print() writes the meaning. Example:
// "hypot(x, y)" means "abs(complex(x, y))"; "lg(x)" could be "log2(x)" or "log(x)/log(10)".
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/scalar/expression/expr.hpp"

namespace ein::scalar {

/// A text and the text that it means, of operands x, y, z.
struct Taken {
    std::string_view written, means;
};
/// Operators and the like, by an example: the grammar (parse.cpp) has them.
std::span<Taken const> taken_operators();
/// "name(x, y)": a name may come with several numbers of arguments.
std::span<Taken const> taken_functions();
/// Names of numbers. A param or a tensor of that name comes first.
std::span<Taken const> taken_constants();

/// A function or operator, and the two texts that it could mean.
struct TwoMeanings {
    std::string_view written, one, other;
};
std::span<TwoMeanings const> ambiguous_spellings();
std::optional<TwoMeanings> two_meanings(std::string_view written);

/// A name that may stand before '(' and how many arguments it has then.
struct FunctionForm {
    std::string_view name;
    std::size_t least, most;
};
/// Every function, ours and taken ones; not size and cast_<dtype>. A name with several numbers of arguments is listed
/// for each.
std::span<FunctionForm const> function_forms();

/// What a taken function of so many arguments means, of operands 0, 1, ...; empty when there is none.
Expr taken_function(std::string_view name, std::size_t arguments);
/// How many arguments a taken function may have; empty when there is none of that name.
std::vector<std::size_t> taken_arities(std::string_view name);

}  // namespace ein::scalar
