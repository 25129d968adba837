#include "executor/health/task_text.hpp"

#include "lib/schedule/print/print.hpp"

namespace ein::executor {

using schedule::Header;
using schedule::Section;
using schedule::Task;

std::string owner_of(Header const& header, Section const& section, Task const& task) {
    if (task.is<schedule::Load>())
        return header.tensors[header.inputs[section.as<schedule::Load>(task).input].tensor].name;
    if (task.is<schedule::Store>()) return header.outputs[section.as<schedule::Store>(task).output].name;
    return schedule::node_of(header, section, task);
}

namespace {

/// What follows the name of each kind: " of node 'AB'".
struct Of {
    Header const& header;
    Section const& section;
    Task const& task;

    std::string operator()(schedule::Load const&) const { return " of tensor '" + owner() + "'"; }
    std::string operator()(schedule::Store const&) const { return " of output '" + owner() + "'"; }
    std::string operator()(schedule::Apply const&) const { return of_node(); }
    std::string operator()(schedule::Reduce const&) const { return of_node(); }
    std::string operator()(schedule::Fused const&) const { return schedule::owner_text(header, section, task); }
    std::string operator()(schedule::Fill const&) const { return of_node(); }
    std::string operator()(schedule::Copy const&) const { return of_node(); }
    std::string operator()(schedule::Reshape const&) const { return of_node(); }
    std::string operator()(schedule::Pack const&) const { return of_node(); }
    std::string operator()(schedule::Unpack const&) const { return of_node(); }
    std::string operator()(schedule::Send const& send) const {
        return " to rank " + std::to_string(send.to.value()) + ", message " + std::to_string(send.tag.value());
    }
    std::string operator()(schedule::Receive const& receive) const {
        return " from rank " + std::to_string(receive.from.value()) + ", message " +
               std::to_string(receive.tag.value());
    }
    std::string operator()(schedule::Spill const&) const { return ""; }
    std::string operator()(schedule::Fetch const&) const { return ""; }
    std::string operator()(schedule::Assemble const&) const { return ""; }
    std::string operator()(schedule::Relocate const&) const { return ""; }
    std::string operator()(schedule::Refold const&) const { return ""; }
    std::string operator()(schedule::Iterate const& iterate) const {
        return " loop '" + header.loops[iterate.loop].name + "'";
    }

    std::string owner() const { return owner_of(header, section, task); }
    std::string of_node() const { return " of node '" + owner() + "'"; }
};

}  // namespace

std::string task_text(Header const& header, Section const& section, TaskId id) {
    Task const& task = section.tasks[id];
    std::string out = "task " + std::to_string(id.value()) + " (" + std::string(task.traits().name) +
                      section.visit(task, Of{header, section, task});
    if (task.is<schedule::Iterate>()) return out + ")";
    auto const reads = section.reads(task);
    if (task.result() || !reads.empty())
        out += ", block " + block_text(header, section, task.result() ? *task.result() : reads[0]);
    return out + ")";
}

}  // namespace ein::executor
