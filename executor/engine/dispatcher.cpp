#include "executor/engine/dispatcher.hpp"

template class ein::schedule::Dispatcher<ein::executor::BlockStore>;

namespace ein::executor {

using schedule::Section;
using schedule::Task;
using schedule::TaskKind;

schedule::Profile replay_keeping_inputs(Section const& section) {
    Section kept = section;
    Task keeper;
    keeper.kind = TaskKind::store;
    keeper.first_input = static_cast<std::int32_t>(kept.inputs.size());
    for (Task const& task : section.tasks) {
        if (task.kind != TaskKind::load) continue;
        kept.inputs.push_back(task.output);
        ++kept.blocks[static_cast<std::size_t>(task.output)].readers;
        ++keeper.inputs;
    }
    kept.tasks.push_back(keeper);
    return schedule::replay(kept);
}

}  // namespace ein::executor
