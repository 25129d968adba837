// Listed elements as arrays, sorted by counting and written as a sparse block: what sparse_moves.cpp is made of.
// Example: of coords {{1, 0}, {2, 2}} sorted_by({0, 1}) is {1, 0}.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

/// @tparam Index  of coordinates, as the block that is written has them
template <class Index>
class ElementSort {
public:
    ElementSort(std::span<Extent const> lengths, std::size_t element_bytes)
        : lengths_(lengths.begin(), lengths.end()), size_(element_bytes), coords_(lengths.size()) {}

    std::size_t order() const { return lengths_.size(); }
    std::vector<Index>& coords(std::size_t axis) { return coords_[axis]; }
    std::vector<std::byte>& values() { return values_; }
    std::size_t count() const { return values_.size() / size_; }

    /// @param sorted_by  axes by which they are sorted already, the first before the second
    /// @param out  room for the block  @return how many it lists
    Extent write(SparseLayout const& layout, DType dtype, std::span<int const> sorted_by, std::span<std::byte> out) {
        if (count() <= std::numeric_limits<std::uint32_t>::max())
            return write_as<std::uint32_t>(layout, dtype, sorted_by, out);
        return write_as<std::uint64_t>(layout, dtype, sorted_by, out);
    }

private:
    template <class Number>
    Extent write_as(SparseLayout const& layout, DType dtype, std::span<int const> sorted_by,
                    std::span<std::byte> out) const {
        std::span<int const> const others = std::span(layout.axes).subspan(std::min<std::size_t>(1, order()));
        bool const by_first = layout.compressed && count() >= few &&
                              (known(layout.axes, sorted_by) >= others.size() || is_sorted_by(others));
        if (by_first && !is_sorted_by(layout.axes)) return write_by_first<Number>(layout, dtype, out);
        return write_in_order(sorted<Number>(layout.axes, sorted_by), layout, dtype, out);
    }

    /// Sorted by all axes of the layout but the first, which is compressed: a matrix into the other order. Where an
    /// element belongs follows from how many have its index or a smaller one.
    template <class Number>
    Extent write_by_first(SparseLayout const& layout, DType dtype, std::span<std::byte> out) const {
        auto const axis = static_cast<std::size_t>(layout.axes[0]);
        std::vector<Number> places(count());
        return write_arrays(
            layout, dtype, out,
            [&](std::byte const* offsets) {
                std::vector<Number> next(static_cast<std::size_t>(lengths_[axis]));
                for (std::size_t k = 0; k < next.size(); ++k) {
                    std::uint64_t begin;
                    std::memcpy(&begin, offsets + k * sizeof begin, sizeof begin);
                    next[k] = static_cast<Number>(begin);
                }
                for (std::size_t e = 0; e < places.size(); ++e)
                    places[e] = next[static_cast<std::size_t>(coords_[axis][e])]++;
            },
            [&](std::byte const* from, std::size_t size, std::byte* to) { scatter(from, size, places, to); });
    }

    template <class Number>
    Extent write_in_order(std::vector<Number> const& order, SparseLayout const& layout, DType dtype,
                          std::span<std::byte> out) const {
        return write_arrays(
            layout, dtype, out, [](std::byte const*) {},
            [&](std::byte const* from, std::size_t size, std::byte* to) { gather(from, size, order, to); });
    }

    /// @param begin  called with the offsets, where there are any, before the other arrays are written
    /// @param put  writes one of those: put(elements as they were gathered, bytes of each, to)
    template <class Begin, class Put>
    Extent write_arrays(SparseLayout const& layout, DType dtype, std::span<std::byte> out, Begin const& begin,
                        Put const& put) const {
        auto const listed = static_cast<Extent>(count());
        SparseOffsets const at = sparse_offsets(layout, lengths_, dtype, listed);
        check_room(at, listed, out.size());
        set_listed(out, listed);
        for (std::size_t k = 0; k < layout.axes.size(); ++k) {
            auto const axis = static_cast<std::size_t>(layout.axes[k]);
            if (k == 0 && layout.compressed) {
                write_offsets(coords_[axis], lengths_[axis], out.data() + at.offsets);
                begin(out.data() + at.offsets);
                continue;
            }
            put(reinterpret_cast<std::byte const*>(coords_[axis].data()), sizeof(Index), out.data() + at.coords[k]);
        }
        put(values_.data(), size_, out.data() + at.values);
        clear_rests(layout, at, out);
        return listed;
    }

    /// Bytes between arrays are zeros: equal blocks are equal bytes.
    void clear_rests(SparseLayout const& layout, SparseOffsets const& at, std::span<std::byte> out) const {
        auto const clear = [&](std::size_t begin, std::size_t bytes) {
            for (std::size_t b = begin + bytes; b < begin + (bytes + 7) / 8 * 8; ++b) out[b] = std::byte{0};
        };
        for (std::size_t k = layout.compressed ? 1 : 0; k < layout.axes.size(); ++k)
            clear(at.coords[k], count() * sizeof(Index));
        clear(at.values, count() * size_);
    }

