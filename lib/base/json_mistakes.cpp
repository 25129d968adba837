#include "lib/base/json_mistakes.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ein {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The last character before `at` that is no space.
std::optional<std::size_t> before(std::string_view text, std::size_t at) {
    while (at > 0)
        if (!is_space(text[--at])) return at;
    return std::nullopt;
}

struct Constant {
    std::string_view written, means;
};
constexpr std::array constants{Constant{"True", "true"},        Constant{"False", "false"},
                               Constant{"None", "null"},        Constant{"NaN", "\"nan\""},
                               Constant{"nan", "\"nan\""},      Constant{"inf", "\"inf\""},
                               Constant{"Infinity", "\"inf\""}, Constant{"-Infinity", "\"-inf\""}};

/// The word that the parser stumbled over: it may have read some of it.
std::string_view word_at(std::string_view text, std::size_t at) {
    std::size_t begin = at, end = at;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    if (begin > 0 && text[begin - 1] == '-') --begin;
    while (end < text.size() && is_word(text[end])) ++end;
    return text.substr(begin, std::max(end, begin) - begin);
}

std::optional<JsonMistake> word_mistake(std::string_view text, std::size_t at) {
    std::string_view const word = word_at(text, at);
    if (word.empty()) return std::nullopt;
    auto const begin = static_cast<std::size_t>(word.data() - text.data());
    std::string const found = "'" + std::string(word.substr(0, 40)) + "'";
    auto const constant = std::ranges::find(constants, word, &Constant::written);
    if (constant != constants.end()) return JsonMistake{at + 1, "JSON", found, "write " + std::string(constant->means)};
    auto const last = before(text, begin);
    std::size_t next = begin + word.size();
    while (next < text.size() && is_space(text[next])) ++next;
    bool const key = last && (text[*last] == '{' || text[*last] == ',') && next < text.size() && text[next] == ':';
    if (!key) return std::nullopt;
    return JsonMistake{at + 1, "keys in double quotes", found, "write \"" + std::string(word.substr(0, 40)) + "\""};
}

}  // namespace

std::optional<JsonMistake> json_mistake(std::string_view text, std::size_t byte) {
    if (byte == 0 || byte > text.size()) return std::nullopt;
    std::size_t const at = byte - 1;
    char const c = text[at];
    auto const last = before(text, at);
    if ((c == ']' || c == '}') && last && text[*last] == ',')
        return JsonMistake{*last + 1, std::string("no comma before '") + c + "'", "one", "remove the comma"};
    bool const slashes = c == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*');
    if (c == '#' || slashes)
        return JsonMistake{byte, "JSON, which has no comments", std::string("'") + c + "'",
                           "remove the comment, or write it as a key that begins with x-: \"x-note\": \"...\""};
    if (c == '\'') return JsonMistake{byte, "JSON", "a single quote", "write double ones: \"name\" for 'name'"};
    return word_mistake(text, at);
}

}  // namespace ein
