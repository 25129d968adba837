// What einplan decides: a plan and the schedule made of it, in memory budgets where there are some.
// The decision is planner/optimizer's; here the scheduler is handed to it, and what it chose is put into words.
// Example: --memory 2GiB, and the plan needs 3: nodes in the order of least memory need 1.8 and move as much: taken,
// with a note.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/graph/contract/orders.hpp"
#include "planner/optimizer/optimize.hpp"
#include "planner/planner.hpp"
#include "scheduler/scheduler.hpp"

namespace ein::apps {

struct Planned {
    relation::Plan plan;  // with the ranks that the schedule gave to its calls
    scheduler::Scheduled made;
    planner::optimizer::SearchReport report;      // of the search among all plans, if there was one
    std::vector<std::string> notes;               // where it is not what was asked for, a sentence each
    std::vector<graph::OrderReport> orders = {};  // of products of many operands
    std::int64_t peak() const;                    // bytes of the rank that holds most
    std::int64_t moved() const;                   // bytes sent by all ranks
    int busy_ranks() const;                       // that have anything to do
    std::int64_t working_set() const;             // bytes that the kernel call which needs most reads and writes
};

struct PlanningOptions {
    planner::PlannerOptions planner;
    scheduler::SchedulerOptions scheduler;
    std::optional<std::int64_t> memory;              // bytes of blocks that a rank may hold
    std::string memory_from = "--memory";            // who says so, for messages
    bool wide = false;                               // search among all plans that are known, not one strategy's
    std::optional<std::int64_t> device_memory = {};  // bytes of blocks on a rank's GPU: one kernel call's must fit
};

/// @throws InputError when the graph names a mesh of another number of ranks
void check_mesh(graph::EinGraph const& graph, int ranks, std::string const& file);

/// @param given  a plan that is already decided: then only its order and, where it names no ranks, its placement may
/// change
/// @throws MemoryError when nothing fits, with the smallest budget and the smallest number of ranks that would do
Planned plan_and_schedule(graph::EinGraph const& graph, PlanningOptions const& options,
                          std::optional<relation::Plan> const& given = std::nullopt);

}  // namespace ein::apps
