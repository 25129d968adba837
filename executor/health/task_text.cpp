#include "executor/health/task_text.hpp"

#include "lib/schedule/print.hpp"

namespace ein::executor {

using schedule::Header;
using schedule::Section;
using schedule::Task;
using schedule::TaskKind;

std::string owner_of(Header const& header, Task const& task) {
    auto const spec = static_cast<std::size_t>(task.spec);
    switch (task.kind) {
        case TaskKind::load: return header.tensors[static_cast<std::size_t>(header.inputs[spec].tensor)].name;
        case TaskKind::store: return header.outputs[spec].name;
        default: return schedule::node_of(header, task);
    }
}

std::string task_text(Header const& header, Section const& section, TaskId id) {
    Task const& task = section.tasks[static_cast<std::size_t>(id.value())];
    std::string out = "task " + std::to_string(id.value()) + " (" + std::string(schedule::name(task.kind));
    switch (task.kind) {
        case TaskKind::load: out += " of tensor '" + owner_of(header, task) + "'"; break;
        case TaskKind::store: out += " of output '" + owner_of(header, task) + "'"; break;
        case TaskKind::send:
            out += " to rank " + std::to_string(task.peer) + ", message " + std::to_string(task.tag);
            break;
        case TaskKind::receive:
            out += " from rank " + std::to_string(task.peer) + ", message " + std::to_string(task.tag);
            break;
        case TaskKind::spill:
        case TaskKind::fetch: break;
        case TaskKind::turn: return out + " of a loop)";
        default: out += " of node '" + owner_of(header, task) + "'";
    }
    std::int32_t const block = task.output >= 0 ? task.output : section.inputs_of(task)[0];
    return out + ", block " + block_text(header, section, BlockId{block}) + ")";
}

}  // namespace ein::executor
