#include "executor/health/index_fault.hpp"

#include <algorithm>

#include "lib/tensor/convert.hpp"

namespace ein::executor {

namespace {

bool is_input(schedule::Header const& header, schedule::Block const& block) {
    return std::ranges::any_of(header.inputs.list(), [&](auto const& input) { return input.tensor == block.tensor; });
}

}  // namespace

std::string tensor_text(schedule::Header const& header, schedule::Block const& block) {
    return "tensor '" + header.tensors[block.tensor].name + "'";
}

std::optional<Fault> wrong_index(schedule::Header const& header, schedule::Section const& section, BlockId indices,
                                 void const* elements, std::int64_t extent) {
    schedule::Block const& block = section.blocks[indices];
    if (!block.is_box() || block.is_listed() || !is_integer(block.dtype)) return std::nullopt;
    Box const box = section.box_of(block);
    auto const element = [&](Extent k) {
        std::int64_t index = 0;
        auto const offset = static_cast<std::size_t>(k) * size_of(block.dtype);
        tensor::convert(block.dtype, static_cast<std::byte const*>(elements) + offset, 1, DType::i64, &index, 1);
        return index;
    };
    auto const found = scalar::count_indices(element_count(box.length), extent, element);
    if (found.wrong == 0) return std::nullopt;
    Shape at = index_at(box.length, found.first_wrong);
    for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += box.begin[axis];
    return scalar::PositionError::fault_at(tensor_text(header, block), at, element(found.first_wrong), extent);
}

Fault index_fault(KernelShape const& shape, KernelCall const& call, scalar::PositionError const& error,
                  NameOfOperand const& name) {
    auto found = find_wrong_index(shape, call, error);
    if (!found) return error.faults().front();
    std::vector<int> const& labels = shape.kernel->einsum.inputs[at(found->operand)];
    for (std::size_t axis = 0; axis < labels.size(); ++axis) found->at[axis] += call.begin[at(labels[axis])];
    return scalar::PositionError::fault_at(name(found->operand), found->at, found->index, error.extent());
}

/// The offset is one in a block in C order, so its digits are those of the place from the call's first element on.
Fault index_fault(schedule::Header const& header, schedule::Section const& section, IndexError::Met const& met) {
    schedule::Apply const call = section.kernel_call(section.tasks[*met.task]).value();
    if (met.operand < 0) return scalar::PositionError::fault_at("", {}, met.index, met.extent);
    schedule::Block const& block = section.blocks[call.operands[at(met.operand)]];
    Shape place = index_at(section.box_of(block).length, met.element);
    Box const read = projected(call.region, header.kernels[call.kernel].einsum.inputs[at(met.operand)]);
    for (std::size_t axis = 0; axis < place.size(); ++axis) place[axis] += read.begin[axis];
    return scalar::PositionError::fault_at(tensor_text(header, block), place, met.index, met.extent);
}

InputIndices input_indices(schedule::Header const& header, schedule::Section const& section) {
    std::vector<std::vector<scalar::IndexedOperand>> of_kernel;
    for (schedule::Kernel const& kernel : header.kernels)
        of_kernel.push_back(scalar::indexed_operands(kernel.einsum.join));
    InputIndices out;
    for (TaskId t : section.tasks.ids()) {
        schedule::Task const& task = section.tasks[t];
        if (!task.is<schedule::Apply>()) continue;
        auto const call = section.as<schedule::Apply>(task);
        for (auto const& [operand, extent] : of_kernel[at(call.kernel)]) {
            BlockId const block = call.operands[at(operand)];
            if (is_input(header, section.blocks[block])) out[t].push_back({block, extent});
        }
    }
    return out;
}

}  // namespace ein::executor
