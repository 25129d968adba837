#include "lib/tensor/sparse/sparse_block.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "lib/base/error.hpp"
#include "lib/tensor/cast.hpp"
#include "lib/tensor/sparse/sort_keys.hpp"

namespace ein::tensor {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

Extent length_of(std::span<Extent const> lengths, int axis) { return lengths[static_cast<std::size_t>(axis)]; }

Extent index_at_place(std::byte const* array, std::size_t width, Extent k) {
    std::byte const* const at = array + static_cast<std::size_t>(k) * width;
    return width == 4 ? static_cast<Extent>(load<std::uint32_t>(at)) : static_cast<Extent>(load<std::uint64_t>(at));
}

void set_index(std::byte* array, std::size_t width, Extent k, Extent value) {
    std::byte* const at = array + static_cast<std::size_t>(k) * width;
    if (width == 4)
        store(at, static_cast<std::uint32_t>(value));
    else
        store(at, static_cast<std::uint64_t>(value));
}

/// Those of `elements` that lie in the box, in the order of the layout.
std::vector<std::size_t> sorted_inside(ListedElements const& elements, Extent count, Box const& box,
                                       SparseLayout const& layout) {
    std::vector<std::size_t> out;
    for (std::size_t e = 0; e < static_cast<std::size_t>(count); ++e) {
        bool inside = true;
        for (std::size_t axis = 0; axis < box.order() && inside; ++axis)
            inside = elements.coords[axis][e] >= box.begin[axis] && elements.coords[axis][e] < box.end(axis);
        if (inside) out.push_back(e);
    }
    std::vector<std::uint64_t> keys(out.size());  // places in the box, counted in the order of the layout
    for (int axis : layout.axes) {
        auto const a = static_cast<std::size_t>(axis);
        auto const length = static_cast<std::uint64_t>(box.length[a]);
        for (std::size_t k = 0; k < out.size(); ++k)
            keys[k] = keys[k] * length + static_cast<std::uint64_t>(elements.coords[a][out[k]] - box.begin[a]);
    }
    std::vector<std::size_t> const order = sorted_order(keys);
    if (order.empty()) return out;
    std::vector<std::size_t> sorted(out.size());
    for (std::size_t k = 0; k < out.size(); ++k) sorted[k] = out[order[k]];
    return sorted;
}

}  // namespace

SparseLayout in_order(std::size_t order) {
    SparseLayout out{std::vector<int>(order), order > 0};
    std::iota(out.axes.begin(), out.axes.end(), 0);
    return out;
}

std::size_t index_bytes(std::span<Extent const> lengths) {
    constexpr Extent most = std::numeric_limits<std::uint32_t>::max();
    return std::any_of(lengths.begin(), lengths.end(), [](Extent length) { return length > most; }) ? 8 : 4;
}

SparseOffsets sparse_offsets(SparseLayout const& layout, std::span<Extent const> lengths, DType dtype, Extent listed) {
    auto const count = static_cast<std::size_t>(listed);
    std::size_t const width = index_bytes(lengths);
    SparseOffsets out;
    std::size_t at = sizeof(std::uint64_t);
    if (layout.compressed) {
        out.offsets = at;
        at += (static_cast<std::size_t>(length_of(lengths, layout.axes.front())) + 1) * sizeof(std::uint64_t);
    }
    for (std::size_t k = 0; k < layout.axes.size(); ++k) {
        bool const is_listed = k > 0 || !layout.compressed;
        out.coords.push_back(is_listed ? at : 0);
        if (is_listed) at = aligned(at + count * width);
    }
    out.values = at;
    out.end = aligned(at + count * size_of(dtype));
    return out;
}

std::int64_t sparse_bytes(SparseLayout const& layout, std::span<Extent const> lengths, DType dtype, Extent listed) {
    return static_cast<std::int64_t>(sparse_offsets(layout, lengths, dtype, listed).end);
}

Extent listed_in(std::span<std::byte const> block) { return static_cast<Extent>(load<std::uint64_t>(block.data())); }

void set_listed(std::span<std::byte> block, Extent listed) { store(block.data(), static_cast<std::uint64_t>(listed)); }

void check_room(SparseOffsets const& at, Extent listed, std::size_t room) {
    if (at.end > room) throw SparseRoomError(listed);
}

Extent write_sparse_block(ListedElements const& elements, DType dtype, Box const& box, SparseLayout const& layout,
                          std::span<std::byte> out) {
    std::vector<std::size_t> const order = sorted_inside(elements, elements.count(dtype), box, layout);
    SlabWriter writer(box, layout, dtype, static_cast<Extent>(order.size()), out);
    writer.put(elements, order, box);
    return static_cast<Extent>(order.size());
}

