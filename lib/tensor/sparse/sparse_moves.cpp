#include "lib/tensor/sparse/sparse_moves.hpp"

#include <cstring>
#include <numeric>

#include "lib/tensor/convert.hpp"
#include "lib/tensor/sparse/element_sort.hpp"

namespace ein::tensor {
namespace {

/// The arrays of a block.
class Reader {
public:
    Reader(SparseBlockView const& block)
        : block_(block),
          listed_(tensor::listed_in(block.bytes)),
          at_(sparse_offsets(block.layout, block.box.length, block.dtype, listed_)),
          narrow_(index_bytes(block.box.length) == 4) {}

    std::size_t listed() const { return static_cast<std::size_t>(listed_); }
    bool compressed() const { return block_.layout.compressed; }
    int axis(std::size_t place) const { return block_.layout.axes[place]; }
    std::size_t order() const { return block_.layout.axes.size(); }
    std::size_t offset(Extent index) const {
        std::uint64_t value = 0;
        std::memcpy(&value, block_.bytes.data() + at_.offsets + static_cast<std::size_t>(index) * 8, 8);
        return static_cast<std::size_t>(value);
    }
    /// Of an axis that is listed.
    Extent coord(std::size_t place, std::size_t e) const {
        std::byte const* const from = block_.bytes.data() + at_.coords[place];
        if (narrow_) {
            std::uint32_t value = 0;
            std::memcpy(&value, from + e * 4, 4);
            return value;
        }
        std::uint64_t value = 0;
        std::memcpy(&value, from + e * 8, 8);
        return static_cast<Extent>(value);
    }
    std::byte const* values() const { return block_.bytes.data() + at_.values; }
    /// Appends all indices of one place.
    template <class Index>
    void append_indices(std::size_t place, std::vector<Index>& to) const {
        std::size_t const from = to.size();
        to.resize(from + listed());
        if (place == 0 && compressed()) {
            Extent const rows = block_.box.length[static_cast<std::size_t>(axis(0))];
            for (Extent row = 0; row < rows; ++row)
                std::fill(to.begin() + static_cast<std::ptrdiff_t>(from + offset(row)),
                          to.begin() + static_cast<std::ptrdiff_t>(from + offset(row + 1)), static_cast<Index>(row));
            return;
        }
        if (narrow_ == (sizeof(Index) == 4)) {
            if (listed() > 0)
                std::memcpy(to.data() + from, block_.bytes.data() + at_.coords[place], listed() * sizeof(Index));
            return;
        }
        for (std::size_t e = 0; e < listed(); ++e) to[from + e] = static_cast<Index>(coord(place, e));
    }

