#include "executor/device/cpu/sparse/merged_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "executor/device/cpu/sparse/tuning.hpp"

namespace ein::executor {
namespace {

/// Places of which each may be marked: the marks stay in the second-level cache. Marks of all pieces together are
/// cleared in less time than elements are gone through.
constexpr std::uint64_t most_marked = std::uint64_t{1} << 18, pieces = sparse_tuning::most_pieces;

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

/// to[i] = the element elements[i] of `from`, or `fill` where that is nowhere; of `size` bytes each.
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

}  // namespace

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
                       std::span<Extent const> lengths, bool indexed)
    : sources_(sources),
      contributes_(std::size_t{1} << sources.size()),
      indexed_(indexed || sources.size() > 1),
      places_(sources[0].labels().size()),
      strides_(places_, 1),
      narrow_(places_ == 2 && std::all_of(sources.begin(), sources.end(),
                                          [](auto const& source) { return source.narrow_indices(1) != nullptr; })) {
    for (std::uint32_t listed = 1; listed < contributes_.size(); ++listed)
        contributes_[listed] = static_cast<char>(
            std::all_of(sets.begin(), sets.end(), [&](std::uint32_t set) { return (set & listed) != 0; }));
    all_contribute_ = std::all_of(contributes_.begin() + 1, contributes_.end(), [](char yes) { return yes != 0; });
    for (int label : sources[0].labels())
        lengths_.push_back(static_cast<std::uint64_t>(std::max<Extent>(lengths[static_cast<std::size_t>(label)], 1)));
    for (std::size_t place = places_; place-- > 1;) strides_[place - 1] = strides_[place] * lengths_[place];
    std::uint64_t const all_places = strides_[0], longest = places_ > 0 ? lengths_[0] : 1;
    int const bits = std::bit_width(all_places - 1);
    is_small_ = bits < 31;
    small_.place_bits = large_.place_bits = bits;
    // All but the highest key, of which merges make use.
    most_rows_ = static_cast<Extent>(
        std::clamp<std::uint64_t>((std::uint64_t{1} << ((is_small_ ? 31 : 63) - bits)) - 1, 1, longest));
    std::size_t listed = 0;
    for (SparseSource const& source : sources) listed += source.all().end - source.all().begin;
    marks_ = sources.size() > 1 && all_places <= most_marked && pieces * all_places <= listed;
    if (marks_ && sources.size() == 2 && contributes_[1] == 0 && contributes_[2] == 0)
        found_.assign(static_cast<std::size_t>(all_places), 0);
    with_keys([&]<class Key>(Keys<Key>& keys) {
        std::size_t const room = sources.size() * chunk + 2 * MergeLoops<Key>::padding;
        keys.loops = merge_loops<Key>();
        for (std::vector<Key>* buffer : {&keys.merged, &keys.held, &keys.scratch}) buffer->resize(room);
        keys.side.resize(chunk + MergeLoops<Key>::padding);
        listed_.resize(room);
        held_listed_.resize(room);
    });
    if (!all_contribute_) elements_.assign(sources.size(), std::vector<std::uint32_t>(sources.size() * chunk + 1));
}

void MergedRows::begin(Extent first, Extent last) {
    row_ = first;
    last_ = last;
    for (std::size_t s = 0; s < sources_.size(); ++s) at_[s] = sources_[s].before(first);
}

MergedRows::Range MergedRows::row_of(std::size_t source, Extent row) const {
    SparseSource const& from = sources_[source];
    return from.compressed() ? from.row(row) : Range{from.before(row), from.before(row + 1)};
}

/// Where an element is in its row.
std::uint64_t MergedRows::place(std::size_t source, std::size_t e) const {
    std::uint64_t place = 0;
    for (std::size_t p = 1; p < places_; ++p)
        place += strides_[p] * static_cast<std::uint64_t>(sources_[source].index(p, e));
    return place;
}

/// Whole rows, as many as a chunk holds. @return whether it holds the next one
bool MergedRows::take_rows(Extent most) {
    Extent end = std::min(last_, row_ + most);
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        Extent low = row_, high = end;
        while (low < high) {
            Extent const middle = high - (high - low) / 2;
            if (sources_[s].before(middle) <= at_[s] + chunk)
                low = middle;
            else
                high = middle - 1;
        }
        end = low;
    }
    if (end == row_) return false;
    for (std::size_t s = 0; s < sources_.size(); ++s) part_[s].end = sources_[s].before(end);
    end_row_ = row_ = end;
    return true;
}

