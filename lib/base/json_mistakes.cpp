#include "lib/base/json_mistakes.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"
#include "lib/base/json_foreign_keys.hpp"
#include "lib/base/text/letters.hpp"
#include "lib/base/text/near_names.hpp"

namespace ein {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

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
    while (begin > 0 && is_word_character(text[begin - 1])) --begin;
    if (begin > 0 && text[begin - 1] == '-') --begin;
    while (end < text.size() && is_word_character(text[end])) ++end;
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

namespace {

/// Where several of ours are named, the first that an object may have is meant.
struct KeyNamed {
    std::string_view written, ours;
};
constexpr std::array keys{
    KeyNamed{"version", "eingraph"},
    KeyNamed{"inputs", "tensors"},
    KeyNamed{"input", "tensors"},
    KeyNamed{"variables", "tensors"},
    KeyNamed{"arrays", "tensors"},
    KeyNamed{"data", "tensors"},
    KeyNamed{"weights", "tensors"},
    KeyNamed{"parameters", "params"},
    KeyNamed{"constants", "params"},
    KeyNamed{"scalars", "params"},
    KeyNamed{"ops", "nodes"},
    KeyNamed{"operations", "nodes"},
    KeyNamed{"layers", "nodes"},
    KeyNamed{"graph", "nodes"},
    KeyNamed{"results", "outputs"},
    KeyNamed{"type", "op"},
    KeyNamed{"operation", "op"},
    KeyNamed{"equation", "einsum"},
    KeyNamed{"subscripts", "einsum"},
    KeyNamed{"expr", "einsum"},
    KeyNamed{"formula", "join"},
    KeyNamed{"function", "join"},
    KeyNamed{"fn", "join"},
    KeyNamed{"func", "join"},
    KeyNamed{"expression", "join"},
    KeyNamed{"lambda", "join"},
    KeyNamed{"reduce", "agg"},
    KeyNamed{"reduction", "agg"},
    KeyNamed{"aggregate", "agg"},
    KeyNamed{"aggregation", "agg"},
    KeyNamed{"args", "inputs"},
    KeyNamed{"operands", "inputs"},
    KeyNamed{"of", "inputs"},
    KeyNamed{"id", "name"},
    KeyNamed{"out", "name"},
    KeyNamed{"output", "name"},
    KeyNamed{"iterations", "times"},
    KeyNamed{"steps", "times"},
    KeyNamed{"count", "times"},
    KeyNamed{"n", "times"},
    KeyNamed{"repeat", "times"},
    KeyNamed{"epochs", "times"},
    KeyNamed{"condition", "while"},
    KeyNamed{"cond", "while"},
    KeyNamed{"max_iterations", "max"},
    KeyNamed{"max_iter", "max"},
    KeyNamed{"limit", "max"},
    KeyNamed{"state", "carry"},
    KeyNamed{"carried", "carry"},
    KeyNamed{"init", "carry"},
    KeyNamed{"nodes", "body"},
    KeyNamed{"do", "body"},
    KeyNamed{"loss", "of"},
    KeyNamed{"target", "of"},
    KeyNamed{"with_respect_to", "wrt"},
    KeyNamed{"by", "wrt"},
    KeyNamed{"variables", "wrt"},
    KeyNamed{"size", "shape"},
    KeyNamed{"dims", "shape"},
    KeyNamed{"dimensions", "shape"},
    KeyNamed{"extents", "shape"},
    KeyNamed{"file", "data"},
    KeyNamed{"path", "data"},
    KeyNamed{"value", "data"},
    KeyNamed{"values", "data"},
    KeyNamed{"init", "data"},
    KeyNamed{"source", "data"},
    KeyNamed{"datatype", "dtype"},
    KeyNamed{"type", "dtype"},
    KeyNamed{"min", "low"},
    KeyNamed{"minimum", "low"},
    KeyNamed{"max", "high"},
    KeyNamed{"maximum", "high"},
    KeyNamed{"mu", "mean"},
    KeyNamed{"loc", "mean"},
    KeyNamed{"sigma", "std"},
    KeyNamed{"stddev", "std"},
    KeyNamed{"scale", "std"},
    KeyNamed{"flops", "flops_per_second"},
    KeyNamed{"network", "between"},
    KeyNamed{"inter", "between"},
    KeyNamed{"intra", "inside"},
    KeyNamed{"tasks_per_node", "ranks_per_node"},
    KeyNamed{"slots", "ranks_per_node"},
    KeyNamed{"hosts", "nodes"},
    KeyNamed{"random_state", "seed"},
    KeyNamed{"key", "entry"},
    KeyNamed{"array", "entry"},
    KeyNamed{"name", "entry"},
    KeyNamed{"name", "tensor"},
    KeyNamed{"key", "tensor"},
};

/// A word without what people write otherwise: capitals, a plural, "_", "-" and spaces.
std::string stem(std::string_view word) {
    std::string out;
    for (char const c : word)
        if (c != '_' && c != '-' && c != ' ') out += lower_letter(c);
    if (out.size() > 3 && out.back() == 's') out.pop_back();
    return out;
}

}  // namespace

std::string mend_key(std::string_view written, std::span<std::string const> known,
                     std::function<bool(std::string const&)> const& has) {
    std::vector<std::string> names(known.begin(), known.end());
    auto const present = std::stable_partition(names.begin(), names.end(), [&](auto const& key) { return !has(key); });
    std::span<std::string const> const absent(names.begin(), present);
    for (std::string const& key : names)
        if (stem(key) == stem(written))
            return has(key) ? "\"" + key + "\" is there already: remove one of them" : did_you_mean(key);
    if (std::string mend = mend_foreign_key(written, known); !mend.empty()) return mend;
    for (KeyNamed const& key : keys)
        if (key.written == written && std::ranges::find(absent, key.ours) != absent.end())
            return did_you_mean(key.ours);
    return mend_name(
        written, names,
        "remove it if it means nothing, or begin it with x-");  // of those as near the first, which is absent
}

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
