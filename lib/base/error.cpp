#include "lib/base/error.hpp"

#include <algorithm>
#include <numeric>

namespace ein {

std::string Fault::text() const {
    std::string out;
    auto part = [&](std::string_view separator, std::string_view text) {
        if (text.empty()) return;
        if (!out.empty()) out += separator;
        out += text;
    };
    part("", file);
    part(": ", where);
    if (!expected.empty()) part(": ", "expected " + expected);
    if (!found.empty()) part(expected.empty() ? ": " : ", ", "found " + found);
    part("; ", mend);
    return out;
}

namespace {
std::string all_texts(std::vector<Fault> const& faults) {
    std::string out;
    for (Fault const& fault : faults) out += (out.empty() ? "" : "\n") + fault.text();
    return out;
}
}  // namespace

InputError::InputError(std::vector<Fault> faults)
    : Error(ExitCode::bad_input, all_texts(faults)), faults_(std::move(faults)) {}

void Faults::add(std::string where, std::string expected, std::string found, std::string mend) {
    faults_.push_back({file_, std::move(where), std::move(expected), std::move(found), std::move(mend)});
}

void Faults::throw_if_any() const {
    if (!faults_.empty()) throw InputError(faults_);
}

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
}  // namespace

std::string nearest_name(std::string_view name, std::span<std::string const> known) {
    std::string best;
    // Half of its letters may be wrong, but the only one may not; a swap counts two.
    std::size_t const most = name.size() <= 1 ? 0 : name.size() <= 3 ? 1 : std::max<std::size_t>(2, name.size() / 2);
    std::size_t best_distance = most + 1;
    for (std::string const& candidate : known) {
        std::size_t const distance = edit_distance(name, candidate);
        if (distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string one_of(std::span<std::string const> names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
        out += names[i];
    }
    return out;
}

}  // namespace ein
