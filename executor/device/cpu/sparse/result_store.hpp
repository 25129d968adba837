// Results on their way from accumulators to an output: combined with what it holds, brought to its type.
// Example: f32 sums into every other element of an f16 block.
#pragma once

#include <vector>

#include "executor/device/cpu/loops/aggregator.hpp"
#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

class ResultStore {
public:
    ResultStore(Aggregator const& aggregator, DType accumulate, DType output, bool combines);
    /// Results of the accumulate type's registers. @param stride  in bytes
    void store(void const* values, std::size_t count, std::byte* to, Extent stride);

private:
    static constexpr std::size_t run = 256;
    void store_run(std::byte const* values, std::size_t count, std::byte* to, Extent stride);
    void const* combined(void const* values, std::size_t count, std::byte const* held, Extent stride);

    Aggregator const& aggregator_;
    DType accumulate_, registers_, output_;
    bool combines_;
    std::vector<std::byte> scratch_;
};

}  // namespace ein::executor
