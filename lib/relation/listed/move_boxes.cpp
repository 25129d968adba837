#include "lib/relation/listed/move_boxes.hpp"

#include <algorithm>

namespace ein::relation {
namespace {

using graph::AxisMap;

Extent floor_div(Extent a, Extent b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
Extent ceil_div(Extent a, Extent b) { return -floor_div(-a, b); }

/// Axes of either shape, next to one another, that have the same elements: [first, end) of each.
struct AxisGroup {
    std::size_t from_first, from_end, to_first, to_end;
};

/// The smallest groups, in order. Shapes have as many elements, and some.
std::vector<AxisGroup> groups_of(Shape const& from, Shape const& to) {
    std::vector<AxisGroup> out;
    std::size_t f = 0, t = 0;
    while (f < from.size() || t < to.size()) {
        AxisGroup group{f, f, t, t};
        Extent in_from = 1, in_to = 1;
        do {
            if ((in_from <= in_to && f < from.size()) || t == to.size())
                in_from *= from[f++];
            else
                in_to *= to[t++];
        } while (in_from != in_to);
        group.from_end = f;
        group.to_end = t;
        out.push_back(group);
    }
    return out;
}

/// First and last position in C order of a box.
std::pair<Extent, Extent> span_of(std::span<Extent const> shape, std::span<Extent const> begin,
                                  std::span<Extent const> length) {
    Extent first = 0, last = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        first = first * shape[axis] + begin[axis];
        last = last * shape[axis] + begin[axis] + length[axis] - 1;
    }
    return {first, last};
}

/// Boxes that have exactly the positions from `first` to `last` of a shape in C order.
std::vector<Box> boxes_of_span(std::span<Extent const> shape, Extent first, Extent last) {
    if (shape.empty()) return {Box{}};
    Extent const row = element_count(shape.subspan(1));
    Extent begin = first / row, end = last / row + 1;
    std::vector<Box> out;
    auto const add_inside = [&](Extent index, Extent from, Extent to) {
        for (Box inside : boxes_of_span(shape.subspan(1), from, to)) {
            inside.begin.insert(inside.begin.begin(), index);
            inside.length.insert(inside.length.begin(), 1);
            out.push_back(std::move(inside));
        }
    };
    if (begin + 1 == end && (first % row != 0 || last % row != row - 1)) {
        add_inside(begin, first % row, last % row);
        return out;
    }
    if (first % row != 0) add_inside(begin++, first % row, row - 1);
    bool const ends_within = last % row != row - 1;
    if (ends_within) --end;
    if (begin < end) {
        Box whole = Box::whole(Shape(shape.begin(), shape.end()));
        whole.begin[0] = begin;
        whole.length[0] = end - begin;
        out.push_back(std::move(whole));
    }
    if (ends_within) add_inside(end, 0, last % row);
    return out;
}

}  // namespace

Box image(Box const& region, std::vector<AxisMap> const& axes) {
    Box out = region;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        Extent const first = axes[axis].start + axes[axis].step * region.begin[axis];
        Extent const last = axes[axis].start + axes[axis].step * (region.end(axis) - 1);
        out.begin[axis] = std::min(first, last);
        out.length[axis] = std::max(first, last) - out.begin[axis] + 1;
    }
    return out;
}

std::vector<AxisMap> from_output_begin(graph::Move::Region const& region) {
    std::vector<AxisMap> axes = region.axes;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis].start -= axes[axis].step * region.box.begin[axis];
    return axes;
}

Box preimage(Box const& source, std::vector<AxisMap> const& axes, Box const& region) {
    Box out = region;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        auto const [start, step] = axes[axis];
        Extent const low = source.begin[axis] - start, high = source.end(axis) - 1 - start;
        Extent const first = step > 0 ? ceil_div(low, step) : ceil_div(high, step);
        Extent const last = step > 0 ? floor_div(high, step) : floor_div(low, step);
        out.begin[axis] = std::max(region.begin[axis], first);
        out.length[axis] = std::max<Extent>(0, std::min(region.end(axis), last + 1) - out.begin[axis]);
    }
    return out;
}

std::vector<Box> boxes_before_reshape(Shape const& from, Shape const& to, Box const& box) {
    if (box.empty() || element_count(from) == 0) return {};
    std::vector<Box> out{Box{}};
    for (AxisGroup const& group : groups_of(from, to)) {
        auto const of = [](auto const& list, std::size_t first, std::size_t end) {
            return std::span<Extent const>(list).subspan(first, end - first);
        };
        auto const [first, last] =
            span_of(of(to, group.to_first, group.to_end), of(box.begin, group.to_first, group.to_end),
                    of(box.length, group.to_first, group.to_end));
        std::vector<Box> next;
        for (Box const& before : out)
            for (Box const& part : boxes_of_span(of(from, group.from_first, group.from_end), first, last)) {
                Box joined = before;
                joined.begin.insert(joined.begin.end(), part.begin.begin(), part.begin.end());
                joined.length.insert(joined.length.end(), part.length.begin(), part.length.end());
                next.push_back(std::move(joined));
            }
        out = std::move(next);
    }
    return out;
}

}  // namespace ein::relation
