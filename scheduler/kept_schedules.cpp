#include "scheduler/kept_schedules.hpp"

#include <algorithm>

namespace ein::scheduler {
namespace {

/// Whether two plans have the same schedules, to the last field.
bool same_schedules(relation::Plan const& a, relation::Plan const& b) {
    return a.ranks == b.ranks && a.calls == b.calls && a.strategy == b.strategy &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [](relation::NodePlan const& x, relation::NodePlan const& y) {
                          return x.parts == y.parts && x.ranks == y.ranks && x.elements == y.elements &&
                                 x.bytes == y.bytes;
                      });
}

std::size_t tasks_of(Scheduled const& made) {
    std::size_t out = 0;
    for (schedule::Section const& section : made.schedule.sections) out += section.tasks.size();
    return out;
}

}  // namespace

std::shared_ptr<Scheduled const> KeptSchedules::found(relation::Plan const& plan, std::string const& place,
                                                      Order order) const {
    auto const at = std::find_if(kept_.begin(), kept_.end(), [&](Kept const& each) {
        return each.place == place && each.order == order && same_schedules(each.plan, plan);
    });
    return at == kept_.end() ? nullptr : at->made;
}

std::shared_ptr<Scheduled const> KeptSchedules::find(relation::Plan const& plan, std::string const& place,
                                                     Order order) const {
    MutexLock const lock(mutex_);
    return found(plan, place, order);
}

void KeptSchedules::keep(relation::Plan const& plan, std::string const& place, Order order,
                         std::shared_ptr<Scheduled const> made) {
    std::size_t const tasks = tasks_of(*made);
    MutexLock const lock(mutex_);
    if (tasks > room_ || found(plan, place, order)) return;
    room_ -= tasks;
    kept_.push_back({plan, place, order, std::move(made)});
}

}  // namespace ein::scheduler
