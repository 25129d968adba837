// Cuts the text of an expression into tokens. Leaves their grammar to parse.cpp.
// Example: "x >= [head dim]" gives name "x", symbol ">=", label "head dim", end.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ein::scalar {

enum class TokenKind { number, name, label, symbol, junk, end };

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;  // as written; of a label: what stands between the brackets
    std::size_t where = 0;  // offset of the first character
};

/// What stands in size(...), a label or a label in brackets. It may be any text.
struct LabelOfSize {
    std::string_view label;
    std::size_t first = 0;           // where it begins
    std::optional<std::size_t> end;  // what is read next; nothing where it is not closed
};
/// @param from  behind the '('
LabelOfSize label_of_size(std::string_view text, std::size_t from);

/// Hands out one token after another; the text must outlive it.
class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}
    Token next();
    /// Goes on at this offset.
    void go_to(std::size_t offset) { at_ = offset; }

private:
    Token take(TokenKind kind, std::size_t length);
    Token label();
    std::size_t number_length() const;
    std::size_t digits_from(std::size_t at) const;

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace ein::scalar