    static void write_offsets(std::vector<Index> const& coords, Extent length, std::byte* out) {
        std::vector<std::uint64_t> ends(static_cast<std::size_t>(length) + 1, 0);
        for (Index index : coords) ++ends[static_cast<std::size_t>(index) + 1];
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        std::memcpy(out, ends.data(), ends.size() * sizeof(std::uint64_t));
    }

    template <std::size_t Size, class Number>
    static void gather_of(std::byte const* from, std::vector<Number> const& order, std::byte* to) {
        for (std::size_t e = 0; e < order.size(); ++e) std::memcpy(to + e * Size, from + order[e] * Size, Size);
    }
    template <std::size_t Size, class Number>
    static void scatter_of(std::byte const* from, std::vector<Number> const& places, std::byte* to) {
        for (std::size_t e = 0; e < places.size(); ++e) std::memcpy(to + places[e] * Size, from + e * Size, Size);
    }
    template <class Number>
    static void scatter(std::byte const* from, std::size_t size, std::vector<Number> const& places, std::byte* to) {
        with_size(size, [&]<std::size_t Size>() { scatter_of<Size>(from, places, to); });
    }
    /// use.operator()<size>()
    template <class Use>
    static void with_size(std::size_t size, Use const& use) {
        switch (size) {
            case 1: return use.template operator()<1>();
            case 2: return use.template operator()<2>();
            case 4: return use.template operator()<4>();
            case 8: return use.template operator()<8>();
            default: return use.template operator()<16>();
        }
    }
    /// @param order  empty: as they are
    template <class Number>
    void gather(std::byte const* from, std::size_t size, std::vector<Number> const& order, std::byte* to) const {
        if (order.empty()) {
            if (count() > 0) std::memcpy(to, from, count() * size);
            return;
        }
        with_size(size, [&]<std::size_t Size>() { gather_of<Size>(from, order, to); });
    }

    /// How many of the last axes they are sorted by already.
    static std::size_t known(std::vector<int> const& axes, std::span<int const> sorted_by) {
        std::size_t done = std::min(axes.size(), sorted_by.size());  // the last of `axes`, that begin `sorted_by`
        while (done > 0 && !std::equal(axes.end() - static_cast<std::ptrdiff_t>(done), axes.end(), sorted_by.begin()))
            --done;
        return done;
    }

    /// Which element comes first, second, ...; empty where they are in order.
    template <class Number>
    std::vector<Number> sorted(std::vector<int> const& axes, std::span<int const> sorted_by) const {
        std::size_t const done = known(axes, sorted_by);
        if (done == axes.size() || is_sorted_by(axes)) return {};
        std::vector<Number> order(count());
        std::iota(order.begin(), order.end(), Number{0});
        if (count() < few) {
            std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) { return comes_before(axes, a, b); });
            return order;
        }
        std::vector<Number> next(count());
        for (std::size_t k = axes.size() - done; k-- > 0;) {
            auto const axis = static_cast<std::size_t>(axes[k]);
            int const bits = std::bit_width(static_cast<std::uint64_t>(lengths_[axis] - 1));
            int const passes = std::max(1, (bits + most_digit_bits - 1) / most_digit_bits);
            int const digit_bits = std::max(1, (bits + passes - 1) / passes);
            for (int shift = 0; shift < bits; shift += digit_bits) {
                count_pass(coords_[axis], shift, digit_bits, order, next);
                order.swap(next);
            }
        }
        return order;
    }

    template <class Number>
    static void count_pass(std::vector<Index> const& coords, int shift, int digit_bits,
                           std::vector<Number> const& order, std::vector<Number>& next) {
        std::size_t const mask = (std::size_t{1} << digit_bits) - 1;
        std::vector<Number> begins(mask + 2, 0);
        for (Index index : coords) ++begins[((static_cast<std::size_t>(index) >> shift) & mask) + 1];
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        for (Number e : order) next[begins[(static_cast<std::size_t>(coords[e]) >> shift) & mask]++] = e;
    }

    bool comes_before(std::span<int const> axes, std::size_t a, std::size_t b) const {
        for (int axis : axes) {
            std::vector<Index> const& at = coords_[static_cast<std::size_t>(axis)];
            if (at[a] != at[b]) return at[a] < at[b];
        }
        return false;
    }
    bool is_sorted_by(std::span<int const> axes) const {
        for (std::size_t e = 1; e < count(); ++e)
            if (comes_before(axes, e, e - 1)) return false;
        return true;
    }

    static constexpr int most_digit_bits = 16;
    static constexpr std::size_t few = 4096;  // elements, for which counting would cost more than comparing

    Shape lengths_;
    std::size_t size_;
    std::vector<std::vector<Index>> coords_;
    std::vector<std::byte> values_;
};

}  // namespace ein::tensor
