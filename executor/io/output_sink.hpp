// Where a run's outputs go, block by block.
#pragma once

#include <cstddef>
#include <span>

#include "lib/schedule/model/schedule.hpp"
#include "lib/tensor/sparse/sparse_moves.hpp"

namespace ein::executor {

/// Takes the blocks of outputs. Called from many threads at once.
class OutputSink {
public:
    virtual ~OutputSink() = default;
    /// @param output  in Header::outputs  @param bytes  elements of `dtype`, C order over box.length
    virtual void write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) = 0;
    /// A block of a sparse output. @param fill  what is not listed; as a dense tensor it is written row by row
    virtual void write_listed(schedule::OutputId output, tensor::SparseBlockView const& block,
                              scalar::Scalar const& fill);
};

}  // namespace ein::executor
