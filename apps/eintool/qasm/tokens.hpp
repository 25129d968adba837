// The words of an OpenQASM 2 file, each with its place, and a cursor over them that refuses what it does not expect.
// Comments are left out; what is no word becomes one of kind `wrong`, refused where it stands.
// Example: Tokens t("qreg q[2];", "bell.qasm"); t.expect("qreg"); t.name("a register's name") is "q" of line 1,
// column 6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.hpp"

namespace ein::apps::tool::qasm {

/// Lines and columns (in bytes) begin at 1.
struct Place {
    std::string const* file = nullptr;
    std::int64_t line = 1, column = 1;

    std::string text() const { return "line " + std::to_string(line) + ", column " + std::to_string(column); }
};

/// @throws InputError, always
[[noreturn]] void refuse(Place const& at, std::string expected, std::string found, std::string fix);

enum class TokenKind { name, integer, real, string, symbol, wrong, end };

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;  // of a string: without its quotes
    Place place;
};

class Tokens {
public:
    /// `text` and `file` must outlive the tokens.
    Tokens(std::string_view text, std::string const& file);

    Token const& peek(std::size_t ahead = 0) const;
    bool at_end() const { return peek().kind == TokenKind::end; }
    bool is(std::string_view text) const;
    Token take();
    /// Takes the next word if it is this one.
    bool accept(std::string_view text);

    /// @throws InputError unless the next word is this one
    Token expect(std::string_view text, std::string_view fix = "");
    Token expect(TokenKind kind, std::string const& what, std::string const& fix = "");
    Token name(std::string const& what) { return expect(TokenKind::name, what); }
    /// A whole number of at most `most`.
    std::int64_t integer(std::string const& what, std::int64_t most);

    /// How many words were taken.
    std::size_t taken() const { return next_; }
    /// After a fault: goes behind the next of these words that was not taken since `begin`, or to the end.
    void skip_behind(std::string_view text, std::size_t begin);

private:
    std::vector<Token> tokens_;  // the last one is the end
    std::size_t next_ = 0;
};

/// How a token is called in messages: "'q'", or "the end of the file".
std::string describe(Token const& token);

}  // namespace ein::apps::tool::qasm
