#include <algorithm>

#include "executor/device/cpu/sparse/point_walk.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {

WalkShape::WalkShape(KernelShape const& shape, SparsePlan made) : plan(std::move(made)), lengths(shape.lengths) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    for (int k : scalar::operands_of(einsum.join)) used.push_back(static_cast<std::size_t>(k));
    for (std::size_t k = 0; k < einsum.operands(); ++k) {
        Operand& operand = operands.emplace_back();
        operand.sparse = is_sparse(shape, k);
        if (operand.sparse) {
            store_element(shape.sparse->operands[k]->fill, operand.fill, shape.operand_dtypes[k]);
            continue;
        }
        std::vector<Extent> const strides = label_strides(einsum.inputs[k], shape.operand_strides[k], lengths.size());
        auto const size = static_cast<Extent>(size_of(shape.operand_dtypes[k]));
        for (std::size_t label = 0; label < lengths.size(); ++label) {
            if (static_cast<int>(label) == plan.inner)
                operand.inner = strides[label];
            else if (strides[label] != 0)
                operand.strides.push_back({label, strides[label] * size});
        }
        operand.inner_bytes = operand.inner * size;
    }
    if (plan.inner != SparsePlan::none) longest_run = einsum.extents[static_cast<std::size_t>(plan.inner)];
    inner_in_output = plan.inner != SparsePlan::none && graph::has_label(einsum.output, plan.inner);
    for (int label : einsum.output)
        if (label != plan.row && label != plan.inner) key_labels.push_back(static_cast<std::size_t>(label));
    for (std::vector<int> const& set : plan.idle_sets) {
        std::uint32_t bits = 0;
        for (std::size_t source = 0; source < plan.sources.size() && !plan.merged.empty(); ++source)
            if (graph::has_label(set, static_cast<int>(plan.sources[source].operand))) bits |= 1u << source;
        sets.push_back(bits);
    }
    sums_whole_operands = std::none_of(einsum.output.begin(), einsum.output.end(), [&](int label) {
        return std::any_of(plan.sources.begin(), plan.sources.end(),
                           [&](SparsePlan::Source const& source) { return graph::has_label(source.labels, label); });
    });
    joins_runs = !shape.keeps_order || std::all_of(key_labels.begin(), key_labels.end(),
                                                   [&](std::size_t label) { return einsum.extents[label] <= 1; });
}

EvenOutputs even_outputs(WalkShape const& shape, WalkRegion const& region, Extent rows,
                         std::span<Extent const> strides) {
    EvenOutputs out;
    Extent length = 0;  // of outputs so far; 0: none
    auto const runs_on = [&](int label, Extent count) {
        Extent const stride = strides[static_cast<std::size_t>(label)];
        if (length == 0) out.step = stride;
        if (length != 0 && stride != out.step * length) return false;
        length = std::max<Extent>(length, 1) * count;
        return true;
    };
    if (shape.inner_in_output) runs_on(shape.plan.inner, static_cast<Extent>(region.run));
    for (std::size_t k = shape.key_labels.size(); k-- > 0;) {
        Extent const count = region.length[shape.key_labels[k]];
        if (!runs_on(static_cast<int>(shape.key_labels[k]), count)) return out;
        out.keys *= static_cast<std::uint64_t>(count);
    }
    if (shape.plan.row != SparsePlan::none && runs_on(shape.plan.row, rows))
        out.keys *= static_cast<std::uint64_t>(rows);
    return out;
}

}  // namespace ein::executor
