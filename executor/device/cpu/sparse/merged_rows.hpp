// Sorted rows of sparse operands, merged: what any of them lists at one place, in ascending order, some places at a
// time. Example: rows {1, 4} and {4, 7} of which a point needs one element: places 1, 4 and 7, with one, two and one
// elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/device/cpu/sparse/sparse_source.hpp"

namespace ein::executor {

class MergedRows {
public:
    static constexpr std::size_t most_sources = 8;
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    /// Whether places of a row, all labels but the first, can be counted. @param lengths  by label
    static bool can_merge(std::span<Extent const> lengths, std::span<int const> labels);

    /// @param sets  which operands' elements a point needs one of, as bits  @param lengths  by label of the EinSum
    MergedRows(std::span<SparseSource const> sources, std::span<std::uint32_t const> sets,
               std::span<Extent const> lengths);

    /// Where points are written.
    struct Points {
        std::span<std::uint32_t* const> elements;  // by source: from the first one of all, or nowhere
        std::span<Extent* const> index;  // by place after the first; of one source none, where they are not wanted
    };

    void begin_row(Extent row);
    /// The next points of the row that contribute, `most` at most.
    std::size_t take(std::size_t most, Points const& to);
    /// How many are left of the row.
    std::size_t count_rest();

private:
    bool contributes(std::uint32_t listed) const;
    std::uint32_t element(std::size_t source, std::size_t e) const {
        return static_cast<std::uint32_t>(e - sources_[source].all().begin);
    }
    bool is_narrow_pair() const;
    std::size_t take_all(std::size_t most, Points const& to);
    std::size_t take_of_two(std::size_t most, Points const& to);
    void mark(SparseSource::Range range, bool found);
    std::size_t take_common(std::size_t most, Points const& to);
    std::size_t take_of_many(std::size_t most, Points const& to);
    std::size_t take_rest_of(std::size_t source, std::size_t most, std::size_t count, Points const& to);
    void locate(std::size_t source, std::size_t e, std::size_t point, Points const& to) const;
    /// visit(listed, elements): each place that anything lists, by whom, and the next element of each source, while it
    /// returns true. `sources` is how many there are, or 0 where that is not known before.
    template <std::size_t sources, class Visit>
    void for_each_place(Visit&& visit);
    template <class Visit>
    void for_each_place(Visit&& visit);
    std::uint64_t key(std::size_t source, std::size_t e) const;

    static constexpr std::uint64_t past = ~std::uint64_t{0};  // the key of a row that lists no more

    std::span<SparseSource const> sources_;
    std::vector<char> contributes_;  // by who lists a place, as bits
    std::size_t places_;
    std::vector<std::uint64_t> strides_;  // of places after the first, in keys
    bool narrow_;                         // matrices, with narrow indices
    std::vector<SparseSource::Range> at_;
    SparseSource::Range marked_;        // of the first source, in found_
    std::vector<std::uint32_t> found_;  // of two matrices by column: 1 + the element of the first, or 0
};

/// to[i] = the element elements[i] of `from`, or `fill` where that is nowhere; of `size` bytes each.
void pick_listed(std::byte const* from, std::uint32_t const* elements, std::byte const* fill, std::size_t count,
                 std::size_t size, std::byte* to);

}  // namespace ein::executor
