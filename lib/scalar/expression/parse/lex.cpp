#include "lib/scalar/expression/parse/lex.hpp"

#include <algorithm>
#include <array>

namespace ein::scalar {
namespace {

// std::isalpha and friends depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::array<std::string_view, 23> symbols{"&&", "||", "<=", ">=", "==", "!=", "**", "//", "+", "-", "*", "/",
                                                   "%",  "^",  "<",  ">",  "!",  "(",  ")",  ",",  "?", ":", "."};

/// Bytes of the character that begins at `at`, so that messages never cut one in half.
std::size_t character_length(std::string_view text, std::size_t at) {
    std::size_t length = 1;
    if (static_cast<unsigned char>(text[at]) < 0xc0) return length;
    while (length < 4 && at + length < text.size() && (static_cast<unsigned char>(text[at + length]) & 0xc0) == 0x80) {
        ++length;
    }
    return length;
}

}  // namespace

LabelOfSize label_of_size(std::string_view text, std::size_t from) {
    std::size_t first = text.find_first_not_of(" \t\n\r", from);
    bool const bracket = first < text.size() && text[first] == '[';
    first = bracket ? first + 1 : std::min(first, text.size());
    std::size_t const last = text.find(bracket ? ']' : ')', first);
    if (last == std::string_view::npos) return {{}, first, std::nullopt};
    return {text.substr(first, last - first), first, bracket ? last + 1 : last};
}

Token Lexer::take(TokenKind kind, std::size_t length) {
    Token const token{kind, text_.substr(at_, length), at_};
    at_ += length;
    return token;
}

Token Lexer::label() {
    std::size_t const close = text_.find(']', at_);
    if (close == std::string_view::npos) return take(TokenKind::junk, 1);
    Token token = take(TokenKind::label, close + 1 - at_);
    token.text = token.text.substr(1, token.text.size() - 2);
    return token;
}

/// One "_" may stand between two digits, as in Python.
std::size_t Lexer::digits_from(std::size_t at) const {
    auto const digit = [&](std::size_t k) { return k < text_.size() && is_digit(text_[k]); };
    while (digit(at) || (at > 0 && at < text_.size() && text_[at] == '_' && digit(at - 1) && digit(at + 1))) ++at;
    return at;
}

/// "12", "1.5", ".5", "2.", "1e-5", "1_000", and "2j", an imaginary one: nothing else follows a number's digits.
std::size_t Lexer::number_length() const {
    std::size_t end = digits_from(at_);
    if (end < text_.size() && text_[end] == '.') end = digits_from(end + 1);
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
        std::size_t first = end + 1;
        if (first < text_.size() && (text_[first] == '+' || text_[first] == '-')) ++first;
        if (digits_from(first) > first) end = digits_from(first);
    }
    bool const imaginary = end < text_.size() && (text_[end] == 'j' || text_[end] == 'J') &&
                           !(end + 1 < text_.size() && (is_letter(text_[end + 1]) || is_digit(text_[end + 1])));
    return end - at_ + (imaginary ? 1 : 0);
}

Token Lexer::next() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size()) return take(TokenKind::end, 0);
    char const c = text_[at_];
    bool const point = c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
    if (is_digit(c) || point) return take(TokenKind::number, number_length());
    if (is_letter(c)) {
        std::size_t end = at_;
        while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
        return take(TokenKind::name, end - at_);
    }
    if (c == '[') return label();
    for (std::string_view symbol : symbols) {
        if (text_.substr(at_, symbol.size()) == symbol) return take(TokenKind::symbol, symbol.size());
    }
    return take(TokenKind::junk, character_length(text_, at_));
}

}  // namespace ein::scalar
