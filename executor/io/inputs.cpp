#include "executor/io/inputs.hpp"

#include <utility>

#include "lib/base/error.hpp"

namespace ein::executor {

std::vector<std::string> input_names(schedule::Header const& header) {
    std::vector<std::string> names;
    for (schedule::Input const& input : header.inputs) names.push_back(header.tensors[input.tensor].name);
    return names;
}

namespace {

/// What this rank loads of an input.
std::vector<Box> boxes_of(schedule::Section const& section, schedule::InputId input) {
    std::vector<Box> out;
    for (schedule::Task const& task : section.tasks) {
        if (!task.is<schedule::Load>()) continue;
        auto const load = section.as<schedule::Load>(task);
        if (load.input == input) out.push_back(section.box_of(section.blocks[load.result]));
    }
    return out;
}

InputReader opened(tensor::Source const& source, schedule::Tensor const& tensor, std::vector<Box> const& boxes,
                   std::filesystem::path const& folder) {
    if (!tensor.fill) return InputReader(tensor::open(source, tensor.name, tensor.dtype, tensor.shape, folder));
    auto reader = tensor::open_sparse(source, tensor.name, tensor.dtype, tensor.shape, folder, *tensor.fill);
    reader->prepare(boxes);
    return {tensor.name, std::move(reader)};
}

}  // namespace

Readers open_inputs(schedule::Header const& header, schedule::Section const& section,
                    std::filesystem::path const& folder, GivenReader const& given) {
    Readers readers;
    readers.resize(header.inputs.size());
    Table<schedule::InputId, std::uint8_t> tried(header.inputs.size(), 0);
    std::vector<Fault> faults;
    for (schedule::Task const& task : section.tasks) {
        if (!task.is<schedule::Load>()) continue;
        schedule::InputId const at = section.as<schedule::Load>(task).input;
        if (std::exchange(tried[at], 1) != 0) continue;
        schedule::Input const& input = header.inputs[at];
        schedule::Tensor const& tensor = header.tensors[input.tensor];
        if (auto reader = given ? given(tensor) : nullptr) {
            readers[at] = InputReader(std::move(reader));
            continue;
        }
        try {
            readers[at] = opened(input.source, tensor, boxes_of(section, at), folder);
        } catch (InputError const& error) {
            faults.insert(faults.end(), error.faults().begin(), error.faults().end());
        }
    }
    if (!faults.empty()) throw InputError(std::move(faults));
    return readers;
}

}  // namespace ein::executor
