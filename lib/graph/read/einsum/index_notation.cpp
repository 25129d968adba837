#include "lib/graph/read/einsum/index_notation.hpp"

#include <cctype>
#include <optional>
#include <vector>

namespace ein::graph {
namespace {

bool is_index(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_name_sign(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// What stands in brackets, or behind "_": letters, with commas or spaces between them.
std::optional<std::string> letters_in(std::string_view text) {
    std::string letters;
    for (char const c : text) {
        if (c == ',' || c == ' ') continue;
        if (!is_index(c)) return std::nullopt;
        letters += c;
    }
    return letters.empty() ? std::nullopt : std::optional(letters);
}

/// The indices of each tensor in one side of an equation; nothing where something else stands there.
std::optional<std::vector<std::string>> indices_in(std::string_view side) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < side.size();) {
        char const c = side[at];
        if (c == ' ' || c == '*' || c == ',' || is_name_sign(c)) {
            ++at;
            continue;
        }
        bool const brace = c == '_' && at + 1 < side.size() && side[at + 1] == '{';
        if (c != '[' && c != '_') return std::nullopt;
        std::size_t const begin = at + (brace ? 2 : 1);
        std::size_t end = begin;
        if (c == '[' || brace)
            end = side.find(brace ? '}' : ']', begin);
        else
            while (end < side.size() && is_index(side[end])) ++end;
        if (end == std::string_view::npos) return std::nullopt;
        auto const letters = letters_in(side.substr(begin, end - begin));
        if (!letters) return std::nullopt;
        out.push_back(*letters);
        at = end + (c == '[' || brace ? 1 : 0);
    }
    return out.empty() ? std::nullopt : std::optional(out);
}

}  // namespace

std::string subscripts_of_indices(std::string_view text) {
    std::size_t const arrow = text.find("->"), equals = text.find('=');
    bool const by_arrow = arrow != std::string_view::npos;
    if (!by_arrow && equals == std::string_view::npos) return "";
    std::string_view inputs = by_arrow ? text.substr(0, arrow) : text.substr(equals + 1);
    std::string_view output = by_arrow ? text.substr(arrow + 2) : text.substr(0, equals);
    if (!by_arrow && (output.ends_with(':') || output.ends_with('+'))) output.remove_suffix(1);  // of := and +=
    bool const words = by_arrow && text.find('[') == std::string_view::npos;  // as "seq d_model -> d_model"
    if (words || text.find_first_of("_[") == std::string_view::npos || inputs.find_first_of("=>") == 0) return "";
    if (!by_arrow && inputs.starts_with("sum")) inputs.remove_prefix(3);
    auto const terms = indices_in(inputs), result = indices_in(output);
    if (!terms || !result || result->size() != 1) return "";
    std::string out;
    for (std::string const& term : *terms) out += (out.empty() ? "" : ",") + term;
    return out + "->" + result->front();
}

}  // namespace ein::graph
