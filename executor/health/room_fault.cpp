#include "executor/health/room_fault.hpp"

#include "executor/health/task_text.hpp"

namespace ein::executor {

Fault room_fault(schedule::Header const& header, schedule::Section const& section, schedule::Task const& task,
                 tensor::SparseRoomError const& error) {
    schedule::Block const& block = section.blocks[*task.result()];
    std::string const node = task.is<schedule::Load>() ? "" : owner_of(header, section, task);
    std::string const whose =
        node.empty() ? "tensor '" + header.tensors[block.tensor].name + "'" : "node '" + node + "'";
    return {"", whose + ", elements " + to_string(section.box_of(block)),
            "at most " + std::to_string(section.sparse(block).most) + " listed, as when the schedule was made",
            std::to_string(error.listed()),
            "plan again with this data: einplan (of the data that was planned, this is a bug in Einloom)"};
}

}  // namespace ein::executor
