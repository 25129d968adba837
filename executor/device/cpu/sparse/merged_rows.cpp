#include "executor/device/cpu/sparse/merged_rows.hpp"

#include <algorithm>
#include <bit>

namespace ein::executor {

MergedRows::MergedRows(std::span<SparseSource const> sources, std::span<std::uint32_t const> sets)
    : sources_(sources), sets_(sets), places_(sources[0].labels().size()), at_(sources.size()) {}

void MergedRows::begin_row(Extent row) {
    for (std::size_t s = 0; s < sources_.size(); ++s) at_[s] = sources_[s].row(row);
}

bool MergedRows::is_narrow_pair() const {
    return sources_.size() == 2 && places_ == 2 && sources_[0].narrow_indices(1) != nullptr &&
           sources_[1].narrow_indices(1) != nullptr;
}

std::size_t MergedRows::take(std::size_t most, Points const& to) {
    if (sources_.size() == 1) return take_all(most, to);
    if (is_narrow_pair()) return take_of_two(most, to);
    std::size_t count = 0;
    while (count < most) {
        std::uint32_t const listed = next();
        if (listed == 0) break;
        if (!contributes(listed)) continue;
        for (std::size_t s = 0; s < sources_.size(); ++s)
            to.elements[s][count] = (listed >> s & 1) != 0 ? element_[s] : nowhere;
        auto const first = static_cast<std::size_t>(std::countr_zero(listed));
        locate(first, sources_[first].all().begin + element_[first], count, to);
        ++count;
    }
    return count;
}

std::size_t MergedRows::count_rest() {
    std::size_t count = 0;
    if (is_narrow_pair()) {
        SparseSource::Range &a = at_[0], &b = at_[1];
        std::size_t const of_a = a.end - a.begin, of_b = b.end - b.begin;
        std::uint32_t const *const x = sources_[0].narrow_indices(1), *const y = sources_[1].narrow_indices(1);
        std::size_t common = 0;
        while (!a.empty() && !b.empty()) {  // without branches: which comes first cannot be foreseen
            std::uint32_t const at_a = x[a.begin], at_b = y[b.begin];
            common += at_a == at_b;
            a.begin += at_a <= at_b;
            b.begin += at_b <= at_a;
        }
        return common + (contributes(1) ? of_a - common : 0) + (contributes(2) ? of_b - common : 0);
    }
    while (std::uint32_t const listed = next()) count += contributes(listed);
    return count;
}

bool MergedRows::contributes(std::uint32_t listed) const {
    return std::all_of(sets_.begin(), sets_.end(), [&](std::uint32_t set) { return (set & listed) != 0; });
}

void MergedRows::locate(std::size_t source, std::size_t e, std::size_t point, Points const& to) const {
    for (std::size_t place = 0; place < to.index.size(); ++place)
        to.index[place][point] = sources_[source].index(place + 1, e);
}

std::size_t MergedRows::take_all(std::size_t most, Points const& to) {
    std::size_t const count = std::min(most, at_[0].end - at_[0].begin);
    for (std::size_t i = 0; i < count; ++i) to.elements[0][i] = element(0, at_[0].begin + i);
    for (std::size_t i = 0; !to.index.empty() && i < count; ++i) locate(0, at_[0].begin + i, i, to);
    at_[0].begin += count;
    return count;
}

/// Without branches: which comes first cannot be foreseen.
std::size_t MergedRows::take_of_two(std::size_t most, Points const& to) {
    std::uint32_t const *const x = sources_[0].narrow_indices(1), *const y = sources_[1].narrow_indices(1);
    std::uint32_t *const to_a = to.elements[0], *const to_b = to.elements[1];
    Extent* const index = to.index[0];
    std::array<std::size_t, 4> const taken = {0, contributes(1), contributes(2), contributes(3)};  // by who lists it
    SparseSource::Range a = at_[0], b = at_[1];
    std::size_t const first_a = sources_[0].all().begin, first_b = sources_[1].all().begin;
    std::size_t count = 0;
    while (count < most && !a.empty() && !b.empty()) {
        std::uint32_t const at_a = x[a.begin], at_b = y[b.begin];
        std::uint32_t const in_a = at_a <= at_b, in_b = at_b <= at_a;
        to_a[count] = static_cast<std::uint32_t>(a.begin - first_a) | (in_a - 1);  // nowhere: all bits
        to_b[count] = static_cast<std::uint32_t>(b.begin - first_b) | (in_b - 1);
        index[count] = std::min(at_a, at_b);
        a.begin += in_a;
        b.begin += in_b;
        count += taken[in_a + 2 * in_b];
    }
    at_[0] = a;
    at_[1] = b;
    if (b.empty()) count = take_rest_of(0, most, count, to);
    if (a.empty()) count = take_rest_of(1, most, count, to);
    return count;
}

/// Where the other of two lists no more.
std::size_t MergedRows::take_rest_of(std::size_t source, std::size_t most, std::size_t count, Points const& to) {
    SparseSource::Range& at = at_[source];
    if (!contributes(1u << source)) at.begin = at.end;
    for (; count < most && !at.empty(); ++at.begin, ++count) {
        to.elements[source][count] = element(source, at.begin);
        to.elements[1 - source][count] = nowhere;
        locate(source, at.begin, count, to);
    }
    return count;
}

/// The next place that anything lists. @return by whom; 0 at the end
std::uint32_t MergedRows::next() {
    std::uint32_t listed = 0;
    std::size_t first = 0;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        if (at_[s].empty()) continue;
        int const order = listed == 0 ? -1 : compare(s, first);
        if (order > 0) continue;
        if (order < 0) {
            listed = 0;
            first = s;
        }
        listed |= 1u << s;
    }
    for (std::size_t s = 0; s < sources_.size(); ++s)
        if ((listed >> s & 1) != 0) element_[s] = element(s, at_[s].begin++);
    return listed;
}

int MergedRows::compare(std::size_t a, std::size_t b) const {
    for (std::size_t place = 1; place < places_; ++place) {
        Extent const x = sources_[a].index(place, at_[a].begin), y = sources_[b].index(place, at_[b].begin);
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

}  // namespace ein::executor
