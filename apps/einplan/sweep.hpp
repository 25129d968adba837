// einplan --sweep: the same graph planned for several rank counts, each simulated, as rows of one table.
// Example: --sweep 1,2,4 of a product: three rows; the speed of one rank is what efficiencies are measured against.
#pragma once

#include "apps/einplan/planning_request.hpp"
#include "apps/einplan/screen/simulation_text.hpp"

namespace ein::apps {

/// Without memory budgets: rows show what would not fit.
/// @throws UsageError where options ask for what is of one rank count
std::vector<SweepRow> sweep(EinplanOptions const& options, PreparedGraph const& prepared, Machines const& machines);

}  // namespace ein::apps
