#include "apps/explain/columns.hpp"

#include <algorithm>

namespace ein::apps::explain {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }

/// Bytes of the first `columns` characters.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
    std::size_t at = 0;
    for (; at < text.size(); ++at)
        if (begins_character(text[at]) && columns-- == 0) break;
    return at;
}

/// Bytes of the next line of `text`: up to a space where there is one, else as much as fits.
std::size_t line_of(std::string_view text, std::size_t columns) {
    std::size_t const most = bytes_of(text, columns);
    if (most == text.size()) return most;
    std::size_t const space = text.substr(0, most + 1).rfind(' ');
    return space == std::string_view::npos || space == 0 ? most : space;
}

}  // namespace

std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string fitted(std::string const& text, std::size_t columns) {
    if (width(text) <= columns) return text;
    return text.substr(0, bytes_of(text, columns - 2)) + "..";
}

std::string left(std::string const& text, std::size_t columns) {
    std::string const fit = fitted(text, columns);
    return fit + std::string(columns - width(fit), ' ');
}

std::string right(std::string const& text, std::size_t columns) {
    std::string const fit = fitted(text, columns);
    return std::string(columns - width(fit), ' ') + fit;
}

std::string wrapped(std::string const& first, std::string const& text, std::size_t columns, std::size_t most_lines) {
    std::string const indent(width(first), ' ');
    std::size_t const room = columns - indent.size();
    std::string_view rest = text;
    std::string out;
    for (std::size_t line = 1; line == 1 || !rest.empty(); ++line) {
        bool const last = line == most_lines;
        std::size_t const bytes = line_of(rest, last && width(rest) > room ? room - 4 : room);
        out += (line == 1 ? first : indent) + std::string(rest.substr(0, bytes));
        rest.remove_prefix(bytes);
        while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
        out += last && !rest.empty() ? " ...\n" : "\n";
        if (last) break;
    }
    return out;
}

}  // namespace ein::apps::explain
