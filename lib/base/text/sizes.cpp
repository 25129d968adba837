#include "lib/base/text/sizes.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace ein {

std::optional<std::int64_t> parse_bytes(std::string_view text) {
    double number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !(number >= 0)) return std::nullopt;
    std::string unit;
    for (char c : text.substr(static_cast<std::size_t>(end - text.data())))
        if (c != ' ') unit += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    constexpr std::string_view prefixes = "kmgtp";
    double factor = 1;
    if (!unit.empty() && unit != "b") {
        auto const power = prefixes.find(unit[0]);
        std::string_view const rest = std::string_view(unit).substr(1);
        if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) return std::nullopt;
        factor = std::pow(rest == "b" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
    }
    double const bytes = std::round(number * factor);
    if (!(bytes < 0x1p63)) return std::nullopt;
    return static_cast<std::int64_t>(bytes);
}

namespace {

template <std::size_t N>
std::string scaled(double value, double base, std::array<char const*, N> const& units) {
    std::size_t unit = 0;
    while (std::fabs(value) >= base && unit + 1 < units.size()) {
        value /= base;
        ++unit;
    }
    char text[48];
    int const decimals = value == std::floor(value) || std::fabs(value) >= 100 ? 0 : std::fabs(value) >= 10 ? 1 : 2;
    std::snprintf(text, sizeof text, "%.*f %s", decimals, value, units[unit]);
    return text;
}

}  // namespace

std::string format_bytes(double bytes) {
    return scaled(bytes, 1024.0, std::array{"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string format_exact_bytes(std::int64_t bytes) {
    return format_bytes(static_cast<double>(bytes)) + " (" + std::to_string(bytes) + " bytes)";
}

std::string format_count(double count) {
    std::string text = scaled(count, 1000.0, std::array{"", "k", "M", "G", "T", "P"});
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

}  // namespace ein
