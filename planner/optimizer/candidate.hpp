// What the optimizer compares, and the functions with which its caller makes it. What a schedule is stays with the
// caller: here it is a cost and a payload that is carried along and handed back.
// Example: a test whose payload is a number: {.schedule = [](Plan plan, Choices const&) { return
// Candidate{cost_of(plan)}; }, ...}.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "planner/alternatives.hpp"
#include "planner/optimizer/compare.hpp"
#include "planner/optimizer/variants.hpp"

namespace ein::planner::optimizer {

/// A plan's schedule, or one that was made of it by spilling. Copies share the payload.
struct Candidate {
    Cost cost;
    std::shared_ptr<void> payload = nullptr;
    double work = 0;     // of making it: tasks
    int busy_ranks = 0;  // that have anything to do
    // Seconds of the run for which each value is to blame, by ValueId: made, moved or copied. None: not known.
    std::shared_ptr<std::vector<double> const> held_up = nullptr;
};

struct Functions {
    // From choices to a plan.
    std::function<relation::Plan(Choices const&)> plan;
    // Plans that are worth a schedule beside the first, of the same choices. Called only where the first moves much.
    std::function<std::vector<relation::Plan>(Choices const&, relation::Plan const& first)> rivals;
    // Bytes that each plan moves by a model, where scheduling each would take too long.
    MovedByPlans moved;
    // From a plan to a schedule, and what it costs.
    std::function<Candidate(relation::Plan, Choices const&)> schedule;
    // The least memory for which `spill` can make a schedule of this one.
    std::function<std::int64_t(Candidate const&)> smallest_budget;
    // The same work in so much memory: its blocks go to disk and come back. Its time is that of messages and disks
    // alone.
    std::function<Candidate(Candidate const&, std::int64_t budget)> spill;
    // Bytes that the kernel call which needs most reads and writes.
    std::function<std::int64_t(Candidate const&)> working_set;

    // For the search among all plans (wide_search.hpp). Those of planner/alternatives.hpp:
    std::function<std::vector<Alternative>(Choices const&, relation::Plan const& first)> alternatives = {};
    std::function<Alternative(Choices const&, std::string const& strategy, int used)> on_fewer_ranks = {};
    std::function<std::vector<int>(int ranks)> fewer_ranks = {}, nearly_all_ranks = {};
    std::function<std::vector<relation::Plan>(relation::Plan const&, std::vector<Alternative> const&, std::size_t most)>
        variations = {};
    // Seconds that no schedule of a plan, and of any plan, goes below.
    std::function<double(relation::Plan const&)> bound = {};
    std::function<double()> floor = {};
    // Seconds that a variation of a plan will hardly go below, by what holds up the schedule of that one.
    std::function<double(relation::Plan const& varied, relation::Plan const& known, double seconds,
                         std::vector<double> const& held_up)>
        bound_beside = {};
};

}  // namespace ein::planner::optimizer
