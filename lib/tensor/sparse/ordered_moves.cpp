#include "lib/tensor/sparse/ordered_moves.hpp"

#include <numeric>

#include "lib/base/error.hpp"

namespace ein::tensor {
namespace {

/// Whether what a part lists is in the result's order.
bool is_in_order(MovedPart const& part, SparseLayout const& layout) {
    std::vector<int> const& axes = part.view.layout.axes;
    if (axes.size() != layout.axes.size() || part.places.size() != axes.size() || axes.empty()) return false;
    for (std::size_t place = 0; place < axes.size(); ++place) {
        IndexPlace const& to = part.places[static_cast<std::size_t>(layout.axes[place])];
        bool const is_row = place == 0 && part.view.layout.compressed;
        if (to.axis != axes[place] || (!is_row && to.step != 1)) return false;
    }
    return true;
}

/// First and last index along the result's slowest axis.
std::pair<Extent, Extent> span_of(MovedPart const& part, SparseLayout const& layout) {
    IndexPlace const& to = part.places[static_cast<std::size_t>(layout.axes[0])];
    auto const axis = static_cast<std::size_t>(to.axis);
    Extent const begin = part.region.begin[axis] - part.view.box.begin[axis];
    Extent const one = to.of(begin), other = to.of(begin + part.region.length[axis] - 1);
    return {std::min(one, other), std::max(one, other)};
}

/// One after the other along the slowest axis.
bool put_in_order(std::vector<MovedPart>& parts, SparseLayout const& layout) {
    std::sort(parts.begin(), parts.end(), [&](MovedPart const& a, MovedPart const& b) {
        return span_of(a, layout).first < span_of(b, layout).first;
    });
    for (std::size_t k = 1; k < parts.size(); ++k)
        if (span_of(parts[k - 1], layout).second >= span_of(parts[k], layout).first) return false;
    return true;
}

/// Counts, and then writes, what the parts list.
template <class Index>
class OrderedMove {
public:
    OrderedMove(std::vector<MovedPart> const& parts, Shape const& lengths, SparseLayout const& layout, DType dtype)
        : parts_(parts), lengths_(lengths), layout_(layout), dtype_(dtype) {}

    Extent write(std::span<std::byte> out) {
        count();
        SparseOffsets const at = sparse_offsets(layout_, lengths_, dtype_, listed_);
        check_room(at, listed_, out.size());
        set_listed(out, listed_);
        if (layout_.compressed) {
            std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
            std::memcpy(out.data() + at.offsets, ends_.data(), ends_.size() * sizeof(std::uint64_t));
        }
        for (std::size_t place = layout_.compressed ? 1 : 0; place < layout_.axes.size(); ++place) {
            auto* to = reinterpret_cast<Index*>(out.data() + at.coords[place]);
            auto const* const begin = to;
            for_each_run([&](MovedPart const& part, SparseBlockReader const& reader, ListedRun const& run) {
                to = copy_indices(part, reader, run, place, to);
            });
            promise(to == begin + listed_, "all that was counted is written");
            clear_rest(reinterpret_cast<std::byte*>(to), static_cast<std::size_t>(listed_) * sizeof(Index));
        }
        std::byte* to = out.data() + at.values;
        std::size_t const size = size_of(dtype_);
        for_each_run([&](MovedPart const&, SparseBlockReader const& reader, ListedRun const& run) {
            std::memcpy(to, reader.values() + run.from * size, (run.to - run.from) * size);
            to += (run.to - run.from) * size;
        });
        clear_rest(to, static_cast<std::size_t>(listed_) * size);
        return listed_;
    }

private:
    template <class Visit>
    void for_each_run(Visit&& visit) const {
        for (MovedPart const& part : parts_) {
            SparseBlockReader const reader(part.view);
            reader.for_each_run(part.region, part.rows, [&](ListedRun const& run) { visit(part, reader, run); });
        }
    }
    IndexPlace const& place_of(MovedPart const& part, std::size_t place) const {
        return part.places[static_cast<std::size_t>(layout_.axes[place])];
    }

    void count() {
        if (layout_.compressed) ends_.assign(static_cast<std::size_t>(lengths_[at(layout_.axes[0])]) + 1, 0);
        for_each_run([&](MovedPart const& part, SparseBlockReader const& reader, ListedRun const& run) {
            listed_ += static_cast<Extent>(run.to - run.from);
            if (!layout_.compressed) return;
            IndexPlace const& to = place_of(part, 0);
            auto const add = [&](Extent index, std::size_t more) {
                ends_[static_cast<std::size_t>(index) + 1] += more;
            };
            if (!reader.compressed())
                for (std::size_t e = run.from; e < run.to; ++e) add(to.of(reader.coord(0, e)), 1);
            else if (run.end_row - run.row == 1)
                add(to.of(run.row), run.to - run.from);
            else
                for (Extent row = run.row; row < run.end_row; ++row)
                    add(to.of(row), reader.offset(row + 1) - reader.offset(row));
        });
    }

    Index* copy_indices(MovedPart const& part, SparseBlockReader const& reader, ListedRun const& run, std::size_t place,
                        Index* to) const {
        IndexPlace const& where = place_of(part, place);
        if (place > 0 || !reader.compressed()) return reader.copy_coords(place, run, where.add - where.begin, to);
        if (run.end_row - run.row == 1)
            return std::fill_n(to, run.to - run.from, static_cast<Index>(where.of(run.row)));
        for (Extent row = run.row; row < run.end_row; ++row)
            to = std::fill_n(to, reader.offset(row + 1) - reader.offset(row), static_cast<Index>(where.of(row)));
        return to;
    }

    /// Bytes between arrays are zeros: equal blocks are equal bytes.
    static void clear_rest(std::byte* end, std::size_t bytes) { std::fill_n(end, (8 - bytes % 8) % 8, std::byte{0}); }
    static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

    std::vector<MovedPart> const& parts_;
    Shape const& lengths_;
    SparseLayout const& layout_;
    DType dtype_;
    Extent listed_ = 0;
    std::vector<std::uint64_t> ends_;  // of a compressed axis: how many each index lists, at the next one
};

}  // namespace

std::optional<Extent> move_in_order(std::vector<MovedPart> parts, Shape const& lengths, SparseLayout const& layout,
                                    DType dtype, std::span<std::byte> out) {
    std::erase_if(parts, [](MovedPart const& part) { return part.region.empty(); });
    for (MovedPart const& part : parts)
        if (!is_in_order(part, layout)) return std::nullopt;
    if (!put_in_order(parts, layout)) return std::nullopt;
    if (index_bytes(lengths) == 4) return OrderedMove<std::uint32_t>(parts, lengths, layout, dtype).write(out);
    return OrderedMove<std::uint64_t>(parts, lengths, layout, dtype).write(out);
}

}  // namespace ein::tensor
