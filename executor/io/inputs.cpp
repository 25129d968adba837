#include "executor/io/inputs.hpp"

#include "lib/base/error.hpp"

namespace ein::executor {

std::vector<std::string> input_names(schedule::Header const& header) {
    std::vector<std::string> names;
    for (schedule::Input const& input : header.inputs)
        names.push_back(header.tensors[static_cast<std::size_t>(input.tensor)].name);
    return names;
}

Readers open_inputs(schedule::Header const& header, schedule::Section const& section,
                    std::filesystem::path const& folder) {
    Readers readers(header.inputs.size());
    std::vector<bool> tried(header.inputs.size(), false);
    std::vector<Fault> faults;
    for (schedule::Task const& task : section.tasks) {
        if (task.kind != schedule::TaskKind::load) continue;
        auto const at = static_cast<std::size_t>(task.spec);
        if (tried[at]) continue;
        tried[at] = true;
        schedule::Input const& input = header.inputs[at];
        schedule::Tensor const& tensor = header.tensors[static_cast<std::size_t>(input.tensor)];
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
