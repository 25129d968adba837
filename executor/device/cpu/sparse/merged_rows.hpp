// Sorted rows of sparse operands, merged: the places that any of them lists, in ascending order, a chunk at a time.
// A chunk is some rows, or a part of a long one. Each of its places has a key: its row, and where it is in that row.
// Example: rows {1, 4} and {4, 7} of which a point needs one element: places 1, 4 and 7, with one, two and one
// elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/device/cpu/sparse/merge_loops.hpp"
#include "executor/device/cpu/sparse/sparse_source.hpp"

namespace ein::executor {

class MergedRows {
public:
    static constexpr std::size_t most_sources = 8;
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    /// Points of a chunk, at most, for each source.
    static constexpr std::size_t chunk = 1024;
    /// Whether places of a row, all labels but the first, can be counted. @param lengths  by label
    static bool can_merge(std::span<Extent const> lengths, std::span<int const> labels);

    /// @param sets  which operands' elements a point needs one of, as bits  @param lengths  by label of the EinSum
    /// @param indexed  whether indices are asked for, though there is one source alone
    MergedRows(std::span<SparseSource const> sources, std::span<std::uint32_t const> sets,
               std::span<Extent const> lengths, bool indexed = true);

    /// From one row on, to another one.
    void begin(Extent first, Extent last);
    /// The next points that contribute. @return how many; 0: there are no more
    std::size_t next();
    /// Indices of a label of points, by its place.
    template <class Index>
    void indices(std::size_t place, std::size_t from, std::size_t count, Index* to) const;
    /// Values of a source at points, side by side: of each point once, in ascending order. @param to  room for them,
    /// where they do not lie so
    std::byte const* values(std::size_t source, std::size_t from, std::size_t count, std::byte const* fill,
                            std::byte* to);
    /// How many points each row has. @param to  of the first row
    void count(Extent first, Extent last, std::uint64_t* to);

private:
    using Range = SparseSource::Range;
    /// Of a chunk, in one type.
    template <class Key>
    struct Keys {
        MergeLoops<Key> loops;
        std::vector<Key> merged, held, side, scratch;
        int place_bits = 0;  // of a key, above its lowest bit, which is 0; the row is above these
    };

    template <class Visit>
    auto with_keys(Visit&& visit) {
        return is_small_ ? visit(small_) : visit(large_);
    }
    template <class Visit>
    auto with_keys(Visit&& visit) const {
        return is_small_ ? visit(small_) : visit(large_);
    }
    Range row_of(std::size_t source, Extent row) const;
    std::uint64_t place(std::size_t source, std::size_t e) const;
    bool take_rows(Extent most);
    void take_part_of_row();
    template <class Key>
    std::size_t number(Keys<Key> const& keys, std::size_t source, Key* to) const;
    template <class Key>
    std::size_t merge(Keys<Key>& keys);
    template <class Key>
    std::size_t keep_points(Keys<Key>& keys, std::size_t count);
    template <class Key>
    std::size_t find_common(Keys<Key>& keys);
    void mark(Range range, bool found);
    void count_marked(Extent first, Extent last, std::uint64_t* to);
    /// Of matrices with narrow indices: their places in rows.
    std::uint32_t const* columns_of(std::size_t source) const {
        return narrow_ ? sources_[source].narrow_indices(1) : nullptr;
    }
    std::uint32_t element(std::size_t source, std::size_t e) const {
        return static_cast<std::uint32_t>(e - sources_[source].all().begin);
    }

    std::span<SparseSource const> sources_;
    std::vector<char> contributes_;  // by who lists a place, as bits
    bool all_contribute_, indexed_;
    std::size_t places_;
    std::vector<std::uint64_t> strides_, lengths_;  // of places after the first, in a row
    bool narrow_;
    bool marks_ = false;  // a row's places may be marked
    Keys<std::uint32_t> small_;
    Keys<std::uint64_t> large_;
    bool is_small_;
    Extent most_rows_;  // of a chunk, by its keys
    Extent row_ = 0, last_ = 0;
    Extent first_row_ = 0, end_row_ = 0;      // of the chunk
    std::array<Range, most_sources> part_{};  // of each source in the chunk
    std::array<std::size_t, most_sources> at_{}, taken_{};
    std::vector<unsigned char> listed_, held_listed_;
    std::vector<std::vector<std::uint32_t>> elements_;  // by source, where not all points contribute
    std::vector<std::uint32_t> found_;                  // by place: 1 + the element of the first source, or 0
};

}  // namespace ein::executor
