#include "executor/engine/dispatcher.hpp"

#include "lib/schedule/memory/take_over.hpp"

template class ein::schedule::Dispatcher<ein::executor::BlockStore>;

namespace ein::executor {

schedule::Profile replay_keeping_inputs(schedule::Section const& section) {
    schedule::Section kept = section;
    std::vector<BlockId> loaded;
    for (schedule::Task const& task : section.tasks)
        if (task.is<schedule::Load>()) loaded.push_back(*task.result());
    schedule::keep_inputs(kept);
    kept.add(schedule::Iterate{.loop = {}, .kept = loaded});
    return schedule::replay(kept);
}

}  // namespace ein::executor
