#include "scheduler/simulate/task_owner.hpp"

#include "lib/schedule/print/print.hpp"

namespace ein::scheduler {

bool moves_a_block(schedule::Task const& task) {
    return task.traits().is_transfer() || task.traits().runs_on == schedule::Site::disk;
}

std::string task_owner(schedule::Schedule const& schedule, Rank rank, TaskId id) {
    schedule::Section const& section = schedule.sections[rank];
    schedule::Task const& task = section.tasks[id];
    if (!moves_a_block(task)) return schedule::node_of(schedule.header, section, task);
    BlockId const block = task.result() ? *task.result() : section.reads(task)[0];
    return schedule.header.tensors[section.blocks[block].tensor].name;
}

}  // namespace ein::scheduler
