#include "lib/base/text/near_names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/text/letters.hpp"

namespace ein {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            std::size_t const replace = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replace});
        }
    }
    return row.back();
}

std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

}  // namespace

std::string nearest_name(std::string_view name, std::span<std::string const> known) {
    constexpr std::size_t longest = 200;  // bytes: what it costs grows with their product
    std::string best;
    if (name.size() > longest) return best;
    // Half of its letters may be wrong, but the only one may not; a swap counts two.
    std::size_t const most = name.size() <= 1 ? 0 : name.size() <= 3 ? 1 : std::max<std::size_t>(2, name.size() / 2);
    std::size_t best_distance = most + 1, best_difference = 0;
    for (std::string const& candidate : known) {
        if (!name.empty() && alike(name, candidate)) return candidate;
        std::size_t const difference =
            std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size());
        if (difference > std::min(best_distance, most)) continue;
        std::size_t const distance = edit_distance(name, candidate);
        if (distance > most || std::pair(distance, difference) >= std::pair(best_distance, best_difference)) continue;
        best = candidate;
        best_distance = distance;
        best_difference = difference;
    }
    return best;
}

std::string did_you_mean(std::string_view meant) { return "did you mean " + in_quotes(meant) + "?"; }

std::string mend_name(std::string_view name, std::span<std::string const> known, std::string otherwise) {
    std::string const near = nearest_name(name, known);
    return near.empty() ? std::move(otherwise) : did_you_mean(near);
}

std::string mend_names(std::string_view name, std::vector<std::string> known, std::string const& holder) {
    constexpr std::size_t most_near = 3, most_shown = 5;
    std::vector<std::string> near;
    while (near.size() < most_near) {
        std::string const next = nearest_name(name, known);
        if (next.empty()) break;
        near.push_back(in_quotes(next));
        std::erase(known, next);
    }
    if (!near.empty()) return "did you mean " + one_of(near) + "?";
    if (known.empty()) return holder + " holds none at all";
    bool const more = known.size() > most_shown;
    known.resize(std::min(known.size(), most_shown));
    return holder + " has " + std::string(more ? "among others " : "") + one_of(known);
}

std::string or_else(std::string const& mend, std::string const& other) {
    return mend.empty() ? other : mend + (mend.ends_with('?') ? " or " : ", or ") + other;
}

}  // namespace ein
