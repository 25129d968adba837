#include "executor/finite/counted_outputs.hpp"

namespace ein::executor {

void CountedOutputs::write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) {
    tensor::NonFinite const found =
        tensor::count_non_finite(dtype, bytes.data(), static_cast<std::size_t>(box.elements()));
    if (found.any()) {
        MutexLock const lock(mutex_);
        counts_[output] += found;
    }
    to_.write(output, dtype, box, bytes);
}

OutputCounts CountedOutputs::counts() const {
    MutexLock const lock(mutex_);
    return counts_;
}

}  // namespace ein::executor
