// Schedules that a search may ask for again: the same plan, placed by the same placer. Plans that come near the best
// are scheduled with one placement, then with several, then with all.
// Example: keep(plan, "greedy", order, made), then find(plan, "greedy", order) is made, find(plan, "ia", order) none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/threads/mutex.hpp"
#include "scheduler/scheduler.hpp"

namespace ein::scheduler {

/// Threads share it. The caller sees to it that all that is kept is of one graph, and made with one set of options but
/// for placer and order.
class KeptSchedules {
public:
    /// @param most_tasks  of all that is kept; where there is more, the fastest ones stay: they are asked for again
    explicit KeptSchedules(std::size_t most_tasks) : room_(most_tasks) {}

    /// What a schedule costs that was made, be it kept or not.
    std::optional<ScheduleCost> cost(relation::Plan const& plan, std::string const& place, Order order) const;
    /// Nothing where it is not kept.
    std::shared_ptr<Scheduled const> find(relation::Plan const& plan, std::string const& place, Order order) const;
    void keep(relation::Plan const& plan, std::string const& place, Order order, std::shared_ptr<Scheduled const> made);

private:
    struct Kept {
        relation::Plan plan;
        std::string place;
        Order order;
        ScheduleCost cost;
        std::shared_ptr<Scheduled const> made;  // none: there was no room
    };
    Kept const* found(relation::Plan const& plan, std::string const& place, Order order) const EIN_REQUIRES(mutex_);

    mutable Mutex mutex_;
    std::size_t room_ EIN_GUARDED_BY(mutex_);
    std::size_t left_plans_ EIN_GUARDED_BY(mutex_) = 200'000;  // nodes of plans of which the cost alone is known
    std::vector<Kept> kept_ EIN_GUARDED_BY(mutex_);
};

}  // namespace ein::scheduler
