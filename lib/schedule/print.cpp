#include "lib/schedule/print.hpp"

#include <sstream>

#include "lib/schedule/memory/replay.hpp"

namespace ein::schedule {
namespace {

std::string blocks_text(Header const& header, Section const& section, std::span<std::int32_t const> blocks) {
    std::string out;
    for (std::int32_t block : blocks) out += (out.empty() ? "" : ", ") + block_text(header, section, BlockId{block});
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
    for (Task const& task : section.tasks) ++counts[static_cast<std::size_t>(task.kind)];
    return counts;
}

/// "turn of loop 'train', tasks 3 to 9; W_next[0:8] becomes W[0:8]; again while not_done[]"
std::string turn_text(Header const& header, Section const& section, Loop const& loop) {
    LoopSpec const& spec = header.loops[static_cast<std::size_t>(loop.spec)];
    std::string out = "turn of loop '" + spec.name + "', tasks " + std::to_string(loop.first) + " to " +
                      std::to_string(loop.turn) + ", " + (spec.conditional ? "at most " : "") +
                      std::to_string(spec.turns) + " times";
    for (Loop::Carry const& carry : loop.carries)
        out += "; " + block_text(header, section, BlockId{carry.next}) + " becomes " +
               block_text(header, section, BlockId{carry.inside});
    if (loop.condition >= 0) out += "; again while " + block_text(header, section, BlockId{loop.condition});
    return out;
}

}  // namespace

std::string node_of(Header const& header, Task const& task) {
    auto const spec = static_cast<std::size_t>(task.spec);
    switch (task.kind) {
        case TaskKind::apply:
        case TaskKind::reduce: return header.kernels[spec].node;
        case TaskKind::fill: return header.fills[spec].node;
        case TaskKind::copy: return header.movements[spec].node;
        case TaskKind::reshape:
        case TaskKind::pack:
        case TaskKind::unpack: return header.reshapes[spec].node;
        default: return "";
    }
}

std::string block_text(Header const& header, Section const& section, BlockId id) {
    Block const& block = section.blocks[static_cast<std::size_t>(id.value())];
    std::string const& tensor = header.tensors[static_cast<std::size_t>(block.tensor)].name;
    if (block.packed) return tensor + " (packed, " + std::to_string(section.elements_of(block)) + " elements)";
    return tensor + to_string(section.box_of(block));
}

std::string task_text(Header const& header, Section const& section, TaskId id) {
    Task const& task = section.tasks[static_cast<std::size_t>(id.value())];
    for (Loop const& loop : section.loops)
        if (TaskId{loop.turn} == id) return turn_text(header, section, loop);
    std::string out{name(task.kind)};
    if (std::string const node = node_of(header, task); !node.empty()) out += " of node '" + node + "'";
    if (task.kind == TaskKind::send) out += " to rank " + std::to_string(task.peer);
    if (task.kind == TaskKind::receive) out += " from rank " + std::to_string(task.peer);
    if (task.inputs > 0)
        out += (task.output >= 0 ? " from " : " of ") + blocks_text(header, section, section.inputs_of(task));
    if (task.output >= 0)
        out += (task.accumulate ? " onto " : " to ") + block_text(header, section, BlockId{task.output});
    bool const message = task.kind == TaskKind::send || task.kind == TaskKind::receive;
    if (message && task.order > 0) out += ", its part " + to_string(section.region_of(task));
    return out;
}

std::string to_text(Schedule const& schedule) {
    Header const& header = schedule.header;
    std::ostringstream out;
    out << "schedule of graph '" << header.name << "' for " << header.ranks
        << (header.ranks == 1 ? " rank, " : " ranks, ") << header.strategy << " placed by " << header.place << "\n";
    for (std::size_t rank = 0; rank < schedule.sections.size(); ++rank) {
        Section const& section = schedule.sections[rank];
        out << "rank " << rank << ": " << section.tasks.size() << " tasks, " << section.blocks.size()
            << " blocks, sends " << header.prediction.bytes_sent[rank] << " bytes, peak "
            << header.prediction.peak_bytes[rank] << " bytes" << spill_text(section) << "\n";
        for (std::size_t t = 0; t < section.tasks.size(); ++t)
            out << "  " << t << " " << task_text(header, section, TaskId{static_cast<std::int32_t>(t)}) << "\n";
    }
    return out.str();
}

Json to_json(Schedule const& schedule) {
    Header const& header = schedule.header;
    Json out{{"graph", header.name},
             {"ranks", header.ranks},
             {"strategy", header.strategy},
             {"place", header.place},
             {"flops", header.prediction.flops},
             {"sections", Json::array()}};
    for (std::size_t rank = 0; rank < schedule.sections.size(); ++rank) {
        Section const& section = schedule.sections[rank];
        Json tasks = Json::array(), kinds = Json::object();
        auto const counts = counts_by_kind(section);
        for (std::size_t kind = 0; kind < counts.size(); ++kind)
            kinds[std::string(name(static_cast<TaskKind>(kind)))] = counts[kind];
        for (std::size_t t = 0; t < section.tasks.size(); ++t) {
            Task const& task = section.tasks[t];
            Json entry{{"kind", name(task.kind)}};
            Json inputs = Json::array();
            for (std::int32_t input : section.inputs_of(task))
                inputs.push_back(block_text(header, section, BlockId{input}));
            if (!inputs.empty()) entry["inputs"] = inputs;
            if (task.output >= 0) entry["output"] = block_text(header, section, BlockId{task.output});
            if (std::string const node = node_of(header, task); !node.empty()) entry["node"] = node;
            if (task.peer >= 0) entry["peer"] = task.peer;
            if (task.peer >= 0) entry["bytes"] = section.message_of(task).bytes;
            if (task.accumulate) entry["accumulate"] = true;
            if (task.kind == TaskKind::turn)
                entry["text"] = task_text(header, section, TaskId{static_cast<std::int32_t>(t)});
            tasks.push_back(std::move(entry));
        }
        out["sections"].push_back({{"rank", rank},
                                   {"bytes_sent", header.prediction.bytes_sent[rank]},
                                   {"bytes_received", header.prediction.bytes_received[rank]},
                                   {"peak_bytes", header.prediction.peak_bytes[rank]},
                                   {"spill", spill_json(section)},
                                   {"kinds", kinds},
                                   {"tasks", tasks}});
    }
    return out;
}

std::string to_dot(Schedule const& schedule) {
    std::ostringstream out;
    auto node = [](std::size_t rank, std::size_t task) {
        return "r" + std::to_string(rank) + "t" + std::to_string(task);
    };
    auto quoted = [](std::string const& text) { return Json(text).dump(); };
    out << "digraph schedule {\n  rankdir=LR; node [shape=box, fontname=monospace];\n";
    for (std::size_t rank = 0; rank < schedule.sections.size(); ++rank) {
        Section const& section = schedule.sections[rank];
        out << "  subgraph cluster_" << rank << " { label=\"rank " << rank << "\";\n";
        std::vector<std::vector<std::size_t>> writers(section.blocks.size());
        for (std::size_t t = 0; t < section.tasks.size(); ++t) {
            Task const& task = section.tasks[t];
            out << "    " << node(rank, t)
                << " [label=" << quoted(task_text(schedule.header, section, TaskId{static_cast<std::int32_t>(t)}))
                << "];\n";
            for (std::int32_t input : section.inputs_of(task))
                for (std::size_t writer : writers[static_cast<std::size_t>(input)])
                    out << "    " << node(rank, writer) << " -> " << node(rank, t) << ";\n";
            if (task.kind == TaskKind::fetch)
                out << "    " << node(rank, static_cast<std::size_t>(task.after)) << " -> " << node(rank, t) << ";\n";
            if (task.output >= 0) writers[static_cast<std::size_t>(task.output)].push_back(t);
        }
        out << "  }\n";
    }
    out << "}\n";
    return out.str();
}

}  // namespace ein::schedule
