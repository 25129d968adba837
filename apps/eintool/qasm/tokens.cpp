#include "apps/eintool/qasm/tokens.hpp"

#include <algorithm>
#include <charconv>

namespace ein::apps::tool::qasm {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class Scanner {
public:
    Scanner(std::string_view text, std::string const& file) : text_(text), file_(file) {}

    std::vector<Token> all() {
        std::vector<Token> out;
        do {
            skip_blanks();
            out.push_back(token());
        } while (out.back().kind != TokenKind::end);
        return out;
    }

private:
    char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

    void skip_blanks() {
        for (; at_ < text_.size(); ++at_) {
            if (text_[at_] == '/' && at(at_ + 1) == '/') at_ = std::min(text_.find('\n', at_), text_.size());
            if (at_ == text_.size() || !is_space(text_[at_])) return;
            if (text_[at_] == '\n') ++line_, line_begin_ = at_ + 1;
        }
    }

    Token token() {
        Place const place{&file_, line_, static_cast<std::int64_t>(at_ - line_begin_) + 1};
        if (at_ == text_.size()) return {TokenKind::end, "", place};
        std::size_t const begin = at_;
        TokenKind const kind = kind_of_next();
        std::string_view text = text_.substr(begin, at_ - begin);
        if (kind == TokenKind::string) text = text.substr(1, text.size() - 2);
        return {kind, text, place};
    }

    /// Goes behind the next word.
    TokenKind kind_of_next() {
        char const c = text_[at_];
        if (is_letter(c)) {
            while (is_letter(at(at_)) || is_digit(at(at_))) ++at_;
            return TokenKind::name;
        }
        if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return number();
        if (c == '"') return quoted();
        at_ += (c == '-' && at(at_ + 1) == '>') || (c == '=' && at(at_ + 1) == '=') ? 2 : 1;
        if (std::string_view(";,()[]{}+-*/^=").find(c) != std::string_view::npos) return TokenKind::symbol;
        while ((static_cast<unsigned char>(at(at_)) & 0xC0) == 0x80) ++at_;  // the rest of a character
        return TokenKind::wrong;
    }

    TokenKind number() {
        bool whole = true;
        while (is_digit(at(at_))) ++at_;
        if (at(at_) == '.') whole = false, ++at_;
        while (is_digit(at(at_))) ++at_;
        if (at(at_) == 'e' || at(at_) == 'E') {
            std::size_t const digits = at_ + (at(at_ + 1) == '+' || at(at_ + 1) == '-' ? 2 : 1);
            if (is_digit(at(digits))) {
                whole = false, at_ = digits;
                while (is_digit(at(at_))) ++at_;
            }
        }
        return whole ? TokenKind::integer : TokenKind::real;
    }

    TokenKind quoted() {
        std::size_t const end = text_.find_first_of("\"\n", at_ + 1);
        bool const closed = end != std::string_view::npos && text_[end] == '"';
        at_ = closed ? end + 1 : std::min(end, text_.size());
        return closed ? TokenKind::string : TokenKind::wrong;
    }

    std::string_view text_;
    std::string const& file_;
    std::size_t at_ = 0, line_begin_ = 0;
    std::int64_t line_ = 1;
};

}  // namespace

void refuse(Place const& at, std::string expected, std::string found, std::string fix) {
    throw InputError(Fault{*at.file, at.text(), std::move(expected), std::move(found), std::move(fix)});
}

std::string describe(Token const& token) {
    if (token.kind == TokenKind::end) return "the end of the file";
    std::string text(token.text.substr(0, 40));
    return "'" + text + (text.size() < token.text.size() ? "..." : "") + "'";
}

Tokens::Tokens(std::string_view text, std::string const& file) : tokens_(Scanner(text, file).all()) {}

Token const& Tokens::peek(std::size_t ahead) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }

bool Tokens::is(std::string_view text) const {
    Token const& next = peek();
    return next.text == text && (next.kind == TokenKind::name || next.kind == TokenKind::symbol);
}

Token Tokens::take() {
    Token const token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
}

bool Tokens::accept(std::string_view text) {
    bool const found = is(text);
    if (found) take();
    return found;
}

Token Tokens::expect(std::string_view text, std::string_view fix) {
    if (!is(text)) {
        std::string const mend = fix.empty() ? "put it before " + describe(peek()) : std::string(fix);
        refuse(peek().place, "'" + std::string(text) + "'", describe(peek()), mend);
    }
    return take();
}

Token Tokens::expect(TokenKind kind, std::string const& what, std::string const& fix) {
    if (peek().kind != kind)
        refuse(peek().place, what, describe(peek()), fix.empty() ? "write it as OpenQASM 2 has it" : fix);
    return take();
}

std::int64_t Tokens::integer(std::string const& what, std::int64_t most) {
    Token const token = expect(TokenKind::integer, what);
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (error != std::errc{} || value > most)
        refuse(token.place, what + ", at most " + std::to_string(most), describe(token), "use a smaller one");
    return value;
}

void Tokens::skip_behind(std::string_view text, std::size_t begin) {
    if (next_ > begin && tokens_[next_ - 1].text == text) return;
    while (!at_end())
        if (std::string_view const taken = take().text; taken == text) return;
}

}  // namespace ein::apps::tool::qasm
