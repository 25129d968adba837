#include "apps/einplan/screen/plan_summary.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <sstream>

#include "lib/base/files/written_file.hpp"
#include "lib/base/text/shell_word.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/base/threads/parallel.hpp"
#include "lib/schedule/memory/replay.hpp"

namespace ein::apps {
namespace {

std::int64_t most(std::vector<std::int64_t> const& values) { return *std::max_element(values.begin(), values.end()); }
std::int64_t total(std::vector<std::int64_t> const& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// "load 4, apply 12, ...": tasks of all ranks by kind.
std::string tasks_by_kind(schedule::Schedule const& schedule) {
    using Counts = std::array<std::int64_t, schedule::task_kinds>;
    Counts counts{};
    for (Counts const& of_rank : for_each_in_parallel(schedule.sections.size(), [&](std::size_t rank) {
             schedule::Section const& section = schedule.sections.list()[rank];
             Counts out{};
             for (TaskId task : section.tasks.ids()) out[index(section.tasks[task].kind())] += section.times(task);
             return out;
         }))
        for (std::size_t kind = 0; kind < counts.size(); ++kind) counts[kind] += of_rank[kind];
    std::string out;
    for (std::size_t kind = 0; kind < counts.size(); ++kind)
        if (counts[kind] > 0)
            out += (out.empty() ? "" : ", ") + std::string(schedule::task_traits[kind].name) + " " +
                   std::to_string(counts[kind]);
    return out;
}

/// ", proven optimal", ", within 3.1 % of optimal", or nothing where that is not known.
std::string optimality(relation::Plan const& plan) {
    if (!plan.gap) return "";
    if (*plan.gap == 0) return ", proven optimal";
    char text[64];
    std::snprintf(text, sizeof text, ", within %.3g %% of optimal", 100 * *plan.gap);
    return text;
}

/// A plan that was edited may have more than were wanted.
std::int64_t most_calls(relation::Plan const& plan) {
    std::int64_t calls = plan.calls;
    for (relation::NodePlan const& node : plan.nodes) calls = std::max(calls, element_count(node.parts));
    return calls;
}

/// "12 of 53 nodes have fewer than 8 ...", or nothing.
std::string fewer_calls(relation::Plan const& plan, std::int64_t most) {
    auto const fewer = std::count_if(plan.nodes.begin(), plan.nodes.end(),
                                     [&](relation::NodePlan const& node) { return element_count(node.parts) < most; });
    if (fewer == 0) return "";
    return std::to_string(fewer) + " of " + std::to_string(plan.nodes.size()) + " nodes have fewer than " +
           std::to_string(most) + ": " + plan.strategy + " or their extents allow no more";
}

/// "train 100 iterations", "heron at most 1000 iterations (what is predicted is for all of them)", or nothing.
std::string loops_text(Table<schedule::LoopSpecId, schedule::LoopSpec> const& loops) {
    std::string out;
    bool conditional = false;
    for (schedule::LoopSpec const& loop : loops) {
        out += (out.empty() ? "" : ", ") + loop.name + (loop.conditional ? " at most " : " ") +
               std::to_string(loop.iterations) + (loop.iterations == 1 ? " iteration" : " iterations");
        conditional = conditional || loop.conditional;
    }
    return out + (conditional ? " (what is predicted is for all of them)" : "");
}

}  // namespace

std::string plan_summary(schedule::Schedule const& schedule, relation::Plan const& plan, std::string const& file) {
    schedule::Header const& header = schedule.header;
    schedule::Prediction const& p = header.prediction;
    std::int64_t tasks = 0, idle = 0;
    for (auto const& section : schedule.sections) {
        tasks += section.tasks_in_all();
        idle += section.idle() ? 1 : 0;
    }
    auto line = [](std::string const& key, std::string const& value) {
        return "  " + key + std::string(16 - std::min<std::size_t>(15, key.size()), ' ') + value + "\n";
    };
    std::ostringstream out;
    out << "einplan: " << (header.name.empty() ? "graph" : header.name) << " for " << header.ranks
        << (header.ranks == 1 ? " rank\n" : " ranks\n");
    std::int64_t const calls = most_calls(plan);
    out << line("strategy", header.strategy + optimality(plan) + ", " + std::to_string(calls) +
                                " kernel calls a node, placed by " + header.place);
    if (std::string const fewer = fewer_calls(plan, calls); !fewer.empty()) out << line("fewer calls", fewer);
    out << line("bytes moved", format_exact_bytes(total(p.bytes_sent)) + " in all; busiest rank sends " +
                                   format_bytes(static_cast<double>(most(p.bytes_sent))) + ", receives " +
                                   format_bytes(static_cast<double>(most(p.bytes_received))));
    out << line("worst case", format_bytes(p.worst_case_bytes) + ", " + format_count(p.worst_case_elements) +
                                  " elements (EinDecomp's cost of the plan)");
    out << line("flops", format_count(p.flops));
    out << line("peak a rank", format_exact_bytes(most(p.peak_bytes)) + " of blocks");
    schedule::DiskUse const spilled = schedule::disk_use(schedule);
    if (spilled.blocks > 0)
        out << line("spills", format_exact_bytes(spilled.written) + " of blocks written to disk, " +
                                  format_bytes(static_cast<double>(spilled.read)) + " read back");
    if (header.reproducible)
        out << line("reproducible", "the same bits at every number of ranks and threads, on one type of processor");
    if (std::string const loops = loops_text(header.loops); !loops.empty()) out << line("loops", loops);
    out << line("tasks", std::to_string(tasks) + " (" + tasks_by_kind(schedule) + ")");
    if (idle > 0)
        out << line("idle ranks", std::to_string(idle) + " of " + std::to_string(header.ranks) +
                                      " have nothing to do: extents allow no more parts, or sharing takes longer");
    if (file.empty()) return out.str() + line("written", "nothing; -o FILE writes the schedule");
    out << line("written", file);
    if (is_stream(file)) return out.str();
    out << line("run", (header.ranks == 1 ? "" : "mpirun -n " + std::to_string(header.ranks) + " ") + "einrun " +
                           shell_word(file) + (spilled.blocks > 0 ? " --spill-dir DIR" : ""));
    return out.str();
}

}  // namespace ein::apps
