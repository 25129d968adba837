// The arrays of a sparse block, and runs of elements that follow one another in it: what sparse_moves.cpp reads.
// Example: of the rows 2 to 4 of a matrix compressed by rows, with all of their columns, there is one run; of their
// columns 5 to 9 one run a row.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "lib/tensor/sparse/sparse_moves.hpp"

namespace ein::tensor {

/// Elements `from` to `to` of a block. Of one whose first axis is compressed they lie in rows `row` to `end_row`: where
/// these are several, the run has all elements of each.
struct ListedRun {
    std::size_t from = 0, to = 0;
    Extent row = 0, end_row = 0;
};

/// Rows whose distance from `first` is a multiple of `step`; downwards where that is negative.
struct RowStep {
    Extent step = 1, first = 0;
};

/// Where an axis of a result has an index of the block: (index + add) / step - begin.
struct IndexPlace {
    int axis = 0;  // of the block
    Extent add = 0, step = 1, begin = 0;
    Extent of(Extent index) const { return (index + add) / step - begin; }
};

class SparseBlockReader {
public:
    explicit SparseBlockReader(SparseBlockView const& block)
        : block_(block),
          listed_(tensor::listed_in(block.bytes)),
          at_(sparse_offsets(block.layout, block.box.length, block.dtype, listed_)),
          narrow_(index_bytes(block.box.length) == 4) {}

    std::size_t listed() const { return static_cast<std::size_t>(listed_); }
    bool compressed() const { return block_.layout.compressed; }
    int axis(std::size_t place) const { return block_.layout.axes[place]; }
    std::size_t place_of(int axis) const {
        auto const& axes = block_.layout.axes;
        return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin());
    }
    std::size_t order() const { return block_.layout.axes.size(); }
    std::size_t offset(Extent row) const {
        std::uint64_t value = 0;
        std::memcpy(&value, block_.bytes.data() + at_.offsets + static_cast<std::size_t>(row) * 8, 8);
        return static_cast<std::size_t>(value);
    }
    /// Of an axis that is listed.
    Extent coord(std::size_t place, std::size_t e) const {
        return narrow_ ? static_cast<Extent>(coord_of<std::uint32_t>(place, e))
                       : static_cast<Extent>(coord_of<std::uint64_t>(place, e));
    }
    std::byte const* values() const { return block_.bytes.data() + at_.values; }

    void append_values(ListedRun const& run, std::vector<std::byte>& to) const {
        std::size_t const size = size_of(block_.dtype);
        to.insert(to.end(), values() + run.from * size, values() + run.to * size);
    }
    /// Appends what `made` makes of the compressed axis' indices in a run.
    template <class Index, class Make>
    void append_rows(ListedRun const& run, std::vector<Index>& to, Make const& made) const {
        if (run.end_row - run.row == 1)
            return to.resize(to.size() + run.to - run.from, static_cast<Index>(made(run.row)));
        for (Extent row = run.row; row < run.end_row; ++row)
            to.resize(to.size() + offset(row + 1) - offset(row), static_cast<Index>(made(row)));
    }
    /// Of an axis that is listed.
    template <class Index, class Make>
    void append_coords(std::size_t place, ListedRun const& run, std::vector<Index>& to, Make const& made) const {
        std::size_t const before = to.size();
        to.resize(before + run.to - run.from);
        if (narrow_)
            make_coords<std::uint32_t>(place, run, to.data() + before, made);
        else
            make_coords<std::uint64_t>(place, run, to.data() + before, made);
    }

    /// Writes the indices of a listed place in a run, and `more`. @return behind the last
    template <class Index>
    Index* copy_coords(std::size_t place, ListedRun const& run, Extent more, Index* to) const {
        auto const shifted = [more](auto index) {
            return static_cast<Index>(static_cast<Index>(index) + static_cast<Index>(more));
        };
        return narrow_ ? make_coords<std::uint32_t>(place, run, to, shifted)
                       : make_coords<std::uint64_t>(place, run, to, shifted);
    }

    /// visit(run): the elements in `region`, in the block's order; of rows those that `rows` takes.
    template <class Visit>
    void for_each_run(Box const& region, RowStep rows, Visit&& visit) const {
        Bounds const bounds = bounds_of(region);
        std::size_t const first_place = compressed() ? 1 : 0;
        std::size_t end_place = order();  // behind the last that the region cuts
        while (end_place > first_place && covers(bounds, end_place - 1)) --end_place;
        if (!compressed()) return split(bounds, {0, listed(), 0, 0}, 0, end_place, visit);
        auto const a = static_cast<std::size_t>(axis(0));
        if (end_place == first_place && rows.step == 1) {
            ListedRun const all{offset(bounds.begin[a]), offset(bounds.end[a]), bounds.begin[a], bounds.end[a]};
            if (all.from < all.to) visit(all);
            return;
        }
        Extent const stride = std::abs(rows.step);
        Extent const begin = bounds.begin[a] + ((rows.first - bounds.begin[a]) % stride + stride) % stride;
        Extent const count = begin < bounds.end[a] ? (bounds.end[a] - 1 - begin) / stride + 1 : 0;
        for (Extent k = 0; k < count; ++k) {
            Extent const row = begin + (rows.step > 0 ? k : count - 1 - k) * stride;
            split(bounds, {offset(row), offset(row + 1), row, row + 1}, first_place, end_place, visit);
        }
    }

