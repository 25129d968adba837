#include "lib/base/text/quantities.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "lib/base/text/sizes.hpp"

namespace ein {

namespace {

struct Unit {
    std::string_view name;
    Quantity quantity;
    double factor;  // to seconds, bytes/s, operations/s
};

constexpr std::array units{
    Unit{"s", Quantity::seconds, 1},
    Unit{"B/s", Quantity::bytes_per_second, 1},
    Unit{"byte/s", Quantity::bytes_per_second, 1},
    Unit{"bit/s", Quantity::bytes_per_second, 0.125},
    Unit{"bps", Quantity::bytes_per_second, 0.125},
    Unit{"flop/s", Quantity::operations_per_second, 1},
    Unit{"FLOP/s", Quantity::operations_per_second, 1},
    Unit{"flops", Quantity::operations_per_second, 1},
    Unit{"FLOPS", Quantity::operations_per_second, 1},
};

constexpr std::string_view large = "kMGTP", small = "munp";

/// What a prefix multiplies by: 1 for none; nothing for what is no prefix of this quantity.
std::optional<double> factor_of(std::string_view prefix, Quantity quantity) {
    if (prefix.empty()) return 1.0;
    if (quantity == Quantity::seconds) {
        auto const power = small.find(prefix == "\u00b5" || prefix == "\u03bc" ? 'u' : prefix[0]);
        bool const one = prefix.size() == 1 || prefix == "\u00b5" || prefix == "\u03bc";
        return power == std::string_view::npos || !one ? std::nullopt
                                                       : std::optional(std::pow(1e-3, static_cast<double>(power + 1)));
    }
    bool const binary = prefix.size() == 2 && prefix[1] == 'i' && quantity == Quantity::bytes_per_second;
    auto const power = large.find(prefix[0] == 'K' ? 'k' : prefix[0]);
    if (power == std::string_view::npos || (prefix.size() > 1 && !binary)) return std::nullopt;
    return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text, Quantity quantity) {
    auto const parts = number_and_unit(text);
    if (!parts) return std::nullopt;
    std::string_view const unit = parts->unit;
    for (Unit const& each : units) {
        if (each.quantity != quantity || !unit.ends_with(each.name)) continue;
        auto const prefix = unit.substr(0, unit.size() - each.name.size());
        if (auto const factor = factor_of(prefix, quantity)) return parts->number * *factor * each.factor;
    }
    return std::nullopt;
}

std::string_view example_of(Quantity quantity) {
    switch (quantity) {
        case Quantity::seconds: return "a time such as \"2us\", or a number of seconds";
        case Quantity::bytes_per_second: return "a rate such as \"100Gbit/s\" or \"8GB/s\", or a number of bytes/s";
        case Quantity::operations_per_second: break;
    }
    return "a rate such as \"60Gflop/s\", or a number of operations/s";
}

std::string mend_quantity(std::string_view text, Quantity quantity) {
    std::string const bits = quantity == Quantity::bytes_per_second ? mend_bits(text, "/s") : "";
    return bits.empty() ? "write the number with its unit" : bits;
}

std::string note_of_unlikely(double number, std::string const& written, Quantity quantity) {
    constexpr double slow = 1e6, long_wait = 0.1;  // bytes/s, operations/s; seconds
    auto const text = [&](std::string_view unit, std::string const& more, std::string_view same) {
        return written + " without a unit is " + written + " " + std::string(unit) + ": write " + more + ", \"" +
               written + std::string(same) + "\" if that is meant";
    };
    if (quantity == Quantity::seconds)
        return number < long_wait ? "" : text("seconds", "\"" + written + "us\" for microseconds", "s");
    if (number >= slow) return "";
    if (quantity == Quantity::bytes_per_second)
        return text("bytes/s", "\"" + written + "GB/s\" or \"" + written + "Gbit/s\" for more", "B/s");
    return text("operations/s", "\"" + written + "Gflop/s\" for more", "flop/s");
}

std::string format_seconds(double seconds) {
    constexpr std::array<char const*, 4> names{"s", "ms", "us", "ns"};
    std::size_t unit = 0;
    double value = seconds;
    while (std::fabs(value) < 1 && value != 0 && unit + 1 < names.size()) value *= 1e3, ++unit;
    char text[48];
    double const size = std::fabs(value);
    std::snprintf(text, sizeof text, "%.*f %s", size >= 100 || value == 0 ? 0 : size >= 10 ? 1 : 2, value, names[unit]);
    return text;
}

}  // namespace ein