    /// visit(e, index): each element in `region` with its indices in the block, by axis.
    template <class Visit>
    void for_each_in(Box const& region, Visit&& visit) const {
        Shape first(order()), end(order());
        for (std::size_t axis = 0; axis < order(); ++axis) {
            first[axis] = region.begin[axis] - block_.box.begin[axis];
            end[axis] = first[axis] + region.length[axis];
        }
        std::vector<Extent> index(order(), 0);
        auto const run = [&](std::size_t from, std::size_t to, std::size_t first_place) {
            for (std::size_t e = from; e < to; ++e) {
                bool inside = true;
                for (std::size_t place = first_place; place < order() && inside; ++place) {
                    auto const a = static_cast<std::size_t>(axis(place));
                    index[a] = coord(place, e);
                    inside = index[a] >= first[a] && index[a] < end[a];
                }
                if (inside) visit(e, static_cast<std::vector<Extent> const&>(index));
            }
        };
        if (!compressed()) return run(0, listed(), 0);
        auto const a = static_cast<std::size_t>(axis(0));
        for (Extent row = first[a]; row < end[a]; ++row) {
            index[a] = row;
            run(offset(row), offset(row + 1), 1);
        }
    }

private:
    SparseBlockView const& block_;
    Extent listed_;
    SparseOffsets at_;
    bool narrow_;
};

/// Appends what is selected; coordinates grow by `shift`.
template <class Index>
void gather(SparseBlockView const& block, SparseSelection const& selection, std::vector<Extent> const& shift,
            ElementSort<Index>& into) {
    Reader const reader(block);
    std::size_t const size = size_of(block.dtype);
    bool whole = selection.region == block.box && selection.axes.size() == block.box.order();
    for (Extent each : shift) whole = whole && each == 0;
    if (whole) {
        for (std::size_t place = 0; place < reader.order(); ++place)
            for (std::size_t k = 0; k < selection.axes.size(); ++k)
                if (selection.axes[k][0] == reader.axis(place)) reader.append_indices(place, into.coords(k));
        into.values().insert(into.values().end(), reader.values(), reader.values() + reader.listed() * size);
        return;
    }
    std::vector<Extent> first;
    for (std::size_t axis = 0; axis < block.box.order(); ++axis)
        first.push_back(selection.region.begin[axis] - block.box.begin[axis]);
    reader.for_each_in(selection.region, [&](std::size_t e, std::vector<Extent> const& index) {
        for (std::vector<int> const& axes : selection.axes)
            for (int axis : axes) {
                auto const a = static_cast<std::size_t>(axis), b = static_cast<std::size_t>(axes[0]);
                if (index[a] - first[a] != index[b] - first[b]) return;
            }
        for (std::size_t k = 0; k < selection.axes.size(); ++k) {
            auto const axis = static_cast<std::size_t>(selection.axes[k][0]);
            into.coords(k).push_back(static_cast<Index>(index[axis] - first[axis] + shift[k]));
        }
        std::byte const* const value = reader.values() + e * size;
        into.values().insert(into.values().end(), value, value + size);
    });
}

/// Appends those of a region for which `place(index, to)` holds, at what it makes of their indices in the tensor.
template <class Index, class Place>
void gather_at(SparseBlockView const& block, Box const& region, ElementSort<Index>& into, Place const& place) {
    Reader const reader(block);
    std::size_t const size = size_of(block.dtype);
    std::vector<Extent> whole(block.box.order());
    Shape to(into.order());
    reader.for_each_in(region, [&](std::size_t e, std::vector<Extent> const& index) {
        for (std::size_t axis = 0; axis < index.size(); ++axis) whole[axis] = block.box.begin[axis] + index[axis];
        if (!place(static_cast<std::vector<Extent> const&>(whole), to)) return;
        for (std::size_t axis = 0; axis < to.size(); ++axis) into.coords(axis).push_back(static_cast<Index>(to[axis]));
        std::byte const* const value = reader.values() + e * size;
        into.values().insert(into.values().end(), value, value + size);
    });
}

/// The smallest box that is read for a region, which is not empty.
Box read_box(Box const& region, std::span<IndexMap const> maps) {
    Box out = region;
    for (std::size_t axis = 0; axis < maps.size() && !region.empty(); ++axis) {
        Extent const first = maps[axis].start + maps[axis].step * region.begin[axis];
        Extent const last = maps[axis].start + maps[axis].step * (region.end(axis) - 1);
        out.begin[axis] = std::min(first, last);
        out.length[axis] = std::max(first, last) - out.begin[axis] + 1;
    }
    return out;
}

/// By which axes of the result the elements are sorted when they come in the order of the block.
std::vector<int> known_order(SparseSelection const& selection, SparseLayout const& layout) {
    std::vector<int> known;
    for (int axis : layout.axes)
        for (std::size_t k = 0; k < selection.axes.size(); ++k)
            if (std::find(selection.axes[k].begin(), selection.axes[k].end(), axis) != selection.axes[k].end() &&
                std::find(known.begin(), known.end(), static_cast<int>(k)) == known.end())
                known.push_back(static_cast<int>(k));
    return known;
}

/// Calls with an ElementSort of the width that blocks of these lengths have.
template <class Use>
auto with_sort(std::span<Extent const> lengths, DType dtype, Use&& use) {
    if (index_bytes(lengths) == 4) {
        ElementSort<std::uint32_t> sort(lengths, size_of(dtype));
        return use(sort);
    }
    ElementSort<std::uint64_t> sort(lengths, size_of(dtype));
    return use(sort);
}

std::size_t bytes_of(SparseLayout const& layout, Shape const& lengths, DType dtype, std::size_t listed) {
    return static_cast<std::size_t>(sparse_bytes(layout, lengths, dtype, static_cast<Extent>(listed)));
}

/// Whether elements differ from the fill.
class Differs {
public:
    Differs(DType dtype, scalar::Scalar const& fill) : dtype_(dtype) {
        wide_ = is_exact(dtype) ? DType::i64 : DType::c128;
        if (is_exact(dtype))
            std::memcpy(fill_, &fill.integer, 8);
        else
            std::memcpy(fill_, &fill.number, 16);
    }

