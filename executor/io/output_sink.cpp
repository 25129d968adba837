#include "executor/io/output_sink.hpp"

#include <algorithm>
#include <vector>

#include "executor/io/tuning.hpp"

namespace ein::executor {

namespace {

/// A box in pieces of whole rows along its first axes that have at most so many elements each (one row at least).
std::vector<Box> slabs_of(Box const& box, std::size_t most) {
    if (box.empty()) return {};
    std::size_t axis = 0;
    Extent below = box.elements();
    while (axis < box.order() && below / box.length[axis] > static_cast<Extent>(most)) below /= box.length[axis++];
    if (axis == box.order()) axis = 0;
    std::vector<Box> out;
    Shape const outer(box.length.begin(), box.length.begin() + static_cast<std::ptrdiff_t>(axis));
    for_each_index(outer, [&](std::vector<Extent> const& at) {
        Box row = box;
        for (std::size_t k = 0; k < axis; ++k) row.begin[k] += at[k], row.length[k] = 1;
        if (axis == box.order()) return out.push_back(row);
        Extent const each = std::max<Extent>(1, static_cast<Extent>(most) / (row.elements() / row.length[axis]));
        for (Extent first = 0; first < box.length[axis]; first += each) {
            Box& slab = out.emplace_back(row);
            slab.begin[axis] += first;
            slab.length[axis] = std::min(each, box.length[axis] - first);
        }
    });
    return out;
}

}  // namespace

void OutputSink::write_listed(schedule::OutputId output, tensor::SparseBlockView const& block,
                              scalar::Scalar const& fill) {
    std::vector<std::byte> dense;
    for (Box const& part : slabs_of(block.box, tuning::most_slab_bytes / size_of(block.dtype))) {
        dense.resize(static_cast<std::size_t>(part.elements()) * size_of(block.dtype));
        tensor::densify(block, fill, part, dense);
        write(output, block.dtype, part, dense);
    }
}

}  // namespace ein::executor
