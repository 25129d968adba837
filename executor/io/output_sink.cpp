#include "executor/io/output_sink.hpp"

#include <vector>

#include "executor/io/tuning.hpp"
#include "lib/tensor/box_pieces.hpp"

namespace ein::executor {

void OutputSink::write_listed(schedule::OutputId output, tensor::SparseBlockView const& block,
                              scalar::Scalar const& fill) {
    std::vector<std::byte> dense;
    auto const most = static_cast<Extent>(tuning::most_slab_bytes / size_of(block.dtype));
    tensor::for_each_piece(block.box, most, [&](Box const& part) {
        dense.resize(static_cast<std::size_t>(part.elements()) * size_of(block.dtype));
        tensor::densify(block, fill, part, dense);
        write(output, block.dtype, part, dense);
    });
}

}  // namespace ein::executor