/// The rest of a row is too long: its places before the first that some source lists behind what a chunk holds.
void MergedRows::take_part_of_row() {
    std::uint64_t bound = strides_[0];
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        Range const row = row_of(s, row_);
        if (row.end - at_[s] > chunk) bound = std::min(bound, place(s, at_[s] + chunk));
    }
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        std::size_t low = at_[s], high = row_of(s, row_).end;
        while (low < high) {
            std::size_t const middle = low + (high - low) / 2;
            if (place(s, middle) < bound)
                low = middle + 1;
            else
                high = middle;
        }
        part_[s].end = low;
    }
    end_row_ = row_ + 1;
}

std::size_t MergedRows::next() {
    while (row_ < last_) {
        first_row_ = row_;
        for (std::size_t s = 0; s < sources_.size(); ++s) part_[s] = {at_[s], at_[s]};
        if (!take_rows(most_rows_)) take_part_of_row();
        for (std::size_t s = 0; s < sources_.size(); ++s) {
            at_[s] = part_[s].end;
            taken_[s] = part_[s].begin;
        }
        std::size_t const count = with_keys([&](auto& keys) { return merge(keys); });
        if (count > 0) return count;
    }
    return 0;
}

template <class Key>
std::size_t MergedRows::number(Keys<Key> const& keys, std::size_t source, Key* to) const {
    SparseSource const& from = sources_[source];
    Range const part = part_[source];
    std::size_t const count = part.end - part.begin;
    auto const add = [&](Key* rows, auto const& place_of) {  // to what row each element has
        for (std::size_t i = 0; i < count; ++i) rows[i] += static_cast<Key>(place_of(part.begin + i)) << 1;
    };
    Key const next_row = Key{2} << keys.place_bits;
    std::fill_n(to, count + 1, Key{0});
    if (end_row_ - first_row_ > 1) {
        for (Extent row = first_row_ + 1; row < end_row_; ++row) to[from.before(row) - part.begin] += next_row;
        Key first = 0;
        for (std::size_t i = 0; i < count; ++i) to[i] = first += to[i];
    }
    if (std::uint32_t const* const columns = columns_of(source); columns != nullptr)
        add(to, [&](std::size_t e) { return columns[e]; });
    else
        add(to, [&](std::size_t e) { return place(source, e); });
    return count;
}

template <class Key>
std::size_t MergedRows::merge(Keys<Key>& keys) {
    std::size_t count = part_[0].end - part_[0].begin;
    if (!found_.empty()) return find_common(keys);
    if (indexed_) number(keys, 0, keys.merged.data());
    for (std::size_t s = 1; s < sources_.size(); ++s) {
        std::swap(keys.merged, keys.held);
        std::swap(listed_, held_listed_);
        std::size_t const more = number(keys, s, keys.side.data());
        count = keys.loops.merge({keys.held.data(), count, s == 1 ? nullptr : held_listed_.data(), 1},
                                 {keys.side.data(), more, nullptr, static_cast<unsigned char>(1u << s)},
                                 keys.merged.data(), listed_.data(), keys.scratch.data());
    }
    return all_contribute_ || sources_.size() == 1 ? count : keep_points(keys, count);
}

/// Those alone that contribute.
template <class Key>
std::size_t MergedRows::keep_points(Keys<Key>& keys, std::size_t count) {
    std::size_t kept = 0;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        std::uint32_t* const to = elements_[s].data();
        std::uint32_t next = element(s, part_[s].begin);
        kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t const listed = listed_[i], is_listed = listed >> s & 1;
            to[kept] = next | (is_listed - 1);  // nowhere: all bits
            next += is_listed;
            kept += static_cast<std::size_t>(contributes_[listed]);
        }
    }
    kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        keys.merged[kept] = keys.merged[i];
        kept += static_cast<std::size_t>(contributes_[listed_[i]]);
    }
    return kept;
}

/// What both of two list: the first's places are marked, no element waits for another.
template <class Key>
std::size_t MergedRows::find_common(Keys<Key>& keys) {
    std::uint32_t *const to_a = elements_[0].data(), *const to_b = elements_[1].data();
    Range a = part_[0], b = part_[1];
    std::size_t count = 0;
    for (Extent row = first_row_; row < end_row_; ++row) {
        std::size_t const a_end = std::min(part_[0].end, sources_[0].before(row + 1));
        b.end = std::min(part_[1].end, sources_[1].before(row + 1));
        if (a.begin == a_end || b.empty()) {
            a.begin = a_end;
            b.begin = b.end;
            continue;
        }
        mark({a.begin, a_end}, true);
        Key const first = static_cast<Key>(row - first_row_) << 1 << keys.place_bits;
        auto const find = [&](auto const& place_of) {
            for (; b.begin < b.end; ++b.begin) {
                std::uint64_t const place = place_of(b.begin);
                std::uint32_t const found = found_[place];
                to_a[count] = found - 1;
                to_b[count] = element(1, b.begin);
                keys.merged[count] = first + (static_cast<Key>(place) << 1);
                count += found != 0;
            }
        };
        if (std::uint32_t const* const columns = columns_of(1); columns != nullptr)
            find([&](std::size_t e) { return std::uint64_t{columns[e]}; });
        else
            find([&](std::size_t e) { return place(1, e); });
        mark({a.begin, a_end}, false);
        a.begin = a_end;
    }
    return count;
}

