#include "lib/tensor/sparse/sparse_moves.hpp"

#include <cstring>
#include <numeric>

#include "lib/tensor/convert.hpp"
#include "lib/tensor/sparse/block_reader.hpp"
#include "lib/tensor/sparse/element_sort.hpp"
#include "lib/tensor/sparse/ordered_moves.hpp"

namespace ein::tensor {
namespace {

/// Appends the elements of runs, whose indices are all in the result.
/// @param places  by axis of the result; steps of listed axes are 1 or -1
template <class Index>
class RunAppender {
public:
    RunAppender(SparseBlockReader const& reader, std::vector<IndexPlace> places, ElementSort<Index>& into)
        : reader_(reader), places_(std::move(places)), into_(into) {}

    void operator()(ListedRun const& run) {
        for (std::size_t k = 0; k < places_.size(); ++k) {
            std::size_t const place = reader_.place_of(places_[k].axis);
            if (place == 0 && reader_.compressed()) {
                reader_.append_rows(run, into_.coords(k), [&](Extent index) { return places_[k].of(index); });
                continue;
            }
            Extent const add = places_[k].add, sign = places_[k].step, begin = places_[k].begin;
            reader_.append_coords(place, run, into_.coords(k),
                                  [=](auto index) { return sign * (static_cast<Extent>(index) + add) - begin; });
        }
        reader_.append_values(run, into_.values());
    }

private:
    SparseBlockReader const& reader_;
    std::vector<IndexPlace> places_;
    ElementSort<Index>& into_;
};

/// Appends what is selected; coordinates grow by `shift`.
template <class Index>
void gather(SparseBlockView const& block, SparseSelection const& selection, std::vector<Extent> const& shift,
            ElementSort<Index>& into) {
    SparseBlockReader const reader(block);
    std::vector<Extent> first;
    for (std::size_t axis = 0; axis < block.box.order(); ++axis)
        first.push_back(selection.region.begin[axis] - block.box.begin[axis]);
    std::vector<IndexPlace> places;
    for (std::size_t k = 0; k < selection.axes.size(); ++k)
        places.push_back({selection.axes[k][0], shift[k] - first[static_cast<std::size_t>(selection.axes[k][0])]});
    RunAppender<Index> append(reader, places, into);
    if (selection.axes.size() == block.box.order()) return reader.for_each_run(selection.region, {}, append);
    auto const take = [&](std::size_t e, std::vector<Extent> const& index) {
        for (std::vector<int> const& axes : selection.axes)
            for (int axis : axes) {
                auto const a = static_cast<std::size_t>(axis), b = static_cast<std::size_t>(axes[0]);
                if (index[a] - first[a] != index[b] - first[b]) return;
            }
        for (std::size_t k = 0; k < places.size(); ++k)
            into.coords(k).push_back(static_cast<Index>(places[k].of(index[static_cast<std::size_t>(places[k].axis)])));
        reader.append_values({e, e + 1, 0, 0}, into.values());
    };
    auto const has_axis = [&](std::vector<int> const& axes, std::size_t place) {
        return std::find(axes.begin(), axes.end(), reader.axis(place)) != axes.end();
    };
    bool const finds = reader.compressed() && reader.order() > 1 &&
                       std::any_of(selection.axes.begin(), selection.axes.end(), [&](std::vector<int> const& axes) {
                           return has_axis(axes, 0) && has_axis(axes, 1);
                       });
    finds ? reader.for_each_on_diagonal(selection.region, take) : reader.for_each_in(selection.region, take);
}

/// Appends those of a region for which `place(index, to)` holds, at what it makes of their indices in the tensor.
template <class Index, class Place>
void gather_at(SparseBlockView const& block, Box const& region, ElementSort<Index>& into, Place const& place) {
    SparseBlockReader const reader(block);
    std::vector<Extent> whole(block.box.order());
    Shape to(into.order());
    reader.for_each_in(region, [&](std::size_t e, std::vector<Extent> const& index) {
        for (std::size_t axis = 0; axis < index.size(); ++axis) whole[axis] = block.box.begin[axis] + index[axis];
        if (!place(static_cast<std::vector<Extent> const&>(whole), to)) return;
        for (std::size_t axis = 0; axis < to.size(); ++axis) into.coords(axis).push_back(static_cast<Index>(to[axis]));
        reader.append_values({e, e + 1, 0, 0}, into.values());
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

/// Whether elements that follow one another in a block do so in the result too, or the other way round: no stride but
/// along the axis that is compressed.
bool moves_by_runs(SparseBlockView const& part, std::span<IndexMap const> maps) {
    for (std::size_t axis = 0; axis < maps.size(); ++axis) {
        bool const is_compressed = part.layout.compressed && part.layout.axes[0] == static_cast<int>(axis);
        if (!is_compressed && maps[axis].step != 1 && maps[axis].step != -1) return false;
    }
    return true;
}

/// What a movement takes of a block, by runs.
MovedPart moved_part(SparseBlockView const& part, Box const& read, std::span<IndexMap const> maps, Box const& box) {
    MovedPart out{part, read, {}, {}};
    for (std::size_t axis = 0; axis < maps.size(); ++axis)
        out.places.push_back(
            {static_cast<int>(axis), part.box.begin[axis] - maps[axis].start, maps[axis].step, box.begin[axis]});
    if (part.layout.compressed) {
        auto const axis = static_cast<std::size_t>(part.layout.axes[0]);
        out.rows = {maps[axis].step, maps[axis].start - part.box.begin[axis]};
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
    std::size_t count = 0;
    SparseBlockReader(block).for_each_run(region, {}, [&](ListedRun const& run) { count += run.to - run.from; });
    return static_cast<Extent>(count);
}

Extent assemble(std::span<SparseBlockView const> parts, Box const& box, SparseLayout const& layout,
                std::span<std::byte> out) {
    return relocate(parts, std::vector<IndexMap>(box.order()), box, box, layout, out);
}

Extent relocate(std::span<SparseBlockView const> parts, std::span<IndexMap const> maps, Box const& region,
                Box const& box, SparseLayout const& layout, std::span<std::byte> out) {
    promise(!parts.empty(), "a sparse block is made of no parts");
    std::vector<MovedPart> moved;
    bool by_runs = true;
    for (SparseBlockView const& part : parts) {
        Box const read = intersection(part.box, read_box(region, maps));
        if (region.empty() || read.empty()) continue;
        by_runs = by_runs && moves_by_runs(part, maps);
        moved.push_back(moved_part(part, read, maps, box));
    }
    if (by_runs)
        if (auto const listed = move_in_order(moved, box.length, layout, parts[0].dtype, out)) return *listed;
    return with_sort(box.length, parts[0].dtype, [&](auto& sort) {
        for (MovedPart const& part : moved) {
            if (moves_by_runs(part.view, maps)) {
                SparseBlockReader const reader(part.view);
                reader.for_each_run(part.region, part.rows, RunAppender(reader, part.places, sort));
                continue;
            }
            gather_at(part.view, part.region, sort, [&](std::vector<Extent> const& index, Shape& to) {
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
    SparseBlockReader const reader(block);
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
