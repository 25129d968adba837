#include "executor/device/kernel/nest.hpp"

#include <algorithm>

#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {
namespace {

bool contains(std::vector<int> const& list, int value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// Whether `inner` repeated is one run with `outer`: outer's step is the whole of inner, everywhere.
bool adjacent(NestLabel const& outer, NestLabel const& inner) {
    if (outer.aggregated != inner.aggregated || outer.index >= 0 || inner.index >= 0) return false;
    for (std::size_t k = 0; k < outer.strides.size(); ++k)
        if (outer.strides[k] != inner.strides[k] * inner.length) return false;
    return outer.output_stride == inner.output_stride * inner.length;
}

bool fuse_one_pair(std::vector<NestLabel>& labels) {
    for (std::size_t outer = 0; outer < labels.size(); ++outer)
        for (std::size_t inner = 0; inner < labels.size(); ++inner) {
            if (outer == inner || !adjacent(labels[outer], labels[inner])) continue;
            labels[inner].length *= labels[outer].length;
            labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(outer));
            return true;
        }
    return false;
}

Extent bytes(DType type) { return static_cast<Extent>(size_of(type)); }

}  // namespace

bool Nest::aggregates() const {
    return std::any_of(labels.begin(), labels.end(), [](NestLabel const& label) { return label.aggregated; });
}

Extent Nest::elements() const {
    Extent count = 1;
    for (NestLabel const& label : labels) count *= label.length;
    return count;
}

Extent Nest::output_elements() const {
    Extent count = 1;
    for (NestLabel const& label : labels) count *= label.aggregated ? 1 : label.length;
    return count;
}

Nest make_nest(KernelShape const& shape) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    std::vector<int> const used = scalar::operands_of(einsum.join), indexed = scalar::labels_of(einsum.join);
    std::size_t const count = shape.lengths.size();
    std::vector<NestLabel> all(count);
    for (std::size_t label = 0; label < count; ++label) {
        all[label].length = shape.lengths[label];
        all[label].strides.assign(einsum.operands(), 0);
        all[label].aggregated = einsum.aggregates(static_cast<int>(label));
        if (contains(indexed, static_cast<int>(label))) all[label].index = static_cast<int>(label);
    }
    for (int k : used) {
        auto const operand = static_cast<std::size_t>(k);
        std::vector<Extent> const strides =
            label_strides(einsum.inputs[operand], shape.operand_strides[operand], count);
        for (std::size_t label = 0; label < count; ++label)
            all[label].strides[operand] = strides[label] * bytes(shape.operand_dtypes[operand]);
    }
    std::vector<Extent> const strides = label_strides(einsum.output, shape.output_strides, count);
    for (std::size_t label = 0; label < count; ++label)
        all[label].output_stride = strides[label] * bytes(shape.output_dtype);
    Nest nest{{}, shape.operand_dtypes, shape.output_dtype, shape.accumulate, shape.output_bytes};
    for (int label : einsum.output) nest.labels.push_back(all[static_cast<std::size_t>(label)]);
    for (int label : einsum.aggregated()) nest.labels.push_back(all[static_cast<std::size_t>(label)]);
    return nest;
}

void simplify(Nest& nest) {
    std::erase_if(nest.labels, [](NestLabel const& label) { return label.length == 1; });
    while (fuse_one_pair(nest.labels)) {
    }
}

bool reads_nothing(Nest const& nest) {
    return std::any_of(nest.labels.begin(), nest.labels.end(),
                       [](NestLabel const& label) { return label.aggregated && label.length == 0; });
}

bool writes_nothing(Nest const& nest) {
    return std::any_of(nest.labels.begin(), nest.labels.end(),
                       [](NestLabel const& label) { return !label.aggregated && label.length == 0; });
}

}  // namespace ein::executor
