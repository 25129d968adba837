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

/// A box of a sparse input that was all that a larger one lists when the schedule was made.
struct Hull {
    Box box, around;
};

using BoxesRead = Table<schedule::InputId, std::vector<Box>>;

/// Calls visit(load, its box) for what this rank loads.
template <class Visit>
void for_each_load(schedule::Section const& section, Visit const& visit) {
    for (schedule::Task const& task : section.tasks) {
        if (!task.is<schedule::Load>()) continue;
        auto const load = section.as<schedule::Load>(task);
        visit(load, section.box_of(section.blocks[load.result]));
    }
}

/// What this rank reads of each input.
BoxesRead boxes_read(schedule::Header const& header, schedule::Section const& section, ReadsOf reads) {
    BoxesRead out;
    out.resize(header.inputs.size());
    switch (reads) {
        case ReadsOf::loads:
            for_each_load(section,
                          [&](schedule::Load const& load, Box&& box) { out[load.input].push_back(std::move(box)); });
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

Table<schedule::InputId, std::vector<Hull>> hulls(schedule::Header const& header, schedule::Section const& section) {
    Table<schedule::InputId, std::vector<Hull>> out;
    out.resize(header.inputs.size());
    for_each_load(section, [&](schedule::Load const& load, Box&& box) {
        if (load.around) out[load.input].push_back({std::move(box), load.around->box()});
    });
    return out;
}

/// What lies elsewhere than when the schedule was made would be left out by the calls that read it. Where it lies is
/// known roughly: the same elements from a file of another kind are counted.
void check_hull(tensor::SparseReader const& reader, std::string const& tensor, Hull const& planned) {
    if (planned.box.contains(reader.hull(planned.around))) return;
    Extent const outside = reader.listed(planned.around) - reader.listed(planned.box);
    if (outside == 0) return;
    throw InputError(Fault{"", "tensor '" + tensor + "', elements " + to_string(planned.around),
                           "none listed outside " + to_string(planned.box) + ", as when the schedule was made",
                           std::to_string(outside), "plan again with this data: einplan"});
}

InputReader opened(tensor::Source const& source, schedule::Tensor const& tensor, std::vector<Box> boxes,
                   std::vector<Hull> const& hulls, int rounds, std::filesystem::path const& folder) {
    if (!tensor.fill) return InputReader(tensor::open(source, tensor.name, tensor.dtype, tensor.shape, folder));
    auto reader = tensor::open_sparse(source, tensor.name, tensor.dtype, tensor.shape, folder, *tensor.fill);
    for (Hull const& hull : hulls) check_hull(*reader, tensor.name, hull);
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
    auto const planned = hulls(header, section);
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
            readers[at] = opened(input.source, tensor, boxes[at], planned[at], rounds, folder);
        } catch (InputError const& error) {
            faults.insert(faults.end(), error.faults().begin(), error.faults().end());
        }
    }
    if (!faults.empty()) throw InputError(std::move(faults));
    return readers;
}

}  // namespace ein::executor