    /// visit(e, index): each element in `region` with its indices in the block, by axis.
    template <class Visit>
    void for_each_in(Box const& region, Visit&& visit) const {
        std::vector<Extent> index(order(), 0);
        for_each_run(region, {}, [&](ListedRun const& run) {
            Extent row = run.row;
            for (std::size_t e = run.from; e < run.to; ++e) {
                if (compressed()) {
                    while (e >= offset(row + 1)) ++row;
                    index[static_cast<std::size_t>(axis(0))] = row;
                }
                for (std::size_t place = compressed() ? 1 : 0; place < order(); ++place)
                    index[static_cast<std::size_t>(axis(place))] = coord(place, e);
                visit(e, static_cast<std::vector<Extent> const&>(index));
            }
        });
    }

    /// The same, those alone whose indices of the first two places are equal, counted from the region's begin: of each
    /// row they are looked for. Of blocks whose first axis is compressed.
    template <class Visit>
    void for_each_on_diagonal(Box const& region, Visit&& visit) const {
        Bounds const bounds = bounds_of(region);
        auto const a = static_cast<std::size_t>(axis(0)), b = static_cast<std::size_t>(axis(1));
        Extent const count = std::min(region.length[a], region.length[b]);
        std::vector<Extent> index(order(), 0);
        for (Extent k = 0; k < count; ++k) {
            index[a] = bounds.begin[a] + k;
            index[b] = bounds.begin[b] + k;
            std::size_t const end = offset(index[a] + 1);
            std::size_t e = first_from(1, offset(index[a]), end, index[b]);
            for (; e < end && coord(1, e) == index[b]; ++e) {
                bool inside = true;
                for (std::size_t place = 2; place < order(); ++place) {
                    index[static_cast<std::size_t>(axis(place))] = coord(place, e);
                    inside = inside && is_inside(bounds, place, e);
                }
                if (inside) visit(e, static_cast<std::vector<Extent> const&>(index));
            }
        }
    }

private:
    struct Bounds {
        Shape begin, end;  // by axis, in the block
    };
    Bounds bounds_of(Box const& region) const {
        Bounds out{Shape(order()), Shape(order())};
        for (std::size_t axis = 0; axis < order(); ++axis) {
            out.begin[axis] = region.begin[axis] - block_.box.begin[axis];
            out.end[axis] = out.begin[axis] + region.length[axis];
        }
        return out;
    }
    bool covers(Bounds const& bounds, std::size_t place) const {
        auto const a = static_cast<std::size_t>(axis(place));
        return bounds.begin[a] == 0 && bounds.end[a] == block_.box.length[a];
    }
    bool is_inside(Bounds const& bounds, std::size_t place, std::size_t e) const {
        auto const a = static_cast<std::size_t>(axis(place));
        Extent const index = coord(place, e);
        return index >= bounds.begin[a] && index < bounds.end[a];
    }

    /// Cuts a run of elements that are sorted by `first_place`; places from `end_place` on are not cut.
    template <class Visit>
    void split(Bounds const& bounds, ListedRun run, std::size_t first_place, std::size_t end_place,
               Visit& visit) const {
        if (first_place < end_place && !covers(bounds, first_place)) {
            auto const a = static_cast<std::size_t>(axis(first_place));
            run.from = first_from(first_place, run.from, run.to, bounds.begin[a]);
            run.to = first_from(first_place, run.from, run.to, bounds.end[a]);
        }
        if (run.from == run.to) return;
        if (end_place <= first_place + 1) return visit(run);
        auto const is_in = [&](std::size_t e) {
            for (std::size_t place = first_place + 1; place < end_place; ++place)
                if (!is_inside(bounds, place, e)) return false;
            return true;
        };
        for (std::size_t e = run.from; e < run.to;) {
            std::size_t const from = e;
            while (e < run.to && is_in(e)) ++e;
            if (from < e) visit(ListedRun{from, e, run.row, run.end_row});
            while (e < run.to && !is_in(e)) ++e;
        }
    }
    /// The first of ascending ones that is `least` or more.
    std::size_t first_from(std::size_t place, std::size_t from, std::size_t to, Extent least) const {
        while (from < to) {
            std::size_t const middle = from + (to - from) / 2;
            if (coord(place, middle) < least)
                from = middle + 1;
            else
                to = middle;
        }
        return from;
    }

    template <class Stored>
    Stored coord_of(std::size_t place, std::size_t e) const {
        Stored value = 0;
        std::memcpy(&value, block_.bytes.data() + at_.coords[place] + e * sizeof(Stored), sizeof(Stored));
        return value;
    }
    template <class Stored, class Index, class Make>
    Index* make_coords(std::size_t place, ListedRun const& run, Index* to, Make const& made) const {
        for (std::size_t e = run.from; e < run.to; ++e) *to++ = static_cast<Index>(made(coord_of<Stored>(place, e)));
        return to;
    }

    SparseBlockView const& block_;
    Extent listed_;
    SparseOffsets at_;
    bool narrow_;
};

}  // namespace ein::tensor
