#include "lib/base/box.hpp"

#include <algorithm>

namespace ein {

Extent Box::elements() const { return element_count(length); }

bool Box::contains(Box const& other) const {
    if (other.empty()) return true;
    for (std::size_t axis = 0; axis < order(); ++axis)
        if (other.begin[axis] < begin[axis] || other.end(axis) > end(axis)) return false;
    return true;
}

bool Box::empty() const { return std::find(length.begin(), length.end(), 0) != length.end(); }

Box projected(BoxView const& region, std::vector<int> const& labels) {
    Box box;
    box.begin.reserve(labels.size());
    box.length.reserve(labels.size());
    for (int label : labels) {
        box.begin.push_back(region.begin[static_cast<std::size_t>(label)]);
        box.length.push_back(region.length[static_cast<std::size_t>(label)]);
    }
    return box;
}

Box intersection(Box const& a, Box const& b) {
    Box out = a;
    for (std::size_t axis = 0; axis < a.order(); ++axis) {
        out.begin[axis] = std::max(a.begin[axis], b.begin[axis]);
        out.length[axis] = std::max<Extent>(0, std::min(a.end(axis), b.end(axis)) - out.begin[axis]);
    }
    return out;
}

bool is_one_run(Box const& part, Box const& whole) {
    std::size_t axis = part.order();
    while (axis > 0 && part.length[axis - 1] == whole.length[axis - 1]) --axis;  // these run through
    return std::all_of(part.length.begin(), part.length.begin() + static_cast<std::ptrdiff_t>(axis > 0 ? axis - 1 : 0),
                       [](Extent length) { return length == 1; });
}

Extent offset_in(Box const& part, Box const& whole) {
    Extent offset = 0;
    for (std::size_t axis = 0; axis < part.order(); ++axis)
        offset = offset * whole.length[axis] + part.begin[axis] - whole.begin[axis];
    return offset;
}

std::optional<Extent> checked_element_count(std::span<Extent const> shape) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    Extent count = 1;
    for (Extent extent : shape)
        if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
    return count;
}

std::vector<Extent> row_major_strides(std::span<Extent const> shape) {
    std::vector<Extent> strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis > 1; --axis)  // of a shape without elements they mean nothing
        strides[axis - 2] = static_cast<Extent>(static_cast<std::uint64_t>(strides[axis - 1]) *
                                                static_cast<std::uint64_t>(shape[axis - 1]));
    return strides;
}

std::vector<Extent> index_at(std::span<Extent const> shape, Extent linear) {
    std::vector<Extent> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = linear % shape[axis];
        linear /= shape[axis];
    }
    return index;
}

std::string index_text(std::span<Extent const> index) {
    std::string out;
    for (Extent each : index) out += (out.empty() ? "" : ", ") + std::to_string(each);
    return "[" + out + "]";
}

std::string to_string(std::span<Extent const> shape) {
    std::string out = "(";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) out += (axis ? ", " : "") + std::to_string(shape[axis]);
    return out + (shape.size() == 1 ? ",)" : ")");
}

std::string to_string(Box const& box) {
    std::string out = "[";
    for (std::size_t axis = 0; axis < box.order(); ++axis)
        out += (axis ? ", " : "") + std::to_string(box.begin[axis]) + ":" + std::to_string(box.end(axis));
    return out + "]";
}

}  // namespace ein
