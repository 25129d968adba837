#include "lib/tensor/sparse/histogram.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "lib/tensor/sparse/index_span.hpp"

namespace ein::tensor {

Extent Histogram::total() const { return std::accumulate(counts.begin(), counts.end(), Extent{0}); }

/// Calls visit(index of a cell, its count) for each cell that meets a box and has elements.
template <class Visit>
void Histogram::for_each_cell(Shape const& shape, Box const& box, Visit const& visit) const {
    if (box.empty()) return;
    Box const grid = blocks_meeting(shape, cells, box);
    std::vector<Extent> const strides = row_major_strides(cells);
    std::vector<Extent> index(shape.size());
    for_each_index(grid.length, [&](std::vector<Extent> const& at) {
        Extent cell = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            index[axis] = grid.begin[axis] + at[axis];
            cell += index[axis] * strides[axis];
        }
        Extent const count = counts[static_cast<std::size_t>(cell)];
        if (count > 0) visit(static_cast<std::vector<Extent> const&>(index), count);
    });
}

double Histogram::estimate(Shape const& shape, Box const& box) const {
    double sum = 0;
    for_each_cell(shape, box, [&](std::vector<Extent> const& index, Extent count) {
        Box const whole = block_box(shape, cells, index);
        Box const inside = intersection(whole, box);
        double share = 1;
        for (std::size_t axis = 0; axis < index.size(); ++axis)
            share *= static_cast<double>(inside.length[axis]) / static_cast<double>(whole.length[axis]);
        sum += share * static_cast<double>(count);
    });
    return sum;
}

Box Histogram::hull(Shape const& shape, Box const& box) const {
    IndexSpan span(shape.size());  // of cells
    for_each_cell(shape, box, [&](std::vector<Extent> const& index, Extent) { span.add(index); });
    Box out = span.box(Shape(shape.size(), 0));
    if (out.empty()) return {box.begin, Shape(box.order(), 0)};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        Extent const end = part_begin(shape[axis], cells[axis], out.end(axis));
        out.begin[axis] = part_begin(shape[axis], cells[axis], out.begin[axis]);
        out.length[axis] = end - out.begin[axis];
    }
    return intersection(out, box);
}

Histogram empty_histogram(Shape const& shape, std::int64_t most) {
    Histogram out{Parts(shape.size(), 1), {}};
    std::int64_t count = 1;
    for (Extent const extent : shape)
        if (extent == 0) most = 1;
    while (2 * count <= most) {
        std::size_t longest = shape.size();
        Extent length = 1;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (2 * out.cells[axis] > shape[axis] || shape[axis] / out.cells[axis] <= length) continue;
            length = shape[axis] / out.cells[axis];
            longest = axis;
        }
        if (longest == shape.size()) break;
        out.cells[longest] *= 2;
        count *= 2;
    }
    out.counts.assign(static_cast<std::size_t>(count), 0);
    return out;
}

HistogramCounter::HistogramCounter(Shape const& shape, std::int64_t most) : histogram_(empty_histogram(shape, most)) {
    std::vector<Extent> const strides = row_major_strides(histogram_.cells);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::int64_t const parts = histogram_.cells[axis];
        Extent const remainder = shape[axis] % parts, small = shape[axis] / parts;
        axes_.push_back({small, remainder * small + remainder, remainder, strides[axis]});
    }
}

std::int64_t HistogramCounter::part(Axis const& axis, Extent position) {
    return position < axis.in_long_parts ? position / (axis.small + 1)
                                         : axis.long_parts + (position - axis.in_long_parts) / axis.small;
}

void HistogramCounter::add(std::span<Extent const> index) {
    std::int64_t cell = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k) cell += part(axes_[k], index[k]) * axes_[k].stride;
    ++histogram_.counts[static_cast<std::size_t>(cell)];
}

void HistogramCounter::add(HistogramCounter const& other) {
    std::transform(histogram_.counts.begin(), histogram_.counts.end(), other.histogram_.counts.begin(),
                   histogram_.counts.begin(), std::plus<>());
}

void HistogramCounter::add(ListedElements const& elements) {
    std::vector<Extent> index(axes_.size());
    std::size_t const count = elements.coords.empty() ? 0 : elements.coords.front().size();
    for (std::size_t e = 0; e < count; ++e) {
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) index[axis] = elements.coords[axis][e];
        add(index);
    }
}

}  // namespace ein::tensor
