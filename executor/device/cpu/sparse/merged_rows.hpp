// Sorted rows of sparse operands, merged: what any of them lists at one place, in ascending order, some places at a
// time. Example: rows {1, 4} and {4, 7} of which a point needs one element: places 1, 4 and 7, with one, two and one
// elements.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "executor/device/cpu/sparse/sparse_source.hpp"

namespace ein::executor {

class MergedRows {
public:
    static constexpr std::size_t most_sources = 8;
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

    /// @param sets  which operands' elements a point needs one of, as bits
    MergedRows(std::span<SparseSource const> sources, std::span<std::uint32_t const> sets);

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
    std::size_t take_rest_of(std::size_t source, std::size_t most, std::size_t count, Points const& to);
    void locate(std::size_t source, std::size_t e, std::size_t point, Points const& to) const;
    std::uint32_t next();
    int compare(std::size_t a, std::size_t b) const;

    std::span<SparseSource const> sources_;
    std::span<std::uint32_t const> sets_;
    std::size_t places_;
    std::vector<SparseSource::Range> at_;
    std::array<std::uint32_t, most_sources> element_{};
};

}  // namespace ein::executor
