#include "executor/device/cpu/sparse/merged_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "executor/device/cpu/sparse/tuning.hpp"

namespace ein::executor {
namespace {

/// Columns of which each may be marked: the marks stay in the second-level cache. Marks of all pieces together are
/// cleared in less time than elements are gone through.
constexpr std::size_t most_marked_columns = std::size_t{1} << 18, pieces = sparse_tuning::most_pieces;

/// Elements of one size.
template <std::size_t Size>
void pick(std::byte const* from, std::uint32_t const* elements, std::byte const* fill, std::size_t count,
          std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) {  // without branches: who lists a point cannot be foreseen
        bool const listed = elements[i] != MergedRows::nowhere;
        std::byte const* const places[2] = {fill, from + std::size_t{elements[i]} * Size};
        std::memcpy(to + i * Size, places[listed], Size);
    }
}

}  // namespace

void pick_listed(std::byte const* from, std::uint32_t const* elements, std::byte const* fill, std::size_t count,
                 std::size_t size, std::byte* to) {
    switch (size) {
        case 1: return pick<1>(from, elements, fill, count, to);
        case 2: return pick<2>(from, elements, fill, count, to);
        case 4: return pick<4>(from, elements, fill, count, to);
        case 8: return pick<8>(from, elements, fill, count, to);
        default: return pick<16>(from, elements, fill, count, to);
    }
}

bool MergedRows::can_merge(std::span<Extent const> lengths, std::span<int const> labels) {
    constexpr Extent most = Extent{1} << 62;
    Extent keys = 1;
    for (std::size_t place = 1; place < labels.size(); ++place) {
        Extent const length = std::max<Extent>(lengths[static_cast<std::size_t>(labels[place])], 1);
        if (keys > most / length) return false;
        keys *= length;
    }
    return !labels.empty();
}

MergedRows::MergedRows(std::span<SparseSource const> sources, std::span<std::uint32_t const> sets,
                       std::span<Extent const> lengths)
    : sources_(sources),
      contributes_(std::size_t{1} << sources.size()),
      places_(sources[0].labels().size()),
      strides_(places_, 1),
      narrow_(places_ == 2 && std::all_of(sources.begin(), sources.end(),
                                          [](auto const& source) { return source.narrow_indices(1) != nullptr; })),
      at_(sources.size()) {
    for (std::uint32_t listed = 1; listed < contributes_.size(); ++listed)
        contributes_[listed] = static_cast<char>(
            std::all_of(sets.begin(), sets.end(), [&](std::uint32_t set) { return (set & listed) != 0; }));
    for (std::size_t place = places_; place-- > 1;)
        strides_[place - 1] =
            strides_[place] * static_cast<std::uint64_t>(lengths[static_cast<std::size_t>(sources[0].labels()[place])]);
    if (!is_narrow_pair()) return;
    auto const columns = static_cast<std::size_t>(lengths[static_cast<std::size_t>(sources[0].labels()[1])]);
    std::size_t listed = 0;
    for (SparseSource const& source : sources) listed += source.all().end - source.all().begin;
    if (columns <= most_marked_columns && pieces * columns <= listed) found_.assign(columns, 0);
}

void MergedRows::begin_row(Extent row) {
    mark(marked_, false);
    marked_ = {};
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        SparseSource const& source = sources_[s];
        at_[s] =
            source.compressed() ? source.row(row) : SparseSource::Range{source.before(row), source.before(row + 1)};
    }
}

/// Elements of the first source, by column.
void MergedRows::mark(SparseSource::Range range, bool found) {
    if (range.empty()) return;
    std::uint32_t const* const columns = sources_[0].narrow_indices(1);
    for (std::size_t e = range.begin; e < range.end; ++e) found_[columns[e]] = found ? element(0, e) + 1 : 0;
}

/// The place of an element in its row.
std::uint64_t MergedRows::key(std::size_t source, std::size_t e) const {
    if (narrow_) return sources_[source].narrow_indices(1)[e];
    std::uint64_t key = 0;
    for (std::size_t place = 1; place < places_; ++place)
        key += strides_[place] * static_cast<std::uint64_t>(sources_[source].index(place, e));
    return key;
}

bool MergedRows::is_narrow_pair() const { return narrow_ && sources_.size() == 2; }

