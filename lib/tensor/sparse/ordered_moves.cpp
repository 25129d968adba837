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

/// First and last index along the result's axis that has this place.
std::pair<Extent, Extent> span_of(MovedPart const& part, SparseLayout const& layout, std::size_t place) {
    IndexPlace const& to = part.places[static_cast<std::size_t>(layout.axes[place])];
    auto const axis = static_cast<std::size_t>(to.axis);
    Extent const begin = part.region.begin[axis] - part.view.box.begin[axis];
    Extent const one = to.of(begin), other = to.of(begin + part.region.length[axis] - 1);
    return {std::min(one, other), std::max(one, other)};
}
bool meet(MovedPart const& a, MovedPart const& b, SparseLayout const& layout, std::size_t place) {
    auto const of_a = span_of(a, layout, place), of_b = span_of(b, layout, place);
    return of_a.first <= of_b.second && of_b.first <= of_a.second;
}
void sort_along(std::vector<MovedPart>& parts, SparseLayout const& layout, std::size_t place) {
    std::stable_sort(parts.begin(), parts.end(), [&](MovedPart const& a, MovedPart const& b) {
        return span_of(a, layout, place).first < span_of(b, layout, place).first;
    });
}

/// One after the other along the slowest axis.
bool put_in_order(std::vector<MovedPart>& parts, SparseLayout const& layout) {
    sort_along(parts, layout, 0);
    for (std::size_t k = 1; k < parts.size(); ++k)
        if (meet(parts[k - 1], parts[k], layout, 0)) return false;
    return true;
}

/// So that in each row, an index of the slowest axis, one is after the other along the next axis.
bool put_rows_in_order(std::vector<MovedPart>& parts, SparseLayout const& layout) {
    constexpr std::size_t most_parts = 256;  // each is compared with each
    if (!layout.compressed || layout.axes.size() < 2 || parts.size() > most_parts) return false;
    for (MovedPart const& part : parts)
        if (!part.view.layout.compressed) return false;
    sort_along(parts, layout, 1);
    for (std::size_t a = 0; a < parts.size(); ++a)
        for (std::size_t b = a + 1; b < parts.size(); ++b)
            if (meet(parts[a], parts[b], layout, 0) && meet(parts[a], parts[b], layout, 1)) return false;
    return true;
}

enum class Order { parts, rows };

/// Counts, and then writes, what the parts list: part after part, or each row's elements of one part after another.
template <class Index>
class OrderedMove {
public:
    OrderedMove(std::vector<MovedPart> const& parts, Order order, Shape const& lengths, SparseLayout const& layout,
                DType dtype)
        : parts_(parts), order_(order), lengths_(lengths), layout_(layout), dtype_(dtype) {}

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
            auto* const to = reinterpret_cast<Index*>(out.data() + at.coords[place]);
            place_runs([&](MovedPart const& part, SparseBlockReader const& reader, ListedRun const& run,
                           std::size_t first) { copy_indices(part, reader, run, place, to + first); });
            clear_rest(reinterpret_cast<std::byte*>(to + listed_), static_cast<std::size_t>(listed_) * sizeof(Index));
        }
        std::byte* const to = out.data() + at.values;
        std::size_t const size = size_of(dtype_);
        place_runs([&](MovedPart const&, SparseBlockReader const& reader, ListedRun const& run, std::size_t first) {
            std::memcpy(to + first * size, reader.values() + run.from * size, (run.to - run.from) * size);
        });
        clear_rest(to + static_cast<std::size_t>(listed_) * size, static_cast<std::size_t>(listed_) * size);
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
    /// visit(part, reader, run, first): the run becomes the result's elements from number `first` on.
    template <class Visit>
    void place_runs(Visit&& visit) const {
        std::size_t done = 0;
        std::vector<std::uint64_t> next(order_ == Order::rows ? ends_ : std::vector<std::uint64_t>());
        for_each_run([&](MovedPart const& part, SparseBlockReader const& reader, ListedRun const& run) {
            if (order_ == Order::parts) {
                visit(part, reader, run, done);
                done += run.to - run.from;
                return;
            }
            for (Extent row = run.row; row < run.end_row; ++row) {
                bool const alone = run.end_row - run.row == 1;
                ListedRun const of_row{alone ? run.from : reader.offset(row), alone ? run.to : reader.offset(row + 1),
                                       row, row + 1};
                if (of_row.from == of_row.to) continue;
                std::uint64_t& to = next[static_cast<std::size_t>(place_of(part, 0).of(row))];
                visit(part, reader, of_row, static_cast<std::size_t>(to));
                to += of_row.to - of_row.from;
                done += of_row.to - of_row.from;
            }
        });
        promise(done == static_cast<std::size_t>(listed_), "all that was counted is written");
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

    void copy_indices(MovedPart const& part, SparseBlockReader const& reader, ListedRun const& run, std::size_t place,
                      Index* to) const {
        IndexPlace const& where = place_of(part, place);
        if (place > 0 || !reader.compressed()) {
            reader.copy_coords(place, run, where.add - where.begin, to);
        } else if (run.end_row - run.row == 1) {
            std::fill_n(to, run.to - run.from, static_cast<Index>(where.of(run.row)));
        } else {
            for (Extent row = run.row; row < run.end_row; ++row)
                to = std::fill_n(to, reader.offset(row + 1) - reader.offset(row), static_cast<Index>(where.of(row)));
        }
    }

    /// Bytes between arrays are zeros: equal blocks are equal bytes.
    static void clear_rest(std::byte* end, std::size_t bytes) { std::fill_n(end, (8 - bytes % 8) % 8, std::byte{0}); }
    static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

    std::vector<MovedPart> const& parts_;
    Order order_;
    Shape const& lengths_;
    SparseLayout const& layout_;
    DType dtype_;
    Extent listed_ = 0;
    std::vector<std::uint64_t> ends_;  // of a compressed axis: how many each index lists, at the next one; then sums
};

}  // namespace

std::optional<Extent> move_in_order(std::vector<MovedPart> parts, Shape const& lengths, SparseLayout const& layout,
                                    DType dtype, std::span<std::byte> out) {
    std::erase_if(parts, [](MovedPart const& part) { return part.region.empty(); });
    for (MovedPart const& part : parts)
        if (!is_in_order(part, layout)) return std::nullopt;
    Order order = Order::parts;
    if (!put_in_order(parts, layout)) {
        if (!put_rows_in_order(parts, layout)) return std::nullopt;
        order = Order::rows;
    }
    if (index_bytes(lengths) == 4) return OrderedMove<std::uint32_t>(parts, order, lengths, layout, dtype).write(out);
    return OrderedMove<std::uint64_t>(parts, order, lengths, layout, dtype).write(out);
}

}  // namespace ein::tensor
