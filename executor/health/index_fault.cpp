#include "executor/health/index_fault.hpp"

#include <algorithm>

#include "lib/tensor/convert.hpp"

namespace ein::executor {

namespace {

std::string tensor_of(schedule::Header const& header, schedule::Block const& block) {
    return "tensor '" + header.tensors[block.tensor].name + "'";
}

schedule::Block const& indices_of(schedule::Section const& section, schedule::Task const& task) {
    return section.blocks[section.reads(task)[0]];
}

bool is_input(schedule::Header const& header, schedule::Block const& block) {
    return std::ranges::any_of(header.inputs.list(), [&](auto const& input) { return input.tensor == block.tensor; });
}

}  // namespace

std::optional<Fault> wrong_index(schedule::Header const& header, schedule::Section const& section,
                                 schedule::Task const& task, void const* indices, std::int64_t extent) {
    schedule::Block const& block = indices_of(section, task);
    if (!block.is_box() || block.is_listed() || !is_integer(block.dtype)) return std::nullopt;
    Box const box = section.box_of(block);
    auto const element = [&](Extent k) {
        std::int64_t index = 0;
        auto const offset = static_cast<std::size_t>(k) * size_of(block.dtype);
        tensor::convert(block.dtype, static_cast<std::byte const*>(indices) + offset, 1, DType::i64, &index, 1);
        return index;
    };
    auto const found = scalar::count_indices(element_count(box.length), extent, element);
    if (found.wrong == 0) return std::nullopt;
    Shape at = index_at(box.length, found.first_wrong);
    for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += box.begin[axis];
    return scalar::PositionError::fault_at(tensor_of(header, block), at, element(found.first_wrong), extent);
}

Fault index_fault(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task,
                  void const* indices, scalar::PositionError const& error) {
    if (auto fault = wrong_index(header, section, task, indices, error.extent())) return *fault;
    Fault fault = error.faults().front();
    fault.where = tensor_of(header, indices_of(section, task));
    return fault;
}

std::unordered_map<TaskId, std::int64_t> input_indices(schedule::Header const& header,
                                                       schedule::Section const& section) {
    std::vector<std::optional<std::int64_t>> extents;  // by kernel
    for (schedule::Kernel const& kernel : header.kernels) extents.push_back(scalar::indexed_extent(kernel.einsum.join));
    std::unordered_map<TaskId, std::int64_t> out;
    for (TaskId t : section.tasks.ids()) {
        schedule::Task const& task = section.tasks[t];
        if (!task.is<schedule::Apply>()) continue;
        auto const extent = extents[at(section.as<schedule::Apply>(task).kernel)];
        if (extent && is_input(header, indices_of(section, task))) out.emplace(t, *extent);
    }
    return out;
}

}  // namespace ein::executor
