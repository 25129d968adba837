// Tables for a screen: rows by a printf format, names cut to a column's width, shares as percent.
// Example: row("  %-*s %8s\n", 6, cut("attention", 6).c_str(), percent(0.125).c_str()) is "  att...   12.5 %\n".
#pragma once

#include <cstdio>
#include <string>

namespace ein {

/// As printf writes it, of any length.
template <class... Values>
std::string row(char const* format, Values... values) {
    int const length = std::snprintf(nullptr, 0, format, values...);
    std::string out(static_cast<std::size_t>(length) + 1, '\0');
    std::snprintf(out.data(), out.size(), format, values...);
    out.pop_back();
    return out;
}

/// At most so many columns, whole UTF-8 characters, the last three "..." where something is left out.
inline std::string cut(std::string const& text, std::size_t columns) {
    auto const begins = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
    std::size_t count = 0, keep = text.size();
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!begins(text[at])) continue;
        if (count == columns - 3) keep = at;
        if (++count > columns) return text.substr(0, keep) + "...";
    }
    return text;
}

/// "12.5 %" of 0.125.
inline std::string percent(double share) { return row("%.1f %%", 100 * share); }

}  // namespace ein
