// What the names and numbers in an expression stand for: operands before constants before params before tensors; and
// what to say about unknown ones. Example: with two operands and a param "eta", "y" is operand 1, "pi" a number, "eta"
// a param, "eat" a fault that suggests "eta".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/lex.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/parse/spellings.hpp"

namespace ein::scalar {

/// The number that x, y, z or x<k> names, whether or not there are so many operands.
std::optional<long> operand_number(std::string_view name);

/// "x", "y", "z" up to three operands, else "x0", "x1", ...
std::string operand_name(int number, int operands);

/// The operator between two operands that a token is; ^ is none of them: it binds tighter than a minus before it.
std::optional<Infix> infix_of(Token const& token);

/// Of many elements: sum, max, mean, norm, ...
bool is_aggregation(std::string_view name);

/// inf, nan, pi, e.
std::optional<double> constant_value(std::string_view name);

/// The value of a number's text, negated when asked (only then is 9223372036854775808 an integer). "2j" is imaginary,
/// and never negated.
Expr number_from(std::string_view text, bool negative);
/// Whether a number's text ends with j.
bool is_imaginary(std::string_view text);

/// The operand, constant, param or input tensor called `name`, or a constant's other spelling; an empty Expr for an
/// unknown name.
Expr resolve_name(std::string_view name, Names const& names);
/// The label called `label`, spaces around it ignored; an empty Expr for an unknown one.
Expr resolve_label(std::string_view label, Names const& names);
/// The extent of the label called `label`; nothing for an unknown one, or where extents are not known.
std::optional<std::int64_t> resolve_extent(std::string_view label, Names const& names);

/// The fault of an input tensor's name that could mean something else too; nothing for other names.
std::optional<ParseFault> ambiguous_name(std::string_view name, std::size_t where, Names const& names);

ParseFault unknown_name(std::string_view name, std::size_t where, Names const& names);
ParseFault unknown_label(std::string_view label, std::size_t where, Names const& names);
ParseFault unknown_extent(std::string_view label, std::size_t where, Names const& names);
ParseFault unknown_function(std::string_view name, std::size_t where);
/// What a function or operator could mean, where that is two things.
ParseFault ambiguous_spelling(TwoMeanings const& meanings, std::size_t where);

/// 'text' for a message: control characters escaped, cut after 40 characters.
std::string quoted_text(std::string_view text);

}  // namespace ein::scalar
