#include "lib/schedule/dispatch/kernel_widths.hpp"

#include <algorithm>
#include <cmath>

#include "lib/schedule/fusion/members.hpp"
#include "lib/schedule/memory/take_over.hpp"
#include "lib/schedule/tuning.hpp"

namespace ein::schedule {

namespace {

/// Elements that the task walks over.
double work_of(Header const& header, Section const& section, Task const& task) {
    if (task.is<Fused>()) {
        double out = 0;
        for_each_member(header, section.as<Fused>(task), [&](FusionSpec::Member const&, BoxView region) {
            double points = 1;
            for (Extent length : region.length) points *= static_cast<double>(length);
            out += points;
        });
        return out;
    }
    if (task.is<Fill>() || task.is<Load>())
        return static_cast<double>(section.elements_of(section.blocks[*task.result()]));
    std::optional<Apply> const call = section.kernel_call(task);
    double out =
        call ? section.listed_share(header.kernels[call->kernel], *call) * written_share(header, section, task) : 1;
    for (Extent length : section.region_of(task).length) out *= static_cast<double>(length);
    return out;
}

/// Whether several threads may do it together.
bool is_shared(Task const& task) { return task.is<Load>() || !task.traits().wants_host(); }

/// Elements for each thread.
double enough_for_all(Task const& task) {
    return task.is<Reduce>() ? tuning::summands_for_all_threads : tuning::elements_for_all_threads;
}

/// Longest path of tasks of this rank before each task.
Table<TaskId, std::int32_t> depths(Section const& section) {
    Table<TaskId, std::int32_t> of_task(section.tasks.size(), 0);
    Table<BlockId, std::int32_t> of_block(section.blocks.size(), 0);
    for (TaskId t : section.tasks.ids()) {
        Task const& task = section.tasks[t];
        std::int32_t& depth = of_task[t];
        for (BlockId input : section.reads(task)) depth = std::max(depth, of_block[input]);
        if (task.after()) depth = std::max(depth, of_task[*task.after()] + 1);
        if (!task.result()) continue;
        std::int32_t& ready = of_block[*task.result()];
        ready = std::max(ready, depth + 1);
    }
    return of_task;
}

}  // namespace

Table<TaskId, std::int16_t> kernel_widths(Header const& header, Section const& section, int threads) {
    if (threads <= 1) return {};
    Table<TaskId, std::int32_t> const depth = depths(section);
    std::vector<double> total;  // work of the tasks of each depth
    Table<TaskId, double> works(section.tasks.size());
    for (TaskId t : section.tasks.ids()) {
        if (!is_shared(section.tasks[t])) continue;
        auto const at = static_cast<std::size_t>(depth[t]);
        if (at >= total.size()) total.resize(at + 1, 0.0);
        total[at] += works[t] = work_of(header, section, section.tasks[t]);
    }
    Table<TaskId, std::int16_t> widths(section.tasks.size(), 1);
    for (TaskId t : section.tasks.ids()) {
        if (!is_shared(section.tasks[t])) continue;
        double const work = works[t];
        double const share = work >= enough_for_all(section.tasks[t]) * threads
                                 ? 1.0
                                 : work / std::max(1.0, total[static_cast<std::size_t>(depth[t])]);
        widths[t] = static_cast<std::int16_t>(std::clamp(std::lround(share * threads), 1L, static_cast<long>(threads)));
    }
    return widths;
}

}  // namespace ein::schedule