SlabWriter::SlabWriter(Box const& box, SparseLayout const& layout, DType dtype, Extent listed, std::span<std::byte> out)
    : box_(box),
      layout_(layout),
      dtype_(dtype),
      listed_(static_cast<std::size_t>(listed)),
      at_(sparse_offsets(layout, box.length, dtype, listed)),
      out_(out) {
    check_room(at_, listed, out.size());
    set_listed(out, listed);
    if (layout.compressed) store(out.data() + at_.offsets, std::uint64_t{0});
}

void SlabWriter::add(ListedElements const& elements, Box const& slab) {
    put(elements, sorted_inside(elements, elements.count(dtype_), slab, layout_), slab);
}

void SlabWriter::put(ListedElements const& elements, std::span<std::size_t const> order, Box const& slab) {
    promise(done_ + order.size() <= listed_, "slabs list no more than was said");
    std::size_t const width = index_bytes(box_.length), size = size_of(dtype_);
    for (std::size_t k = 0; k < layout_.axes.size(); ++k) {
        auto const axis = static_cast<std::size_t>(layout_.axes[k]);
        std::vector<Extent> const& coords = elements.coords[axis];
        if (k == 0 && layout_.compressed) {
            std::byte* const ends = out_.data() + at_.offsets + 8;
            std::size_t e = 0;
            for (Extent index = slab.begin[axis]; index < slab.end(axis); ++index) {
                while (e < order.size() && coords[order[e]] <= index) ++e;
                store(ends + static_cast<std::size_t>(index - box_.begin[axis]) * 8, std::uint64_t{done_ + e});
            }
            continue;
        }
        for (std::size_t e = 0; e < order.size(); ++e)
            set_index(out_.data() + at_.coords[k], width, static_cast<Extent>(done_ + e),
                      coords[order[e]] - box_.begin[axis]);
    }
    std::byte* const values = out_.data() + at_.values + done_ * size;
    for (std::size_t e = 0; e < order.size(); ++e)
        std::memcpy(values + e * size, elements.values.data() + order[e] * size, size);
    done_ += order.size();
}

std::int64_t SlabWriter::finish() const {
    promise(done_ == listed_, "slabs list as much as was said");
    return static_cast<std::int64_t>(at_.end);
}

std::int64_t write_sorted_block(std::span<std::uint64_t const> keys, std::span<std::byte const> values, DType dtype,
                                Box const& box, bool compressed, std::span<std::byte> out,
                                std::function<void(std::size_t)> const& written) {
    constexpr std::size_t together = std::size_t{1} << 18;
    SparseLayout layout = in_order(box.order());
    layout.compressed = compressed;
    SparseOffsets const at = sparse_offsets(layout, box.length, dtype, static_cast<Extent>(keys.size()));
    check_room(at, static_cast<Extent>(keys.size()), out.size());
    set_listed(out, static_cast<Extent>(keys.size()));
    std::size_t const width = index_bytes(box.length), size = size_of(dtype);
    std::uint64_t row_length = 1, row = 0;
    for (std::size_t axis = 1; axis < box.order(); ++axis) row_length *= static_cast<std::uint64_t>(box.length[axis]);
    auto const put = [&](std::size_t e, std::uint64_t rest) {  // within its row
        for (std::size_t axis = box.order() - 1; axis > 0; --axis) {
            auto const length = static_cast<std::uint64_t>(box.length[axis]);
            set_index(out.data() + at.coords[axis], width, static_cast<Extent>(e),
                      static_cast<Extent>(axis == 1 ? rest : rest % length));
            if (axis > 1) rest /= length;
        }
    };
    auto const begin_rows = [&](std::uint64_t end, std::size_t e) {  // those before `end` that have not begun
        for (; row < end; ++row) store(out.data() + at.offsets + row * 8, static_cast<std::uint64_t>(e));
    };
    for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
        last = std::min(keys.size(), first + together);
        std::copy(values.begin() + static_cast<std::ptrdiff_t>(first * size),
                  values.begin() + static_cast<std::ptrdiff_t>(last * size),
                  out.begin() + static_cast<std::ptrdiff_t>(at.values + first * size));
        std::uint64_t here = 0, row_begin = 0;
        for (std::size_t e = first; box.order() > 0 && e < last; ++e) {
            if (e == first || keys[e] - row_begin >= row_length) {
                here = keys[e] / row_length;
                row_begin = here * row_length;
                if (compressed) begin_rows(here + 1, e);
            }
            if (!compressed)
                set_index(out.data() + at.coords[0], width, static_cast<Extent>(e), static_cast<Extent>(here));
            put(e, keys[e] - row_begin);
        }
        if (written) written(last);
    }
    if (compressed) begin_rows(static_cast<std::uint64_t>(box.length[0]) + 1, keys.size());
    return static_cast<std::int64_t>(at.end);
}

