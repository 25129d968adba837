#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/fuzz/mutate.hpp"

namespace ein::fuzz {

namespace {

/// A name, number, quoted string, or one other character; white space is between tokens.
struct Token {
    std::size_t begin = 0, count = 0;
    std::size_t end() const { return begin + count; }
};

/// Where a value stands: one token, or all from a bracket to the one that closes it.
using Value = Token;

enum Kind : std::uint8_t { other_kind, space, letter, digit };

/// A look here costs less than a call of the C library, and this is done for every byte of every input.
constexpr std::array<Kind, 256> kinds = [] {
    std::array<Kind, 256> out{};
    for (char c : {' ', '\t', '\n', '\v', '\f', '\r'}) out[static_cast<std::uint8_t>(c)] = space;
    for (char c = '0'; c <= '9'; ++c) out[static_cast<std::uint8_t>(c)] = digit;
    for (char c = 'a'; c <= 'z'; ++c) out[static_cast<std::uint8_t>(c)] = letter;
    for (char c = 'A'; c <= 'Z'; ++c) out[static_cast<std::uint8_t>(c)] = letter;
    out['_'] = letter;
    return out;
}();

bool is_name(std::uint8_t c) { return kinds[c] >= letter; }

std::size_t token_end(Bytes const& text, std::size_t at) {
    std::size_t end = at + 1;
    if (text[at] == '"') {
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        return std::min(end + 1, text.size());
    }
    bool const number = kinds[text[at]] == digit;
    if (!is_name(text[at])) return end;
    while (end < text.size() && (is_name(text[end]) || (number && text[end] == '.'))) ++end;
    return end;
}

std::vector<Token> tokens_of(Bytes const& text) {
    std::vector<Token> out;
    out.reserve(text.size() / 2);
    for (std::size_t at = 0; at < text.size();) {
        if (kinds[text[at]] == space) {
            ++at;
            continue;
        }
        std::size_t const end = token_end(text, at);
        out.push_back({at, end - at});
        at = end;
    }
    return out;
}

bool opens(std::uint8_t c) { return c == '{' || c == '[' || c == '('; }
bool closes(std::uint8_t c) { return c == '}' || c == ']' || c == ')'; }

Value value_at(Bytes const& text, std::vector<Token> const& tokens, std::size_t at) {
    if (!opens(text[tokens[at].begin])) return tokens[at];
    std::size_t depth = 0;
    for (std::size_t i = at; i < tokens.size(); ++i) {
        std::uint8_t const c = text[tokens[i].begin];
        if (opens(c)) ++depth;
        if (closes(c) && --depth == 0) return {tokens[at].begin, tokens[i].end() - tokens[at].begin};
    }
    return tokens[at];
}

Value some_value(Bytes const& text, std::vector<Token> const& tokens, Random& random) {
    return value_at(text, tokens, random.below(tokens.size()));
}

Bytes text_of(Bytes const& text, Value value) {
    return {text.begin() + static_cast<std::ptrdiff_t>(value.begin),
            text.begin() + static_cast<std::ptrdiff_t>(value.end())};
}

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Bytes wrapped(Bytes const& value, Random& random) {
    constexpr std::string_view ways[][2] = {{"[", "]"},       {"{\"x-a\":", "}"}, {"(", ")"},         {"-", ""},
                                            {"[[[[", "]]]]"}, {"\"", "\""},       {"where(", ",1,2)"}};
    auto const& [before, after] = ways[random.below(std::size(ways))];
    Bytes out = bytes_of(before);
    out.insert(out.end(), value.begin(), value.end());
    out.insert(out.end(), after.begin(), after.end());
    return out;
}

Bytes some_number(Random& random) {
    constexpr std::string_view odd[] = {"1e308", "-1e308", "5e-324", "0.1", "-0.0", "1e18", "18446744073709551616"};
    if (random.one_in(3)) return bytes_of(odd[random.below(std::size(odd))]);
    return bytes_of(std::to_string(edge_number(random, 0)));
}

/// The bytes between the quotes of a string, or of a name.
Value inside(Bytes const& text, Token token) {
    if (text[token.begin] != '"' || token.count < 2) return token;
    return {token.begin + 1, token.count - 2};
}

void exchange(Bytes& input, Value first, Value second) {
    if (second.begin < first.begin) std::swap(first, second);
    if (first.end() > second.begin) return;  // one in the other
    Bytes const a = text_of(input, first), b = text_of(input, second);
    replace_range(input, second.begin, second.count, a);
    replace_range(input, first.begin, first.count, b);
}

/// With the comma before or after it.
void remove_value(Bytes& input, std::vector<Token> const& tokens, Value value) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        bool const comma = input[tokens[i].begin] == ',';
        if (comma && tokens[i].begin >= value.end()) {
            bool const next = i > 0 && tokens[i - 1].end() == value.end();
            replace_range(input, value.begin, next ? tokens[i].end() - value.begin : value.count, {});
            return;
        }
    }
    replace_range(input, value.begin, value.count, {});
}

}  // namespace

void mutate_text(Bytes& input, Bytes const& other, Random& random) {
    std::vector<Token> const tokens = tokens_of(input);
    if (tokens.empty() || input.size() > (std::size_t{1} << 16)) return mutate_bytes(input, other, random);
    Value const value = some_value(input, tokens, random);
    switch (random.below(9)) {
        case 0: replace_range(input, value.begin, value.count, some_number(random)); break;
        case 1: {
            Bytes const copy = text_of(input, some_value(input, tokens, random));
            replace_range(input, value.begin, value.count, copy);
            break;
        }
        case 2: {
            std::vector<Token> const theirs = tokens_of(other);
            if (theirs.empty()) break;
            replace_range(input, value.begin, value.count, text_of(other, some_value(other, theirs, random)));
            break;
        }
        case 3: remove_value(input, tokens, value); break;
        case 4: {  // once more
            Bytes again = text_of(input, value);
            again.insert(again.begin(), ',');
            replace_range(input, value.end(), 0, again);
            break;
        }
        case 5: exchange(input, value, some_value(input, tokens, random)); break;
        case 6: replace_range(input, value.begin, value.count, wrapped(text_of(input, value), random)); break;
        case 7: {  // a letter of a string or name
            Value const letters = inside(input, tokens[random.below(tokens.size())]);
            if (letters.count == 0) break;
            constexpr std::string_view odd[] = {"\\u0000",  "\\\"", "\\ud800", "/", "..", "->",
                                                "\xc3\xa9", " ",    ",",       "A", "i"};
            replace_range(input, letters.begin + random.below(letters.count), random.below(2),
                          bytes_of(odd[random.below(std::size(odd))]));
            break;
        }
        default: mutate_bytes(input, other, random);
    }
}

std::size_t mutate_text_inside(Bytes& input, std::size_t begin, std::size_t count, Bytes const& other, Random& random) {
    Bytes text = text_of(input, {begin, count});
    mutate_text(text, other, random);
    replace_range(input, begin, count, text);
    return text.size();
}

}  // namespace ein::fuzz
