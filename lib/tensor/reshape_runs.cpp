#include "lib/tensor/reshape_runs.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace ein::tensor {
namespace {

/// A box within some axes of a shape, in two orders: `offset` counts the box's elements, `linear` the shape's.
class BoxOrder {
public:
    void prepend(Extent extent, Extent begin, Extent length) {
        axes_.insert(axes_.begin(), Axis{extent, begin, length});
    }
    void prepend(BoxOrder const& outer) { axes_.insert(axes_.begin(), outer.axes_.begin(), outer.axes_.end()); }

    Extent elements() const {
        Extent count = 1;
        for (Axis const& axis : axes_) count *= axis.length;
        return count;
    }
    bool whole() const {
        return std::all_of(axes_.begin(), axes_.end(), [](Axis const& axis) { return axis.length == axis.extent; });
    }

    /// Elements of the box that come before `linear`: the offset of the first one at or after it.
    Extent offset_at(Extent linear) const {
        Extent offset = 0, below = elements(), size = size_of_shape();
        if (linear >= size) return below;
        for (Axis const& axis : axes_) {
            below /= axis.length;
            size /= axis.extent;
            Extent const index = linear / size - axis.begin;
            linear %= size;
            if (index < 0) return offset;
            if (index >= axis.length) return offset + axis.length * below;
            offset += index * below;
        }
        return offset;
    }

    /// Where element `offset` of the box lies.
    Extent linear_at(Extent offset) const {
        Extent linear = 0, stride = 1;
        for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
            linear += (axis->begin + offset % axis->length) * stride;
            offset /= axis->length;
            stride *= axis->extent;
        }
        return linear;
    }

    /// Length of the runs that are adjacent in both orders.
    Extent run() const {
        Extent length = 1;
        for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
            length *= axis->length;
            if (axis->length != axis->extent) break;
        }
        return length;
    }

private:
    struct Axis {
        Extent extent, begin, length;
    };
    Extent size_of_shape() const {
        Extent size = 1;
        for (Axis const& axis : axes_) size *= axis.extent;
        return size;
    }
    std::vector<Axis> axes_;
};

/// Axes of both shapes that hold the same positions: a reshape mixes indices within a group only.
struct Group {
    BoxOrder from, to;
};

/// Takes axes off the inner end of a shape; extents of one say nothing.
class AxisStack {
public:
    AxisStack(Shape const& shape, Box const& box) : shape_(shape), box_(box), left_(shape.size()) {}
    bool skip_ones() {
        while (left_ > 0 && shape_[left_ - 1] == 1) --left_;
        return left_ > 0;
    }
    Extent pop_into(BoxOrder& order) {
        promise(skip_ones(), "a reshape keeps the number of elements");
        --left_;
        order.prepend(shape_[left_], box_.begin[left_], box_.length[left_]);
        return shape_[left_];
    }

private:
    Shape const& shape_;
    Box const& box_;
    std::size_t left_;
};

/// The groups, innermost first. A group that both boxes hold whole is joined with the next, which makes its runs
/// longer.
std::vector<Group> groups_of(Shape const& from, Box const& from_box, Shape const& to, Box const& to_box) {
    AxisStack from_axes(from, from_box), to_axes(to, to_box);
    std::vector<Group> groups;
    while (from_axes.skip_ones()) {
        Group group;
        Extent from_size = from_axes.pop_into(group.from), to_size = to_axes.pop_into(group.to);
        while (from_size != to_size) {
            if (from_size < to_size)
                from_size *= from_axes.pop_into(group.from);
            else
                to_size *= to_axes.pop_into(group.to);
        }
        bool const join = !groups.empty() && groups.back().from.whole() && groups.back().to.whole();
        if (!join)
            groups.push_back(std::move(group));
        else {
            groups.back().from.prepend(group.from);
            groups.back().to.prepend(group.to);
        }
    }
    promise(!to_axes.skip_ones(), "a reshape keeps the number of elements");
    return groups;
}

/// Walks over the runs of the box with fewer of them; how many elements the other box has in each is arithmetic.
Extent shared_in(Group const& group) {
    bool const walk_from = group.from.elements() / group.from.run() <= group.to.elements() / group.to.run();
    BoxOrder const& walked = walk_from ? group.from : group.to;
    BoxOrder const& counted = walk_from ? group.to : group.from;
    Extent const run = walked.run();
    Extent shared = 0;
    for (Extent offset = 0, end = walked.elements(); offset < end; offset += run) {
        Extent const linear = walked.linear_at(offset);
        shared += counted.offset_at(linear + run) - counted.offset_at(linear);
    }
    return shared;
}

template <class Visit>
void visit_group(Group const& group, Visit const& visit) {
    Extent const from_end = group.from.elements(), to_end = group.to.elements();
    Extent const from_run = group.from.run(), to_run = group.to.run();
    Extent from = 0, to = 0;
    while (from < from_end && to < to_end) {
        Extent const from_linear = group.from.linear_at(from), to_linear = group.to.linear_at(to);
        if (from_linear < to_linear)
            from = group.from.offset_at(to_linear);
        else if (to_linear < from_linear)
            to = group.to.offset_at(from_linear);
        else {
            Extent const count = std::min(from_run - from % from_run, to_run - to % to_run);
            visit(from, to, count);
            from += count;
            to += count;
        }
    }
}

/// Runs of groups[0]; those of the groups outside it choose single elements. Offsets are in units of the groups inside.
void visit_groups(std::vector<Group> const& groups, std::size_t outermost, Extent from, Extent to,
                  std::function<void(Extent, Extent, Extent)> const& visit) {
    Group const& group = groups[outermost];
    Extent const from_size = group.from.elements(), to_size = group.to.elements();
    if (outermost == 0) {
        visit_group(group, [&](Extent f, Extent t, Extent n) { visit(from * from_size + f, to * to_size + t, n); });
        return;
    }
    visit_group(group, [&](Extent f, Extent t, Extent n) {
        for (Extent i = 0; i < n; ++i)
            visit_groups(groups, outermost - 1, from * from_size + f + i, to * to_size + t + i, visit);
    });
}

}  // namespace

Extent shared_elements(Shape const& from, Box const& from_box, Shape const& to, Box const& to_box) {
    if (from_box.empty() || to_box.empty()) return 0;
    Extent shared = 1;
    for (Group const& group : groups_of(from, from_box, to, to_box)) shared *= shared_in(group);
    return shared;
}

void for_each_shared_run(Shape const& from, Box const& from_box, Shape const& to, Box const& to_box,
                         std::function<void(Extent, Extent, Extent)> const& visit) {
    if (from_box.empty() || to_box.empty()) return;
    std::vector<Group> const groups = groups_of(from, from_box, to, to_box);
    if (groups.empty())
        visit(0, 0, 1);  // one element
    else
        visit_groups(groups, groups.size() - 1, 0, 0, visit);
}

std::optional<std::pair<Extent, Extent>> run_of(Shape const& shape, Box const& box) {
    std::size_t axis = 0;
    while (axis < shape.size() && box.length[axis] == 1) ++axis;  // the next one may be cut, those inside it may not
    for (std::size_t inner = axis + 1; inner < shape.size(); ++inner)
        if (box.length[inner] != shape[inner]) return std::nullopt;
    Extent first = 0;
    for (std::size_t a = 0; a < shape.size(); ++a) first = first * shape[a] + box.begin[a];
    return std::pair(first, element_count(box.length));
}

}  // namespace ein::tensor
