#include "executor/io/inputs.hpp"

#include <map>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"

namespace ein::executor {

std::vector<std::string> input_names(schedule::Header const& header) {
    std::vector<std::string> names;
    for (schedule::Input const& input : header.inputs) names.push_back(header.tensors[input.tensor].name);
    return names;
}

namespace {

using BoxesRead = Table<schedule::InputId, std::vector<Box>>;

/// What this rank reads of each input.
BoxesRead boxes_read(schedule::Header const& header, schedule::Section const& section, ReadsOf reads) {
    BoxesRead out;
    out.resize(header.inputs.size());
    switch (reads) {
        case ReadsOf::loads:
            for (schedule::Task const& task : section.tasks) {
                if (!task.is<schedule::Load>()) continue;
                auto const load = section.as<schedule::Load>(task);
                out[load.input].push_back(section.box_of(section.blocks[load.result]));
            }
            break;
        case ReadsOf::held: {
            std::map<schedule::TensorId, schedule::InputId> inputs;
            for (schedule::InputId input : header.inputs.ids()) inputs.emplace(header.inputs[input].tensor, input);
            for (schedule::Block const& block : section.blocks) {
                auto const found = inputs.find(block.tensor);
                if (found != inputs.end() && (block.is_box() || block.is_listed()))
                    out[found->second].push_back(section.box_of(block));
            }
            break;
        }
    }
    return out;
}

InputReader opened(tensor::Source const& source, schedule::Tensor const& tensor, std::vector<Box> boxes, int rounds,
                   std::filesystem::path const& folder) {
    if (!tensor.fill) return InputReader(tensor::open(source, tensor.name, tensor.dtype, tensor.shape, folder));
    auto reader = tensor::open_sparse(source, tensor.name, tensor.dtype, tensor.shape, folder, *tensor.fill);
    std::vector<Box> const once = boxes;
    for (int round = 1; round < rounds; ++round) boxes.insert(boxes.end(), once.begin(), once.end());
    reader->prepare(boxes);
    return {tensor.name, std::move(reader)};
}

}  // namespace

Readers open_inputs(schedule::Header const& header, schedule::Section const& section,
                    std::filesystem::path const& folder, GivenReader const& given, ReadsOf reads, int rounds) {
    Readers readers;
    readers.resize(header.inputs.size());
    BoxesRead const boxes = boxes_read(header, section, reads);
    std::vector<Fault> faults;
    for (schedule::InputId at : header.inputs.ids()) {
        if (boxes[at].empty()) continue;
        schedule::Input const& input = header.inputs[at];
        schedule::Tensor const& tensor = header.tensors[input.tensor];
        if (auto reader = given ? given(tensor) : nullptr) {
            readers[at] = InputReader(std::move(reader));
            continue;
        }
        try {
            readers[at] = opened(input.source, tensor, boxes[at], rounds, folder);
        } catch (InputError const& error) {
            faults.insert(faults.end(), error.faults().begin(), error.faults().end());
        }
    }
    if (!faults.empty()) throw InputError(std::move(faults));
    return readers;
}

}  // namespace ein::executor
