#include "lib/base/limits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein {

namespace {

constexpr std::int64_t kibi = 1 << 10, mebi = 1 << 20, gibi = 1 << 30;
constexpr std::string_view variable = "EINLOOM_LIMITS";

constexpr std::array rows{
    LimitRow{Limit::text, "text", 256 * mebi, true, "a JSON file"},
    LimitRow{Limit::string, "string", 16 * mebi, true, "one string of a JSON file"},
    LimitRow{Limit::nesting, "nesting", 1000000, false, "lists and objects inside one another in a JSON file"},
    LimitRow{Limit::nodes, "nodes", 1000000, false, "tensors and nodes of a graph, with those that they become"},
    LimitRow{Limit::labels, "labels", 100000, false, "labels of one node"},
    LimitRow{Limit::expression, "expression", 256 * kibi, true, "the text of one expression"},
    LimitRow{Limit::npy_header, "npy-header", mebi, true, "the header of a .npy file"},
    LimitRow{Limit::npz_directory, "npz-directory", 64 * mebi, true, "the directory of a .npz file"},
    LimitRow{Limit::safetensors_header, "safetensors-header", 100000000, true, "the header of a .safetensors file"},
    LimitRow{Limit::schedule_header, "schedule-header", gibi, true, "the header of a schedule file"},
    LimitRow{Limit::schedule_section, "schedule-section", gibi, true, "one rank's section of a schedule file"}};

constexpr bool in_order() {
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (static_cast<std::size_t>(rows[k].limit) != k) return false;
    return true;
}
static_assert(in_order(), "limits are looked up by their number");

LimitRow const& row_of(Limit limit) { return rows[static_cast<std::size_t>(limit)]; }

std::optional<std::int64_t> amount_from(LimitRow const& row, std::string_view text) {
    if (row.bytes) return parse_bytes(text);
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

[[noreturn]] void refuse(std::string const& expected, std::string_view found, std::string const& fix) {
    throw UsageError(std::string(variable) + ": expected " + expected + ", found '" + std::string(found) + "'; " + fix);
}

/// "nodes=5000000": the limit that it moves, and where to.
std::pair<Limit, std::int64_t> entry_from(std::string_view text) {
    std::vector<std::string> names;
    for (LimitRow const& row : rows) names.emplace_back(row.name);
    std::string_view const name = text.substr(0, text.find('='));
    auto const row = std::find_if(rows.begin(), rows.end(), [&](LimitRow const& each) { return each.name == name; });
    if (row == rows.end()) refuse(one_of(names), name, mend_name(name, names, "write NAME=AMOUNT"));
    std::string_view const amount = text.substr(std::min(text.size(), name.size() + 1));
    auto const value = amount_from(*row, amount);
    std::string const bits = row->bytes ? mend_bits(amount, "") : "";
    if (!value)
        refuse((row->bytes ? "a size for " : "a number for ") + std::string(name), amount,
               bits.empty() ? "write " + std::string(name) + (row->bytes ? "=1GiB" : "=5000000") : bits);
    return {row->limit, *value};
}

}  // namespace

std::span<LimitRow const> limit_rows() { return rows; }

std::int64_t most(Limit limit) {
    std::int64_t found = row_of(limit).standard;
    char const* const set = std::getenv(variable.data());
    for (std::string_view rest = set == nullptr ? "" : set; !rest.empty();) {
        std::string_view const text = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), text.size() + 1));
        if (auto const [moved, amount] = entry_from(text); moved == limit) found = amount;
    }
    return found;
}

std::string amount_text(Limit limit, std::uint64_t amount) {
    return row_of(limit).bytes ? format_bytes(static_cast<double>(amount)) : std::to_string(amount);
}

std::string at_most(Limit limit) { return "at most " + amount_text(limit, static_cast<std::uint64_t>(most(limit))); }

std::string how_to_allow(Limit limit, std::uint64_t amount) {
    LimitRow const& row = row_of(limit);
    std::uint64_t const enough = std::bit_ceil(std::min(amount, std::uint64_t{1} << 62));
    std::string const text = row.bytes && enough >= mebi   ? std::to_string(enough / mebi) + "MiB"
                             : row.bytes && enough >= kibi ? std::to_string(enough / kibi) + "KiB"
                                                           : std::to_string(enough);
    return "allow more with " + std::string(variable) + "=" + std::string(row.name) + "=" + text;
}

void check_header(std::string const& file, Limit limit, std::uint64_t bytes) {
    if (bytes <= static_cast<std::uint64_t>(most(limit))) return;
    throw InputError(Fault{file, "", std::string(row_of(limit).what) + " of " + at_most(limit),
                           amount_text(limit, bytes),
                           "check that it is the right file, or " + how_to_allow(limit, bytes)});
}

}  // namespace ein
