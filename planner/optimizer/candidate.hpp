// What the optimizer compares, and the functions with which its caller makes it. What a schedule is stays with the
// caller: here it is a cost and a payload that is carried along and handed back.
// Example: a test whose payload is a number: {.schedule = [](Plan plan, Choices const&) { return
// Candidate{cost_of(plan)}; }, ...}.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "planner/optimizer/compare.hpp"
#include "planner/optimizer/variants.hpp"

namespace ein::planner::optimizer {

/// A plan's schedule, or one that was made of it by spilling. Copies share the payload.
struct Candidate {
    Cost cost;
    std::shared_ptr<void> payload = nullptr;
};

struct Functions {
    // From choices to a plan.
    std::function<relation::Plan(Choices const&)> plan;
    // Plans that are worth a schedule beside the first, of the same choices. Called only where the first moves much.
    std::function<std::vector<relation::Plan>(Choices const&, relation::Plan const& first)> rivals;
    // The plan to schedule where scheduling each would take too long.
    std::function<relation::Plan(std::vector<relation::Plan>)> least_moving;
    // From a plan to a schedule, and what it costs.
    std::function<Candidate(relation::Plan, Choices const&)> schedule;
    // The least memory for which `spill` can make a schedule of this one.
    std::function<std::int64_t(Candidate const&)> smallest_budget;
    // The same work in so much memory: its blocks go to disk and come back. Its time is that of messages and disks
    // alone.
    std::function<Candidate(Candidate const&, std::int64_t budget)> spill;
    // Bytes that the kernel call which needs most reads and writes.
    std::function<std::int64_t(Candidate const&)> working_set;
};

}  // namespace ein::planner::optimizer
