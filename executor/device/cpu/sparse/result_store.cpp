#include "executor/device/cpu/sparse/result_store.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/scratch.hpp"

namespace ein::executor {

ResultStore::ResultStore(Aggregator const& aggregator, DType accumulate, DType output, bool combines)
    : aggregator_(aggregator),
      accumulate_(accumulate),
      registers_(scalar::own_register_dtype(accumulate)),
      output_(output),
      combines_(combines),
      scratch_(3 * run * 16 + aggregator.scratch_bytes(run) + machine::cache_line) {}

void ResultStore::store(void const* values, std::size_t count, std::byte* to, Extent stride) {
    if (count == 0) return;  // `values` may be null then, which memcpy refuses
    auto const* from = static_cast<std::byte const*>(values);
    std::size_t const size = size_of(output_);
    if (!combines_ && registers_ == output_ && accumulate_ == output_ && stride == static_cast<Extent>(size)) {
        std::memcpy(to, from, count * size);
        return;
    }
    for (std::size_t i = 0; i < count; i += run) {
        std::size_t const n = std::min(run, count - i);
        store_run(from + i * size_of(registers_), n, to + static_cast<Extent>(i) * stride, stride);
    }
}

void ResultStore::store_run(std::byte const* values, std::size_t count, std::byte* to, Extent stride) {
    void const* results = combines_ ? combined(values, count, to, stride) : values;
    DType from = registers_;
    std::byte* const wrapped = scratch_.data();
    std::byte* const converted = wrapped + run * 16;
    if (accumulate_ != registers_ && output_ != accumulate_) {  // a narrow integer wraps before it widens
        tile_convert(registers_, results, 1, accumulate_, wrapped, count);
        results = wrapped;
        from = accumulate_;
    }
    if (from != output_) {
        tile_convert(from, results, 1, output_, converted, count);
        results = converted;
    }
    std::size_t const size = size_of(output_);
    auto const* const bytes = static_cast<std::byte const*>(results);
    if (stride == static_cast<Extent>(size)) {
        std::memcpy(to, bytes, count * size);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + static_cast<Extent>(i) * stride, bytes + i * size, size);
}

void const* ResultStore::combined(void const* values, std::size_t count, std::byte const* held, Extent stride) {
    std::byte* const wrapped = scratch_.data();
    std::byte* const result = wrapped + 2 * run * 16;
    auto const elements = stride / static_cast<Extent>(size_of(output_));
    if (output_ != accumulate_ && accumulate_ != registers_) {
        tile_convert(output_, held, elements, accumulate_, wrapped, count);
        tile_convert(accumulate_, wrapped, 1, registers_, result, count);
    } else {
        tile_convert(output_, held, elements, registers_, result, count);
    }
    std::byte* const after = scratch_.data() + 3 * run * 16;
    auto const address = reinterpret_cast<std::uintptr_t>(after);
    aggregator_.merge(result, values, count, after + (lines(address) - address));
    return result;
}

}  // namespace ein::executor
