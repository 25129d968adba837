#include "lib/schedule/print/print.hpp"

#include <sstream>

#include "lib/base/json.hpp"
#include "lib/base/text/counted.hpp"
#include "lib/schedule/fusion/members.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/print/overview.hpp"

namespace ein::schedule {
namespace {

std::string blocks_text(Header const& header, Section const& section, std::span<BlockId const> blocks) {
    std::string out;
    for (BlockId block : blocks) out += (out.empty() ? "" : ", ") + block_text(header, section, block);
    return out;
}

/// ", spills 2 blocks, 64 bytes", or nothing.
std::string spill_text(Section const& section) {
    DiskUse const use = disk_use(section);
    if (use.blocks == 0) return "";
    return ", spills " + std::to_string(use.blocks) + (use.blocks == 1 ? " block, " : " blocks, ") +
           std::to_string(use.written) + " bytes";
}

Json spill_json(Section const& section) {
    DiskUse const use = disk_use(section);
    return {{"blocks", use.blocks}, {"bytes", use.written}, {"fetched_bytes", use.read}, {"peak_bytes", use.peak}};
}

std::vector<std::size_t> counts_by_kind(Section const& section) {
    std::vector<std::size_t> counts(task_kinds, 0);
    for (Task const& task : section.tasks) ++counts[index(task.kind())];
    return counts;
}

/// "iterate loop 'train', tasks 3 to 9; W_next[0:8] becomes W[0:8]; again while not_done[]"
std::string loop_text(Header const& header, Section const& section, Loop const& loop) {
    LoopSpec const& spec = header.loops[loop.spec];
    std::string out = "iterate loop '" + spec.name + "', tasks " + std::to_string(loop.first.value()) + " to " +
                      std::to_string(loop.last.value()) + ", " + (spec.conditional ? "at most " : "") +
                      std::to_string(spec.iterations) + " times";
    for (Loop::Carry const& carry : loop.carries)
        out += "; " + block_text(header, section, carry.next) + " becomes " + block_text(header, section, carry.inside);
    if (loop.condition) out += "; again while " + block_text(header, section, *loop.condition);
    return out;
}

/// The node of each kind of task.
struct NodeOf {
    Header const& header;
    std::string operator()(Apply const& task) const { return header.kernels[task.kernel].node; }
    std::string operator()(Reduce const& task) const { return header.kernels[task.kernel].node; }
    std::string operator()(Fill const& task) const { return header.fills[task.fill].node; }
    std::string operator()(Copy const& task) const { return header.movements[task.movement].node; }
    std::string operator()(Reshape const& task) const { return header.reshapes[task.reshape].node; }
    std::string operator()(Pack const& task) const { return header.reshapes[task.reshape].node; }
    std::string operator()(Unpack const& task) const { return header.reshapes[task.reshape].node; }
    std::string operator()(Load const&) const { return ""; }
    std::string operator()(Send const&) const { return ""; }
    std::string operator()(Receive const&) const { return ""; }
    std::string operator()(Store const&) const { return ""; }
    std::string operator()(Spill const&) const { return ""; }
    std::string operator()(Fetch const&) const { return ""; }
    std::string operator()(Iterate const&) const { return ""; }
    std::string operator()(Assemble const&) const { return ""; }
    std::string operator()(Relocate const& task) const { return header.movements[task.movement].node; }
    std::string operator()(Refold const& task) const { return header.reshapes[task.reshape].node; }
    std::string operator()(Fused const& task) const { return nodes_of(header, task).back(); }
};

}  // namespace

std::string node_of(Header const& header, Section const& section, Task const& task) {
    return section.visit(task, NodeOf{header});
}

std::string owner_text(Header const& header, Section const& section, Task const& task) {
    if (!task.is<Fused>()) {
        std::string const node = node_of(header, section, task);
        return node.empty() ? "" : " of node '" + node + "'";
    }
    std::string out;
    for (std::string const& node : nodes_of(header, section.as<Fused>(task)))
        out += (out.empty() ? " of nodes '" : ", '") + node + "'";
    return out;
}

std::string block_text(Header const& header, Section const& section, BlockId id) {
    Block const& block = section.blocks[id];
    std::string const& tensor = header.tensors[block.tensor].name;
    return visit_format(block.format, section.coords_of(block),
                        Overloaded{[&](DenseBlock const& dense) { return tensor + to_string(dense.box.box()); },
                                   [&](SparseBlock const& sparse) {
                                       return tensor + to_string(sparse.box.box()) + " (sparse, at most " +
                                              std::to_string(sparse.most) + " listed)";
                                   },
                                   [&](PackedBlock const& packed) {
                                       return tensor + " (packed, " + std::to_string(packed.elements()) + " elements)";
                                   }});
}

std::string task_text(Header const& header, Section const& section, TaskId id) {
    Task const& task = section.tasks[id];
    for (Loop const& loop : section.loops)
        if (loop.last == id) return loop_text(header, section, loop);
    std::string out{task.traits().name};
    out += owner_text(header, section, task);
    std::optional<Message> message;
    if (task.traits().is_transfer()) message = section.message(task);
    if (message) out += (message->is_send ? " to rank " : " from rank ") + std::to_string(message->peer.value());
    if (task.operands() > 0)
        out += (task.result() ? " from " : " of ") + blocks_text(header, section, section.reads(task));
    if (task.result()) out += (task.accumulates() ? " onto " : " to ") + block_text(header, section, *task.result());
    if (auto const taken = section.taken_over(task)) out += ", in place of " + block_text(header, section, *taken);
    if (message && message->part) out += ", its part " + to_string(message->part->box());
    return out;
}

std::string tasks_text(Schedule const& schedule, Rank rank, std::size_t first, std::size_t count) {
    Header const& header = schedule.header;
    Section const& section = schedule.sections[rank];
    std::size_t const end = count < section.tasks.size() - first ? first + count : section.tasks.size();
    std::string out = "rank " + std::to_string(rank.value()) + ": " + counted(section.tasks.size(), "task") + ", " +
                      counted(section.blocks.size(), "block") + ", sends " +
                      std::to_string(header.prediction.bytes_sent[at(rank)]) + " bytes, peak " +
                      std::to_string(header.prediction.peak_bytes[at(rank)]) + " bytes" + spill_text(section) + "\n";
    for (std::size_t t = first; t < end; ++t)
        out += "  " + std::to_string(t) + " " + task_text(header, section, TaskId{static_cast<std::int32_t>(t)}) + "\n";
    return out;
}

namespace {

Json task_json(Header const& header, Section const& section, TaskId id) {
    Task const& task = section.tasks[id];
    Json entry{{"kind", task.traits().name}};
    for (BlockId block : section.reads(task)) entry["inputs"].push_back(block_text(header, section, block));
    if (task.result()) entry["output"] = block_text(header, section, *task.result());
    if (std::string const node = node_of(header, section, task); !node.empty()) entry["node"] = node;
    if (task.is<Fused>()) entry["nodes"] = nodes_of(header, section.as<Fused>(task));
    if (task.traits().is_transfer()) {
        Message const message = section.message(task);
        entry["peer"] = message.peer.value();
        entry["bytes"] = section.bytes_of(message);
    }
    if (task.accumulates()) entry["accumulate"] = true;
    if (auto const taken = section.taken_over(task)) entry["in_place_of"] = block_text(header, section, *taken);
    if (task.is<Iterate>()) entry["text"] = task_text(header, section, id);
    return entry;
}

}  // namespace

Json to_json(Schedule const& schedule) {
    Header const& header = schedule.header;
    Json out{{"graph", header.name},
             {"ranks", header.ranks},
             {"strategy", header.strategy},
             {"place", header.place},
             {"reproducible", header.reproducible},
             {"flops", header.prediction.flops},
             {"moments", Json::array()},
             {"sections", Json::array()}};
    for (Overview::OfMoment const& moment : moments_of(schedule))
        out["moments"].push_back({{"before", moment.before}, {"loop", moment.loop}, {"bytes", moment.live}});
    for (Rank rank : schedule.sections.ids()) {
        Section const& section = schedule.sections[rank];
        Json tasks = Json::array(), kinds = Json::object();
        auto const counts = counts_by_kind(section);
        for (std::size_t kind = 0; kind < task_kinds; ++kind) kinds[std::string(task_traits[kind].name)] = counts[kind];
        for (TaskId t : section.tasks.ids()) tasks.push_back(task_json(header, section, t));
        out["sections"].push_back({{"rank", rank.value()},
                                   {"bytes_sent", header.prediction.bytes_sent[at(rank)]},
                                   {"bytes_received", header.prediction.bytes_received[at(rank)]},
                                   {"peak_bytes", header.prediction.peak_bytes[at(rank)]},
                                   {"spill", spill_json(section)},
                                   {"kinds", kinds},
                                   {"tasks", tasks}});
    }
    return out;
}

std::string to_dot(Schedule const& schedule) {
    std::ostringstream out;
    auto const node = [](Rank rank, TaskId task) {
        return "r" + std::to_string(rank.value()) + "t" + std::to_string(task.value());
    };
    auto const quoted = [](std::string const& text) { return Json(text).dump(); };
    out << "digraph schedule {\n  rankdir=LR; node [shape=box, fontname=monospace];\n";
    for (Rank rank : schedule.sections.ids()) {
        Section const& section = schedule.sections[rank];
        out << "  subgraph cluster_" << rank.value() << " { label=\"rank " << rank.value() << "\";\n";
        Table<BlockId, std::vector<TaskId>> writers(section.blocks.size());
        for (TaskId t : section.tasks.ids()) {
            Task const& task = section.tasks[t];
            out << "    " << node(rank, t) << " [label=" << quoted(task_text(schedule.header, section, t)) << "];\n";
            for (BlockId block : section.reads(task))
                for (TaskId writer : writers[block])
                    out << "    " << node(rank, writer) << " -> " << node(rank, t) << ";\n";
            if (task.is<Fetch>())
                out << "    " << node(rank, section.as<Fetch>(task).spill) << " -> " << node(rank, t) << ";\n";
            if (task.result()) writers[*task.result()].push_back(t);
        }
        out << "  }\n";
    }
    out << "}\n";
    return out.str();
}

}  // namespace ein::schedule