ListedElements elements_of(std::span<std::byte const> block, DType dtype, Box const& box, SparseLayout const& layout) {
    return elements_of(block, dtype, box, layout, 0, listed_in(block));
}

ListedElements elements_of(std::span<std::byte const> block, DType dtype, Box const& box, SparseLayout const& layout,
                           Extent first, Extent count) {
    Extent const listed = listed_in(block), end = first + count;
    promise(first >= 0 && count >= 0 && end <= listed, "elements that a sparse block lists");
    SparseOffsets const at = sparse_offsets(layout, box.length, dtype, listed);
    std::size_t const width = index_bytes(box.length);
    ListedElements out;
    out.coords.resize(box.order());
    for (std::size_t k = 0; k < layout.axes.size(); ++k) {
        auto const axis = static_cast<std::size_t>(layout.axes[k]);
        std::vector<Extent>& coords = out.coords[axis];
        coords.reserve(static_cast<std::size_t>(count));
        if (k == 0 && layout.compressed) {
            std::byte const* const offsets = block.data() + at.offsets;
            auto const offset = [&](Extent index) {
                return static_cast<Extent>(load<std::uint64_t>(offsets + static_cast<std::size_t>(index) * 8));
            };
            Extent low = 0, high = box.length[axis];  // the last index that begins at `first` or before it
            while (high - low > 1) {
                Extent const middle = low + (high - low) / 2;
                (offset(middle) <= first ? low : high) = middle;
            }
            for (Extent index = low, done = first; done < end; ++index) {
                Extent const next = std::min(offset(index + 1), end);
                coords.insert(coords.end(), static_cast<std::size_t>(std::max<Extent>(0, next - done)),
                              box.begin[axis] + index);
                done = std::max(done, next);
            }
            continue;
        }
        for (Extent e = first; e < end; ++e)
            coords.push_back(box.begin[axis] + index_at_place(block.data() + at.coords[k], width, e));
    }
    std::size_t const size = size_of(dtype);
    std::byte const* const values = block.data() + at.values + static_cast<std::size_t>(first) * size;
    out.values.assign(values, values + static_cast<std::size_t>(count) * size);
    return out;
}

void check_sparse_block(std::span<std::byte const> block, DType dtype, Box const& box, SparseLayout const& layout) {
    promise(block.size() >= 8, "a sparse block has fewer than 8 bytes");
    Extent const listed = listed_in(block);
    promise(listed >= 0 && listed <= static_cast<Extent>(block.size()) && listed <= box.elements(),
            "a sparse block lists more elements than it has room for");
    SparseOffsets const at = sparse_offsets(layout, box.length, dtype, listed);
    promise(at.end <= block.size(), "a sparse block is cut short");
    if (layout.compressed) {
        std::uint64_t last = 0;
        for (Extent index = 0; index <= length_of(box.length, layout.axes.front()); ++index) {
            auto const next = load<std::uint64_t>(block.data() + at.offsets + static_cast<std::size_t>(index) * 8);
            promise(next >= last && (index > 0 || next == 0), "offsets of a sparse block do not ascend");
            last = next;
        }
        promise(last == static_cast<std::uint64_t>(listed), "offsets of a sparse block do not end at what it lists");
    }
    ListedElements const elements = elements_of(block, dtype, box, layout);
    for (Extent e = 0; e < listed; ++e) {
        bool after = e == 0;  // the one before
        for (int axis : layout.axes) {
            std::vector<Extent> const& coords = elements.coords[static_cast<std::size_t>(axis)];
            Extent const here = coords[static_cast<std::size_t>(e)];
            promise(here < box.end(static_cast<std::size_t>(axis)), "a sparse block lists an element outside its box");
            if (after) continue;
            Extent const before = coords[static_cast<std::size_t>(e - 1)];
            promise(here >= before, "elements of a sparse block are not sorted");
            after = here > before;
        }
        promise(after, "a sparse block lists an element twice");
    }
}

}  // namespace ein::tensor
