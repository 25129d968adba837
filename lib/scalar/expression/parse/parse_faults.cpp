#include "lib/scalar/expression/parse/parse_faults.hpp"

#include <array>
#include <utility>

#include "lib/scalar/expression/parse/resolve.hpp"
#include "lib/scalar/expression/parse/spellings.hpp"

namespace ein::scalar {
namespace {

/// For tokens that have one fix wherever they stand; "" for others.
std::string fix_of_token(Token const& token) {
    std::string_view const text = token.text;
    if (token.kind == TokenKind::end) return "complete the expression";
    if (text == "=") return "write == to compare";
    if (text == "&") return "write && for 'and'; the bits of integers have no operator";
    if (text == "|") return "write || for 'or'; the bits of integers have no operator";
    if (text == "~") return "write ! for 'not'; the bits of integers have no operator";
    if (text == "@") return "a join sees one element of each: products of matrices are \"ij,jk->ik\"";
    if (text == ":") return "write condition ? a : b, or where(condition, a, b)";
    if (text == "[") return "close the label with ']'";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> signs{{{"\u00d7", "*"},
                                                                                  {"\u00b7", "*"},
                                                                                  {"\u00f7", "/"},
                                                                                  {"\u2212", "-"},
                                                                                  {"\u2264", "<="},
                                                                                  {"\u2265", ">="},
                                                                                  {"\u2260", "!="},
                                                                                  {"\u00b2", "^2"},
                                                                                  {"\u03c0", "pi"}}};
    for (auto const& [sign, ours] : signs)
        if (text == sign) return "write " + std::string(ours);
    if (text == ")" && token.kind == TokenKind::symbol) return "remove it or add what is missing before it";
    return "";
}

std::string fix_of(Token const& token, bool behind_operand) {
    if (!behind_operand && token.text == "|") return "write abs(x) for |x|";
    if (!behind_operand && token.text == "=") return "a join is a value and assigns nothing: write x + y for x += y";
    if (std::string fix = fix_of_token(token); !fix.empty()) return fix;
    if (behind_operand && token.kind == TokenKind::label && !token.text.empty() &&
        token.text.find_first_not_of("0123456789-:, ") == std::string::npos)
        return "a join sees one element of each: take it before, {\"op\": \"slice\", \"slices\": \"" +
               std::string(token.text) + "\"}, and read that";
    if (behind_operand && token.kind == TokenKind::label)
        return "write the operand alone: \"einsum\" says which element it is; [i] is the index of label i";
    if (token.kind == TokenKind::name && token.text == "else") return "write a if condition else b";
    bool const opens = token.kind == TokenKind::symbol && token.text == "(";
    bool const value = token.kind == TokenKind::number || token.kind == TokenKind::name || opens;
    if (behind_operand && value) return "write * to multiply";
    if (token.kind == TokenKind::name && token.text == "not") return "put it in parentheses: (not a)";
    return "correct the expression";
}

}  // namespace

ParseFault unexpected_token(Token const& token, std::string expected) {
    if (token.kind == TokenKind::symbol)
        if (auto const meanings = two_meanings(token.text)) return ambiguous_spelling(*meanings, token.where);
    bool const behind_operand = expected == after_operand || expected == "')'" || expected == "',' or ')'";
    bool const indexes = behind_operand && token.kind == TokenKind::label;
    std::string found = token.kind == TokenKind::end ? "the end" : quoted_text(token.text);
    if (token.kind == TokenKind::label) found = "the label " + found;
    if (indexes) found = "an index behind it, " + quoted_text("[" + std::string(token.text) + "]");
    std::string fix = fix_of(token, indexes || expected == after_operand);
    return {token.where, std::move(expected), std::move(found), std::move(fix),
            indexes ? FaultKind::indexed : FaultKind::other};
}

std::optional<std::size_t> end_of_aggregation(std::string_view text, Token const& function, bool method) {
    bool const folds = function.text == "min" || function.text == "max";
    if (!folds && !is_aggregation(function.text)) return std::nullopt;
    std::size_t const open = text.find('(', function.where);
    int depth = 0;
    std::size_t numbers = method ? 1 : 0;
    bool named = false;  // max(x, axis=1)
    for (std::size_t at = open; at < text.size(); ++at) {
        char const c = text[at];
        bool const begins = depth == 1 && (text[at - 1] == '(' || text[at - 1] == ',' || text[at - 1] == ' ');
        for (std::string_view const word : {"axis", "dim", "keepdim"})
            named = named || (begins && text.substr(at).starts_with(word));
        if (depth == 1 && (c == ',' || (c != ')' && text[at - 1] == '('))) ++numbers;
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (depth == 0) return folds && !named && numbers != 1 ? std::nullopt : std::optional(at + 1);
    }
    return std::nullopt;
}

std::optional<ParseFault> wrong_count(Token const& function, std::size_t found, std::size_t least, std::size_t most) {
    if (found >= least && found <= most) return std::nullopt;
    bool const open = found < least && (function.text == "min" || function.text == "max");
    std::string const wanted = (open ? "at least " : "") + std::to_string(least);
    std::string const fix = open ? "add what is missing, or aggregate: \"agg\": \"" + std::string(function.text) + "\""
                            : found < least          ? "add what is missing"
                            : function.text == "log" ? "write log2(x), log10(x), or log(x)/log(y) for the base y"
                                                     : "remove what is too much";
    return ParseFault{function.where,
                      wanted + (least == 1 ? " argument of " : " arguments of ") + quoted_text(function.text),
                      std::to_string(found), fix};
}

ParseFault too_large(std::size_t where, std::string limit) {
    return {where, "at most " + std::move(limit), "more", "split the expression into several nodes"};
}

ParseFault not_an_extent(std::size_t where) {
    return {where, "an extent (0, 1, ...) as second argument of position", "another expression",
            "write the extent as a number"};
}

bool is_keyword(std::string_view word) {
    return word == "and" || word == "or" || word == "not" || word == "if" || word == "else";
}

}  // namespace ein::scalar
