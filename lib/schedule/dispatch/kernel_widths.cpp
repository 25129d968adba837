#include "lib/schedule/dispatch/kernel_widths.hpp"

#include <algorithm>
#include <cmath>

namespace ein::schedule {

namespace {

/// Elements that the task walks over.
double work_of(Section const& section, Task const& task) {
    double out = 1;
    if (task.kind == TaskKind::fill)
        return static_cast<double>(section.elements_of(section.blocks[static_cast<std::size_t>(task.output)]));
    auto const lengths = section.coords.begin() + task.coords + task.order;
    for (std::int32_t axis = 0; axis < task.order; ++axis) out *= static_cast<double>(lengths[axis]);
    return out;
}

bool moves_between_ranks_or_files(Task const& task) {
    using enum TaskKind;
    return task.kind == send || task.kind == receive || task.kind == load || task.kind == store || task.kind == spill ||
           task.kind == fetch;
}

/// Longest chain of tasks of this rank before each task.
std::vector<std::int32_t> depths(Section const& section) {
    std::vector<std::int32_t> of_task(section.tasks.size(), 0), of_block(section.blocks.size(), 0);
    for (std::size_t i = 0; i < section.tasks.size(); ++i) {
        Task const& task = section.tasks[i];
        std::int32_t& depth = of_task[i];
        for (std::int32_t input : section.inputs_of(task))
            depth = std::max(depth, of_block[static_cast<std::size_t>(input)]);
        if (task.after >= 0) depth = std::max(depth, of_task[static_cast<std::size_t>(task.after)] + 1);
        if (task.output < 0) continue;
        std::int32_t& ready = of_block[static_cast<std::size_t>(task.output)];
        ready = std::max(ready, depth + 1);
    }
    return of_task;
}

/// Elements for each thread from which a task is cut for all threads: its neighbours may wait for messages, and where they do not, one after
/// the other is as good as side by side.
constexpr double large = 1 << 20;

}  // namespace

std::vector<std::int16_t> kernel_widths(Section const& section, int threads) {
    if (threads <= 1) return {};
    std::vector<std::int32_t> const depth = depths(section);
    std::vector<double> total;
    for (std::size_t i = 0; i < section.tasks.size(); ++i) {
        if (moves_between_ranks_or_files(section.tasks[i])) continue;
        auto const at = static_cast<std::size_t>(depth[i]);
        if (at >= total.size()) total.resize(at + 1, 0.0);
        total[at] += work_of(section, section.tasks[i]);
    }
    std::vector<std::int16_t> widths(section.tasks.size(), 1);
    for (std::size_t i = 0; i < section.tasks.size(); ++i) {
        if (moves_between_ranks_or_files(section.tasks[i])) continue;
        double const work = work_of(section, section.tasks[i]);
        double const share =
            work >= large * threads ? 1.0 : work / std::max(1.0, total[static_cast<std::size_t>(depth[i])]);
        widths[i] = static_cast<std::int16_t>(std::clamp(std::lround(share * threads), 1L, static_cast<long>(threads)));
    }
    return widths;
}

}  // namespace ein::schedule
