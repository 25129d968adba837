#include "lib/relation/operand_offsets.hpp"

#include <algorithm>

namespace ein::relation {
namespace {

/// The index that a label has at a turn of its loop.
Extent index_of(graph::EinSum const& einsum, Sets const& output, int label, Extent turn) {
    auto const axis = std::find(einsum.output.begin(), einsum.output.end(), label);
    return axis == einsum.output.end() ? turn : output[static_cast<std::size_t>(axis - einsum.output.begin())][turn];
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
        for (Extent turn = 0; turn < length; ++turn)
            table[static_cast<std::size_t>(turn)] +=
                input.sets[axis].position(index_of(einsum, output, label, turn)) * strides[axis];
    }
    return tables;
}

}  // namespace ein::relation