std::size_t MergedRows::take(std::size_t most, Points const& to) {
    if (sources_.size() == 1) return take_all(most, to);
    if (!found_.empty() && !contributes(1) && !contributes(2)) return take_common(most, to);
    if (is_narrow_pair()) return take_of_two(most, to);
    return take_of_many(most, to);
}

template <std::size_t known, class Visit>
void MergedRows::for_each_place(Visit&& visit) {
    constexpr std::size_t room = known == 0 ? most_sources : known;
    std::size_t const sources = known == 0 ? sources_.size() : known;
    std::array<std::uint64_t, room> keys{};
    std::array<std::size_t, room> at{};
    for (std::size_t s = 0; s < sources; ++s) {
        at[s] = at_[s].begin;
        keys[s] = at_[s].empty() ? past : key(s, at[s]);
    }
    while (true) {
        std::uint64_t least = keys[0];
        for (std::size_t s = 1; s < sources; ++s) least = std::min(least, keys[s]);
        if (least == past) break;
        std::uint32_t listed = 0;
        for (std::size_t s = 0; s < sources; ++s) listed |= static_cast<std::uint32_t>(keys[s] == least) << s;
        if (!visit(listed, std::span<std::size_t const>(at.data(), sources))) break;
        for (std::size_t s = 0; s < sources; ++s) {  // nearly without branches: who lists a place cannot be foreseen
            at[s] += listed >> s & 1;
            keys[s] = at[s] < at_[s].end ? key(s, at[s]) : past;
        }
    }
    for (std::size_t s = 0; s < sources; ++s) at_[s].begin = at[s];
}

template <class Visit>
void MergedRows::for_each_place(Visit&& visit) {
    switch (sources_.size()) {
        case 2: return for_each_place<2>(visit);
        case 3: return for_each_place<3>(visit);
        case 4: return for_each_place<4>(visit);
        default: return for_each_place<0>(visit);
    }
}

std::size_t MergedRows::take_of_many(std::size_t most, Points const& to) {
    std::size_t count = 0;
    for_each_place([&](std::uint32_t listed, std::span<std::size_t const> elements) {
        if (count == most) return false;
        for (std::size_t s = 0; s < elements.size(); ++s)
            to.elements[s][count] = element(s, elements[s]) | ((listed >> s & 1) - 1);  // nowhere: all bits
        auto const first = static_cast<std::size_t>(std::countr_zero(listed));
        locate(first, elements[first], count, to);
        count += static_cast<std::size_t>(contributes_[listed]);
        return true;
    });
    return count;
}

/// What both of two list: the first's columns are marked, no element waits for another.
std::size_t MergedRows::take_common(std::size_t most, Points const& to) {
    if (marked_.empty() && !at_[1].empty()) {
        marked_ = at_[0];
        mark(marked_, true);
    }
    SparseSource::Range& b = at_[1];
    std::uint32_t const* const columns = sources_[1].narrow_indices(1);
    std::uint32_t *const to_a = to.elements[0], *const to_b = to.elements[1];
    Extent* const index = to.index[0];
    std::size_t count = 0;
    for (; count < most && !b.empty(); ++b.begin) {
        std::uint32_t const column = columns[b.begin], found = found_[column];
        to_a[count] = found - 1;
        to_b[count] = element(1, b.begin);
        index[count] = column;
        count += found != 0;
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
        if (!found_.empty()) {
            mark(a, true);
            for (std::size_t e = b.begin; e < b.end; ++e) common += found_[y[e]] != 0;
            mark(a, false);
            a.begin = a.end;
            b.begin = b.end;
        }
        while (!a.empty() && !b.empty()) {  // without branches: which comes first cannot be foreseen
            std::uint32_t const at_a = x[a.begin], at_b = y[b.begin];
            common += at_a == at_b;
            a.begin += at_a <= at_b;
            b.begin += at_b <= at_a;
        }
        return common + (contributes(1) ? of_a - common : 0) + (contributes(2) ? of_b - common : 0);
    }
    for_each_place([&](std::uint32_t listed, std::span<std::size_t const>) {
        count += static_cast<std::size_t>(contributes_[listed]);
        return true;
    });
    return count;
}

bool MergedRows::contributes(std::uint32_t listed) const { return contributes_[listed] != 0; }

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

}  // namespace ein::executor
