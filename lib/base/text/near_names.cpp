#include "lib/base/text/near_names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/text/letters.hpp"

namespace ein {
namespace {

/// Letters that are wrong, lacking or too much, and pairs that are exchanged.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::swap(before, above);
        std::swap(above, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            std::size_t const replace = above[j] + (a[i] == b[j] ? 0 : 1);
            row[j + 1] = std::min({row[j] + 1, above[j + 1] + 1, replace});
            bool const exchanged = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            if (exchanged) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
        }
    }
    return row.back();
}

/// How many edits a slip of the fingers takes. Short words that differ by more are other words: "tril" is no "ceil".
std::size_t most_edits(std::size_t letters) {
    if (letters < 2) return 0;
    return letters < 6 ? 1 : letters < 9 ? 2 : letters / 3;
}

/// Whether two names that are some edits apart may be one: whoever mistypes a word seldom does so in its first letter.
bool may_be_one(std::string_view a, std::string_view b, std::size_t edits) {
    bool const begins_alike = !a.empty() && !b.empty() && lower_letter(a[0]) == lower_letter(b[0]);
    return edits == 0 || begins_alike || (edits == 1 && std::min(a.size(), b.size()) > 2);
}

std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

}  // namespace

std::string nearest_name(std::string_view name, std::span<std::string const> known) {
    constexpr std::size_t longest = 200;  // bytes: what it costs grows with their product
    std::string best;
    if (name.size() > longest) return best;
    std::size_t const most = most_edits(name.size());
    std::size_t best_distance = most + 1, best_difference = 0;
    for (std::string const& candidate : known) {
        if (!name.empty() && alike(name, candidate)) return candidate;
        std::size_t const difference =
            std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size());
        if (difference > std::min(best_distance, most)) continue;
        std::size_t const distance = edit_distance(name, candidate);
        if (distance > most || std::pair(distance, difference) >= std::pair(best_distance, best_difference)) continue;
        if (!may_be_one(name, candidate, distance)) continue;
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
