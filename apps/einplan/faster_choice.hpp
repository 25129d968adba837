// Whether einplan's own choice is faster than what was given: a strategy, a number of kernel calls, a placement, a
// plan, the graph's "parts". It is planned and simulated as it would be without what was given, in the same memory, on
// as many ranks or fewer, so both times are those that the two commands print. Example: --decompose data takes 111 ms
// and moves 168 MiB; without it 17.5 ms and 5 MiB.
#pragma once

#include "apps/einplan/einplan_options.hpp"
#include "apps/einplan/planning.hpp"
#include "apps/einplan/planning_request.hpp"
#include "apps/einplan/prepare_graph.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {

struct FasterChoice {
    std::string left_out;            // "--decompose data"
    double planned = 0, chosen = 0;  // seconds that the simulator predicts
    std::int64_t moved = 0, moved_by_choice = 0;
    int ranks = 1, used = 1;  // of those it uses so many
};

/// @param simulated  of what was planned; not asked for where it is not compared
/// @return nothing where nothing was given, or the choice is not faster, does not have the memory, or was not looked
///         for: nothing can be faster by so much that it matters, or schedules are so large that it would take long
std::optional<FasterChoice> faster_choice(PreparedGraph const& prepared, EinplanOptions const& options,
                                          Machines const& machines, Planned const& planned,
                                          scheduler::SimulationOf const& simulated);

/// "without --decompose data: 17.5 ms predicted instead of 111 ms, 5 MiB moved instead of 168 MiB"
std::string to_text(FasterChoice const& choice);

}  // namespace ein::apps
