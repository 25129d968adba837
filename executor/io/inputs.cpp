#include "executor/io/inputs.hpp"

#include <utility>

#include "lib/base/error.hpp"

namespace ein::executor {

std::vector<std::string> input_names(schedule::Header const& header) {
    std::vector<std::string> names;
    for (schedule::Input const& input : header.inputs) names.push_back(header.tensors[input.tensor].name);
    return names;
}

Readers open_inputs(schedule::Header const& header, schedule::Section const& section,
                    std::filesystem::path const& folder) {
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
        try {
            readers[at] = tensor::open(input.source, tensor.name, tensor.dtype, tensor.shape, folder);
        } catch (InputError const& error) {
            faults.insert(faults.end(), error.faults().begin(), error.faults().end());
        }
    }
    if (!faults.empty()) throw InputError(std::move(faults));
    return readers;
}

}  // namespace ein::executor
