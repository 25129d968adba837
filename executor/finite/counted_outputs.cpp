#include "executor/finite/counted_outputs.hpp"

namespace ein::executor {

void CountedOutputs::count(schedule::OutputId output, DType dtype, std::byte const* elements, Extent number) {
    tensor::NonFinite const found = tensor::count_non_finite(dtype, elements, static_cast<std::size_t>(number));
    if (!found.any()) return;
    MutexLock const lock(mutex_);
    counts_[output] += found;
}

void CountedOutputs::write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) {
    count(output, dtype, bytes.data(), box.elements());
    to_.write(output, dtype, box, bytes);
}

/// What is listed is counted; what is not has the fill that the graph says.
void CountedOutputs::write_listed(schedule::OutputId output, tensor::SparseBlockView const& block,
                                  scalar::Scalar const& fill) {
    Extent const listed = tensor::listed_in(block.bytes);
    std::size_t const values = tensor::sparse_offsets(block.layout, block.box.length, block.dtype, listed).values;
    count(output, block.dtype, block.bytes.data() + values, listed);
    to_.write_listed(output, block, fill);
}

OutputCounts CountedOutputs::counts() const {
    MutexLock const lock(mutex_);
    return counts_;
}

}  // namespace ein::executor
