// What the parser says where a text is no expression. Leaves names that are unknown to resolve.hpp.
// Example: of "x y" at the y: expected an operator or the end of the expression, found 'y'; write * to multiply.
#pragma once

#include <optional>
#include <string>

#include "lib/scalar/expression/parse/lex.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::scalar {

/// What the grammar expects where an operand has ended.
inline constexpr std::string_view after_operand = "an operator or the end of the expression";

ParseFault unexpected_token(Token const& token, std::string expected);

/// Of a call with `found` arguments; nothing where there are as many as there may be.
std::optional<ParseFault> wrong_count(Token const& function, std::size_t found, std::size_t least, std::size_t most);

/// Where a call of an aggregation ends, behind its ')': sum(x), max(x), mean(x, axis=1). Nothing for other functions,
/// min and max of several numbers too. @param function  whose '(' follows it  @param method  "x.max()"
std::optional<std::size_t> end_of_aggregation(std::string_view text, Token const& function, bool method);

/// "at most 500 nested operations", ...
ParseFault too_large(std::size_t where, std::string limit);

/// Of the second argument of position().
ParseFault not_an_extent(std::size_t where);

/// and, or, not, if, else: words of the grammar, unless an operand has the name.
bool is_keyword(std::string_view word);

}  // namespace ein::scalar
