// What may be chosen beside what was asked for, to save memory: tiers of plan variants, the cheapest tier first. A
// search takes the best variant of the first tier in which one fits.
// Example: nodes in another order | other placements | other decompositions | labels in 2 times as many slices | 4
// times | ...
#pragma once

#include <string>
#include <vector>

#include "planner/planner.hpp"

namespace ein::planner::optimizer {

enum class NodeOrder { as_asked, least_memory };
/// quick: for searches that schedule hundreds of times; glance: one placement, and its time by simulation.
enum class Effort { thorough, quick, glance };

/// From a graph and these comes one plan; from the plan and these one schedule.
struct Choices {
    PlannerOptions planner;
    std::string place;  // a placer's name; see SchedulerOptions of the scheduler
    NodeOrder order = NodeOrder::as_asked;
    Effort effort = Effort::thorough;
};

struct PlanVariant {
    std::string what;  // that is said of it when it is taken, as in "placed by greedy"
    Choices choices;
};
using Tier = std::vector<PlanVariant>;

/// What moves no more bytes comes before what does.
/// @param placers  names of all that place single nodes  @param parts_are_given  then only order and placement may
/// change
std::vector<Tier> fallback_tiers(Choices const& asked, std::vector<std::string> const& placers, bool parts_are_given,
                                 std::int64_t most_slices);

/// The tier of labels in so many kernel calls a node.
Tier sliced_tier(Choices const& asked, std::int64_t calls);

/// Kernel calls of each node that a plan is asked to have.
std::int64_t calls_asked(PlannerOptions const& options);

}  // namespace ein::planner::optimizer