    /// visit(first + i) for those of a run of elements.
    template <class Visit>
    void for_each(std::span<std::byte const> elements, Visit&& visit) const {
        std::size_t const size = size_of(dtype_), count = elements.size() / size;
        for (std::size_t first = 0; first < count; first += run) {
            std::size_t const n = std::min(run, count - first);
            alignas(16) std::byte wide[run * 16];
            convert(dtype_, elements.data() + first * size, 1, wide_, wide, n);
            for (std::size_t i = 0; i < n; ++i)
                if (differs(wide, i)) visit(first + i);
        }
    }

private:
    static constexpr std::size_t run = 256;

    bool differs(std::byte const* wide, std::size_t i) const {
        if (wide_ == DType::i64) return std::memcmp(wide + i * 8, fill_, 8) != 0;
        double value[2], fill[2];
        std::memcpy(value, wide + i * 16, 16);
        std::memcpy(fill, fill_, 16);
        auto const same = [](double a, double b) { return a == b || (a != a && b != b); };
        return !same(value[0], fill[0]) || !same(value[1], fill[1]);
    }

    DType dtype_, wide_;
    std::byte fill_[16] = {};
};

}  // namespace

SparseSelection SparseSelection::of(Box region) {
    SparseSelection out;
    for (std::size_t axis = 0; axis < region.order(); ++axis) out.axes.push_back({static_cast<int>(axis)});
    out.region = std::move(region);
    return out;
}

Shape SparseSelection::lengths() const {
    Shape out;
    for (std::vector<int> const& group : axes) {
        Extent least = region.length[static_cast<std::size_t>(group[0])];
        for (int axis : group) least = std::min(least, region.length[static_cast<std::size_t>(axis)]);
        out.push_back(least);
    }
    return out;
}

std::vector<std::byte> select(SparseBlockView const& block, SparseSelection const& selection,
                              SparseLayout const& layout) {
    Shape const lengths = selection.lengths();
    return with_sort(lengths, block.dtype, [&](auto& sort) {
        gather(block, selection, std::vector<Extent>(lengths.size(), 0), sort);
        std::vector<std::byte> out(bytes_of(layout, lengths, block.dtype, sort.count()));
        sort.write(layout, block.dtype, known_order(selection, block.layout), out);
        return out;
    });
}

Extent select(SparseBlockView const& block, SparseSelection const& selection, SparseLayout const& layout,
              std::span<std::byte> out) {
    Shape const lengths = selection.lengths();
    return with_sort(lengths, block.dtype, [&](auto& sort) {
        gather(block, selection, std::vector<Extent>(lengths.size(), 0), sort);
        return sort.write(layout, block.dtype, known_order(selection, block.layout), out);
    });
}

Extent listed_in(SparseBlockView const& block, Box const& region) {
    if (region == block.box) return listed_in(block.bytes);
    Extent count = 0;
    Reader(block).for_each_in(region, [&](std::size_t, std::vector<Extent> const&) { ++count; });
    return count;
}

Extent assemble(std::span<SparseBlockView const> parts, Box const& box, SparseLayout const& layout,
                std::span<std::byte> out) {
    promise(!parts.empty(), "a sparse block is made of no parts");
    return with_sort(box.length, parts[0].dtype, [&](auto& sort) {
        for (SparseBlockView const& part : parts) {
            Box const region = intersection(part.box, box);
            if (region.empty()) continue;
            std::vector<Extent> shift(region.begin);
            for (std::size_t axis = 0; axis < shift.size(); ++axis) shift[axis] -= box.begin[axis];
            gather(part, SparseSelection::of(region), shift, sort);
        }
        return sort.write(layout, parts[0].dtype, {}, out);
    });
}

Extent relocate(std::span<SparseBlockView const> parts, std::span<IndexMap const> maps, Box const& region,
                Box const& box, SparseLayout const& layout, std::span<std::byte> out) {
    promise(!parts.empty(), "a sparse block is made of no parts");
    return with_sort(box.length, parts[0].dtype, [&](auto& sort) {
        for (SparseBlockView const& part : parts) {
            Box const read = intersection(part.box, read_box(region, maps));
            if (region.empty() || read.empty()) continue;
            gather_at(part, read, sort, [&](std::vector<Extent> const& index, Shape& to) {
                for (std::size_t axis = 0; axis < maps.size(); ++axis) {
                    Extent const steps = index[axis] - maps[axis].start;
                    if (steps % maps[axis].step != 0) return false;
                    to[axis] = steps / maps[axis].step - box.begin[axis];
                }
                return true;
            });
        }
        return sort.write(layout, parts[0].dtype, {}, out);
    });
}

Extent refold(std::span<SparseBlockView const> parts, Shape const& from, Shape const& to, Box const& box,
              SparseLayout const& layout, std::span<std::byte> out) {
    promise(!parts.empty(), "a sparse block is made of no parts");
    std::vector<Extent> const strides = row_major_strides(from);
    return with_sort(box.length, parts[0].dtype, [&](auto& sort) {
        for (SparseBlockView const& part : parts)
            gather_at(part, part.box, sort, [&](std::vector<Extent> const& index, Shape& at) {
                Extent rest = 0;
                for (std::size_t axis = 0; axis < from.size(); ++axis) rest += strides[axis] * index[axis];
                bool inside = true;
                for (std::size_t axis = to.size(); axis-- > 0; rest /= to[axis]) {
                    at[axis] = rest % to[axis] - box.begin[axis];
                    inside = inside && at[axis] >= 0 && at[axis] < box.length[axis];
                }
                return inside;
            });
        return sort.write(layout, parts[0].dtype, {}, out);
    });
}

void densify(SparseBlockView const& block, scalar::Scalar const& fill, Box const& region, std::span<std::byte> out) {
    std::size_t const size = size_of(block.dtype);
    auto const count = static_cast<std::size_t>(element_count(region.length));
    promise(out.size() >= count * size, "a dense block is larger than what was reserved for it");
    if (is_exact(block.dtype))
        convert(DType::i64, &fill.integer, 0, block.dtype, out.data(), count);
    else
        convert(DType::c128, &fill.number, 0, block.dtype, out.data(), count);
    Reader const reader(block);
    std::vector<Extent> const strides = row_major_strides(region.length);
    Extent first = 0;
    for (std::size_t axis = 0; axis < strides.size(); ++axis)
        first += strides[axis] * (region.begin[axis] - block.box.begin[axis]);
    reader.for_each_in(region, [&](std::size_t e, std::vector<Extent> const& index) {
        Extent at = -first;
        for (std::size_t axis = 0; axis < strides.size(); ++axis) at += strides[axis] * index[axis];
        std::memcpy(out.data() + static_cast<std::size_t>(at) * size, reader.values() + e * size, size);
    });
}

Extent differing(std::span<std::byte const> elements, DType dtype, scalar::Scalar const& fill) {
    Extent count = 0;
    Differs(dtype, fill).for_each(elements, [&](std::size_t) { ++count; });
    return count;
}

Extent sparsify(std::span<std::byte const> elements, DType dtype, std::span<Extent const> lengths,
                scalar::Scalar const& fill, SparseLayout const& layout, std::span<std::byte> out) {
    std::vector<int> in_order(lengths.size());
    std::iota(in_order.begin(), in_order.end(), 0);
    return with_sort(lengths, dtype, [&](auto& sort) {
        std::size_t const size = size_of(dtype);
        using Index = typename std::remove_reference_t<decltype(sort.coords(0))>::value_type;
        Differs(dtype, fill).for_each(elements, [&](std::size_t linear) {
            auto rest = static_cast<Extent>(linear);
            for (std::size_t axis = lengths.size(); axis-- > 0; rest /= lengths[axis])
                sort.coords(axis).push_back(static_cast<Index>(rest % lengths[axis]));
            sort.values().insert(sort.values().end(), elements.begin() + static_cast<std::ptrdiff_t>(linear * size),
                                 elements.begin() + static_cast<std::ptrdiff_t>((linear + 1) * size));
        });
        return sort.write(layout, dtype, in_order, out);
    });
}

}  // namespace ein::tensor
