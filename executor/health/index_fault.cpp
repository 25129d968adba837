#include "executor/health/index_fault.hpp"

#include "lib/tensor/convert.hpp"

namespace ein::executor {

Fault index_fault(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task,
                  void const* indices, scalar::PositionError const& error) {
    Fault fault = error.faults().front();
    schedule::Block const& block = section.blocks[section.reads(task)[0]];
    fault.where = "tensor '" + header.tensors[block.tensor].name + "'";
    if (!block.is_box() || block.is_listed() || !is_integer(block.dtype)) return fault;
    Box const box = section.box_of(block);
    auto const* from = static_cast<std::byte const*>(indices);
    for (Extent k = 0; k < element_count(box.length); ++k, from += size_of(block.dtype)) {
        std::int64_t index = 0;
        tensor::convert(block.dtype, from, 1, DType::i64, &index, 1);
        if (scalar::position_of(index, error.extent())) continue;
        Shape at = index_at(box.length, k);
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += box.begin[axis];
        return scalar::PositionError::fault_at(fault.where, at, index, error.extent());
    }
    return fault;
}

}  // namespace ein::executor
