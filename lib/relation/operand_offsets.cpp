#include "lib/relation/operand_offsets.hpp"

#include <algorithm>

namespace ein::relation {
namespace {

/// The index that a label has at an iteration of its loop.
Extent operand_index(graph::EinSum const& einsum, Sets const& output, int label, Extent iteration) {
    auto const axis = std::find(einsum.output.begin(), einsum.output.end(), label);
    return axis == einsum.output.end() ? iteration
                                       : output[static_cast<std::size_t>(axis - einsum.output.begin())][iteration];
}

}  // namespace

LabelOffsets operand_offsets(graph::EinSum const& einsum, std::size_t operand, Sampled const& input, Sets const& output,
                             Shape const& lengths) {
    LabelOffsets tables(lengths.size());
    std::vector<Extent> const strides = row_major_strides(input.data.shape());
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
        int const label = einsum.inputs[operand][axis];
        auto& table = tables[static_cast<std::size_t>(label)];
        Extent const length = lengths[static_cast<std::size_t>(label)];
        table.resize(static_cast<std::size_t>(length), 0);
        for (Extent iteration = 0; iteration < length; ++iteration)
            table[static_cast<std::size_t>(iteration)] +=
                input.sets[axis].position(operand_index(einsum, output, label, iteration)) * strides[axis];
    }
    return tables;
}

}  // namespace ein::relation