/// Elements of the first source, by place.
void MergedRows::mark(Range range, bool found) {
    if (std::uint32_t const* const columns = columns_of(0); columns != nullptr) {
        for (std::size_t e = range.begin; e < range.end; ++e) found_[columns[e]] = found ? element(0, e) + 1 : 0;
        return;
    }
    for (std::size_t e = range.begin; e < range.end; ++e) found_[place(0, e)] = found ? element(0, e) + 1 : 0;
}

template <class Index>
void MergedRows::indices(std::size_t place, std::size_t from, std::size_t count, Index* to) const {
    with_keys([&]<class Key>(Keys<Key> const& keys) {
        Key const* const merged = keys.merged.data() + from;
        Key const places = (Key{1} << keys.place_bits) - 1;
        if (place == 0) {
            for (std::size_t i = 0; i < count; ++i)
                to[i] = static_cast<Index>(first_row_ + static_cast<Extent>(merged[i] >> 1 >> keys.place_bits));
        } else if (places_ == 2) {
            for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<Index>(merged[i] >> 1 & places);
        } else {
            auto const stride = static_cast<Key>(strides_[place]), length = static_cast<Key>(lengths_[place]);
            for (std::size_t i = 0; i < count; ++i)
                to[i] = static_cast<Index>((merged[i] >> 1 & places) / stride % length);
        }
    });
}
template void MergedRows::indices(std::size_t, std::size_t, std::size_t, std::uint32_t*) const;
template void MergedRows::indices(std::size_t, std::size_t, std::size_t, Extent*) const;

std::byte const* MergedRows::values(std::size_t source, std::size_t from, std::size_t count, std::byte const* fill,
                                    std::byte* to) {
    SparseSource const& of = sources_[source];
    if (sources_.size() == 1) return of.value(part_[0].begin + from);
    if (all_contribute_)
        with_keys([&](auto const& keys) {
            taken_[source] +=
                keys.loops.spread(of.value(taken_[source]), listed_.data() + from,
                                  static_cast<unsigned char>(1u << source), fill, count, of.value_bytes(), to);
        });
    else
        pick_listed(of.value(of.all().begin), elements_[source].data() + from, fill, count, of.value_bytes(), to);
    return to;
}

void MergedRows::count(Extent first, Extent last, std::uint64_t* to) {
    if (marks_) return count_marked(first, last, to);
    std::fill_n(to, last - first, 0);
    begin(first, last);
    while (std::size_t const points = next()) {
        std::uint64_t* const rows = to + (first_row_ - first);
        if (end_row_ - first_row_ == 1)
            *rows += points;
        else
            with_keys([&]<class Key>(Keys<Key> const& keys) {
                for (std::size_t i = 0; i < points; ++i) ++rows[keys.merged[i] >> 1 >> keys.place_bits];
            });
    }
}

/// By who lists each place of a row.
void MergedRows::count_marked(Extent first, Extent last, std::uint64_t* to) {
    std::vector<unsigned char> listed(static_cast<std::size_t>(strides_[0]), 0);
    auto const visit = [&](Extent row, auto&& each) {
        for (std::size_t s = 0; s < sources_.size(); ++s) {
            Range const range = row_of(s, row);
            if (std::uint32_t const* const columns = columns_of(s); columns != nullptr) {
                for (std::size_t e = range.begin; e < range.end; ++e) each(s, listed[columns[e]]);
            } else {
                for (std::size_t e = range.begin; e < range.end; ++e) each(s, listed[place(s, e)]);
            }
        }
    };
    for (Extent row = first; row < last; ++row) {
        std::uint64_t count = 0;
        visit(row, [](std::size_t s, unsigned char& who) { who |= static_cast<unsigned char>(1u << s); });
        visit(row, [&](std::size_t, unsigned char& who) {
            count += static_cast<std::uint64_t>(contributes_[who]);
            who = 0;
        });
        to[row - first] = count;
    }
}

}  // namespace ein::executor
