#include "scheduler/emit/renaming.hpp"

#include "lib/schedule/model/entry.hpp"

namespace ein::scheduler {

std::int32_t Renaming::entry_of(schedule::Task const& task) const {
    std::int32_t entry = task.record().entry;
    auto const become = [&](auto const& names, auto id) { entry = names.of(id).value(); };
    visit_entry(
        task,
        schedule::Overloaded{
            [&](schedule::InputId id) { become(inputs, id); }, [&](schedule::KernelId id) { become(kernels, id); },
            [&](schedule::MovementId id) { become(movements, id); },
            [&](schedule::ReshapeId id) { become(reshapes, id); }, [&](schedule::FillId id) { become(fills, id); },
            [](auto) { promise(false, "a task of a kind that no node is lowered to is made again"); }});
    return entry;
}

}  // namespace ein::scheduler
