#include "scheduler/kept_schedules.hpp"

#include <algorithm>
#include <utility>

namespace ein::scheduler {
namespace {

/// Whether two plans have the same schedules, to the last field.
bool same_schedules(relation::Plan const& a, relation::Plan const& b) {
    return a.ranks == b.ranks && a.calls == b.calls && a.strategy == b.strategy &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [](relation::NodePlan const& x, relation::NodePlan const& y) {
                          return are_cut_alike(x, y) && x.elements == y.elements && x.bytes == y.bytes;
                      });
}

std::size_t tasks_of(Scheduled const& made) {
    std::size_t out = 0;
    for (schedule::Section const& section : made.schedule.sections) out += section.tasks.size();
    return out;
}

}  // namespace

KeptSchedules::Kept const* KeptSchedules::found(relation::Plan const& plan, std::string const& place,
                                                Order order) const {
    auto const at = std::find_if(kept_.begin(), kept_.end(), [&](Kept const& each) {
        return each.place == place && each.order == order && same_schedules(each.plan, plan);
    });
    return at == kept_.end() ? nullptr : &*at;
}

std::optional<ScheduleCost> KeptSchedules::cost(relation::Plan const& plan, std::string const& place,
                                                Order order) const {
    MutexLock const lock(mutex_);
    Kept const* const kept = found(plan, place, order);
    return kept ? std::optional(kept->cost) : std::nullopt;
}

std::shared_ptr<Scheduled const> KeptSchedules::find(relation::Plan const& plan, std::string const& place,
                                                     Order order) const {
    MutexLock const lock(mutex_);
    Kept const* const kept = found(plan, place, order);
    return kept ? kept->made : nullptr;
}

void KeptSchedules::keep(relation::Plan const& plan, std::string const& place, Order order,
                         std::shared_ptr<Scheduled const> made) {
    std::size_t const tasks = tasks_of(*made);
    ScheduleCost const cost = cost_of(*made);
    MutexLock const lock(mutex_);
    if (found(plan, place, order)) return;
    while (tasks > room_) {
        Kept* slowest = nullptr;
        for (Kept& each : kept_)
            if (each.made && (!slowest || each.cost.makespan > slowest->cost.makespan)) slowest = &each;
        if (!slowest || slowest->cost.makespan <= cost.makespan) {
            made = nullptr;
            break;
        }
        room_ += tasks_of(*slowest->made);
        slowest->made = nullptr;
    }
    if (made)
        room_ -= tasks;
    else if (std::exchange(left_plans_, left_plans_ - std::min(left_plans_, plan.nodes.size())) < plan.nodes.size())
        return;
    kept_.push_back({plan, place, order, cost, std::move(made)});
}

}  // namespace ein::scheduler
