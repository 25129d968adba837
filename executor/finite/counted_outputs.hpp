// Outputs on their way to where they are stored: NaN and infinities in them are counted as they pass.
// Example: CountedOutputs sink(header, files); after a run that wrote {1, nan}: sink.counts()[OutputId{0}].nan is 1.
#pragma once

#include "executor/io/output_sink.hpp"
#include "lib/base/threads/mutex.hpp"
#include "lib/tensor/non_finite.hpp"

namespace ein::executor {

using OutputCounts = Table<schedule::OutputId, tensor::NonFinite>;

class CountedOutputs final : public OutputSink {
public:
    /// @param to  takes them; must outlive this
    CountedOutputs(schedule::Header const& header, OutputSink& to) : to_(to), counts_(header.outputs.size()) {}

    void write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) override;
    void write_listed(schedule::OutputId output, tensor::SparseBlockView const& block,
                      scalar::Scalar const& fill) override;
    OutputCounts counts() const;  // so far

private:
    void count(schedule::OutputId output, DType dtype, std::byte const* elements, Extent number);

    OutputSink& to_;
    mutable Mutex mutex_;
    OutputCounts counts_ EIN_GUARDED_BY(mutex_);
};

}  // namespace ein::executor
