#include "executor/device/kernel/nest.hpp"

#include <algorithm>

#include "executor/device/kernel/kernel_types.hpp"
#include "lib/base/error.hpp"
#include "lib/graph/summation_order.hpp"

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

void fuse(std::vector<NestLabel>& labels, std::size_t outer, std::size_t inner) {
    labels[inner].length *= labels[outer].length;
    labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(outer));
}

bool fuse_one_pair(Nest& nest) {
    std::vector<NestLabel> const& labels = nest.keeps_order() ? nest.whole : nest.labels;
    for (std::size_t outer = 0; outer < labels.size(); ++outer)
        for (std::size_t inner = 0; inner < labels.size(); ++inner) {
            if (outer == inner || !adjacent(labels[outer], labels[inner])) continue;
            if (nest.keeps_order()) {
                if (!labels[outer].aggregated) continue;
                promise(adjacent(nest.labels[outer], nest.labels[inner]), "an aggregated label is cut");
                fuse(nest.whole, outer, inner);
            }
            fuse(nest.labels, outer, inner);
            return true;
        }
    return false;
}

Extent bytes(DType type) { return static_cast<Extent>(size_of(type)); }

}  // namespace

Nest Nest::planned() const {
    Nest out = *this;
    if (keeps_order()) out.labels = std::move(out.whole);
    out.whole.clear();
    return out;
}

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

namespace {

/// The output's labels, in its order, then the aggregated ones.
std::vector<NestLabel> labels_of(KernelShape const& shape) {
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
    std::vector<NestLabel> labels;
    for (int label : einsum.output) labels.push_back(all[static_cast<std::size_t>(label)]);
    for (int label : einsum.aggregated()) labels.push_back(all[static_cast<std::size_t>(label)]);
    return labels;
}

}  // namespace

KernelShape whole_call(KernelShape const& shape) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    auto const strides = [&](std::vector<int> const& axes) {
        Shape lengths;
        for (int label : axes) lengths.push_back(einsum.extents[at(label)]);
        return row_major_strides(lengths);
    };
    KernelShape whole = shape;
    whole.lengths = einsum.extents;
    for (std::size_t k = 0; k < einsum.operands(); ++k) whole.operand_strides[k] = strides(einsum.inputs[k]);
    whole.output_strides = strides(einsum.output);
    return whole;
}

Nest make_nest(KernelShape const& shape) {
    Nest nest{labels_of(shape), shape.operand_dtypes, shape.output_dtype, shape.accumulate, shape.output_bytes};
    bool const keeps_order = shape.keeps_order && nest.aggregates() &&
                             graph::depends_on_order(shape.kernel->einsum.agg, types_of(shape).accumulate);
    if (keeps_order) nest.whole = labels_of(whole_call(shape));
    return nest;
}

void simplify(Nest& nest) {
    for (std::size_t l = nest.whole.size(); l-- > 0;) {
        if (nest.whole[l].length != 1) continue;
        nest.labels.erase(nest.labels.begin() + static_cast<std::ptrdiff_t>(l));
        nest.whole.erase(nest.whole.begin() + static_cast<std::ptrdiff_t>(l));
    }
    if (!nest.aggregates()) nest.whole.clear();
    if (!nest.keeps_order()) std::erase_if(nest.labels, [](NestLabel const& label) { return label.length == 1; });
    while (fuse_one_pair(nest)) {
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
