#include "lib/base/text/sizes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "lib/base/text/letters.hpp"

namespace ein {
namespace {

constexpr std::string_view prefixes = "kmgtp";

}  // namespace

std::optional<NumberAndUnit> number_and_unit(std::string_view text) {
    double number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
    auto const length = static_cast<std::size_t>(end - text.data());
    std::string unit(text.substr(length));
    std::erase(unit, ' ');
    return NumberAndUnit{number, std::string(text.substr(0, length)), std::move(unit)};
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
    auto const parts = number_and_unit(text);
    if (!parts || !(parts->number >= 0)) return std::nullopt;
    std::string unit = parts->unit;
    if (unit.size() > 1 && unit.back() == 'b' && unit == lowered(unit)) unit.back() = 'B';
    double factor = 1;
    if (!unit.empty() && unit != "B") {
        auto const power = prefixes.find(lower_letter(unit[0]));
        std::string_view const rest = std::string_view(unit).substr(1);
        bool const known = rest.empty() || rest == "B" || rest == "iB" || rest == "IB" || rest == "i";
        if (power == std::string_view::npos || !known) return std::nullopt;
        factor = std::pow(rest == "B" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
    }
    double const bytes = std::round(parts->number * factor);
    if (!(bytes < 0x1p63)) return std::nullopt;
    return static_cast<std::int64_t>(bytes);
}

std::string mend_bits(std::string_view text, std::string_view per) {
    auto const parts = number_and_unit(text);
    std::string word = parts ? lowered(parts->unit) : "";
    if (!parts || !word.ends_with(per)) return "";
    word.resize(word.size() - per.size());
    bool const rate = !per.empty();
    std::string prefix;
    if (!word.empty() && prefixes.find(word[0]) != std::string_view::npos)
        prefix = upper_letter(word[0]), word.erase(0, 1);
    if (word != "b" && word != "ib" && word != "bit" && word != "bits") return "";
    if (rate && prefix == "K") prefix = "k";
    std::string const& amount = parts->written;
    if (rate) return "b may mean bits or bytes: write " + amount + prefix + "bit/s or " + amount + prefix + "B/s";
    if (prefix.empty()) return "sizes are in bytes: write " + amount + "B";
    return "b may mean bits: write " + amount + prefix + "B (powers of 1000) or " + amount + prefix + "iB (of 1024)";
}

std::string note_of_small(std::string_view text) {
    constexpr double small = 1 << 20;
    auto const parts = number_and_unit(text);
    if (!parts || !parts->unit.empty() || !(parts->number < small) || parts->number < 0) return "";
    std::string const& amount = parts->written;
    std::string const large = parts->number < 1024 ? amount + "GiB or " : "";
    return amount + " without a unit is " + format_bytes(parts->number) + ": write " + large + amount +
           "MiB for more, " + amount + "B if that is meant";
}

std::string mend_size(std::string_view text) {
    if (auto const parts = number_and_unit(text)) {
        std::string dotted(text);
        if (auto const comma = dotted.find(','); comma != std::string::npos) dotted[comma] = '.';
        if (parts->number < 0) return "write a size of 0 or more";
        if (dotted != text && parse_bytes(dotted)) return "write " + dotted;
    }
    std::string const bits = mend_bits(text, "");
    return bits.empty() ? "write a number and a unit (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB)" : bits;
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
