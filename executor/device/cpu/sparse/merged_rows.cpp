#include "executor/device/cpu/sparse/merged_rows.hpp"

#include <algorithm>

namespace ein::executor {

MergedRows::MergedRows(std::span<SparseSource const> sources, std::span<std::uint32_t const> sets)
    : sources_(sources), sets_(sets), places_(sources[0].labels().size()), at_(sources.size()) {}

void MergedRows::begin_row(Extent row) {
    for (std::size_t s = 0; s < sources_.size(); ++s) at_[s] = sources_[s].row(row);
}

std::size_t MergedRows::take(std::size_t most, std::span<std::uint32_t* const> elements) {
    if (sources_.size() == 1) return take_all(most, elements);
    if (sources_.size() == 2 && places_ == 2 && sources_[0].narrow_indices(1) != nullptr &&
        sources_[1].narrow_indices(1) != nullptr)
        return take_of_two(most, elements);
    std::size_t count = 0;
    while (count < most) {
        std::uint32_t const listed = next();
        if (listed == 0) break;
        if (!contributes(listed)) continue;
        for (std::size_t s = 0; !elements.empty() && s < sources_.size(); ++s)
            elements[s][count] = (listed >> s & 1) != 0 ? element_[s] : nowhere;
        ++count;
    }
    return count;
}

bool MergedRows::contributes(std::uint32_t listed) const {
    return std::all_of(sets_.begin(), sets_.end(), [&](std::uint32_t set) { return (set & listed) != 0; });
}

std::uint32_t MergedRows::element(std::size_t source, std::size_t e) const {
    return static_cast<std::uint32_t>(e - sources_[source].all().begin);
}

std::size_t MergedRows::take_all(std::size_t most, std::span<std::uint32_t* const> elements) {
    std::size_t const count = std::min(most, at_[0].end - at_[0].begin);
    for (std::size_t i = 0; !elements.empty() && i < count; ++i) elements[0][i] = element(0, at_[0].begin + i);
    at_[0].begin += count;
    return count;
}

std::size_t MergedRows::take_of_two(std::size_t most, std::span<std::uint32_t* const> elements) {
    std::uint32_t const *const x = sources_[0].narrow_indices(1), *const y = sources_[1].narrow_indices(1);
    bool const left = contributes(1), right = contributes(2);
    SparseSource::Range a = at_[0], b = at_[1];
    std::uint32_t* const to_a = elements.empty() ? nullptr : elements[0];
    std::uint32_t* const to_b = elements.empty() ? nullptr : elements[1];
    std::size_t count = 0;
    constexpr std::uint64_t end = ~std::uint64_t{0};
    while (count < most && (!a.empty() || !b.empty())) {
        std::uint64_t const at_a = a.empty() ? end : x[a.begin], at_b = b.empty() ? end : y[b.begin];
        bool const in_a = at_a <= at_b, in_b = at_b <= at_a;
        if (to_a != nullptr) {
            to_a[count] = in_a ? element(0, a.begin) : nowhere;
            to_b[count] = in_b ? element(1, b.begin) : nowhere;
        }
        a.begin += in_a;
        b.begin += in_b;
        count += (in_a && in_b) || (in_a ? left : right);
    }
    at_[0] = a;
    at_[1] = b;
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
