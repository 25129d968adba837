#include "apps/einplan/sweep.hpp"

#include "lib/base/error.hpp"

namespace ein::apps {

std::vector<SweepRow> sweep(EinplanOptions const& options, PreparedGraph const& prepared, Machines const& machines) {
    if (!options.plan_in.empty()) throw UsageError("--sweep: expected no --plan-in: a plan is for one rank count");
    if (!options.plan_out.empty()) throw UsageError("--sweep: expected no --plan-out: a plan is for one rank count");
    if (!options.device_memory.empty())
        throw UsageError(
            "--sweep: expected no --device-memory: the table is of the host's; give -n for one rank count");
    auto const planned_for = [&](int ranks) {
        check_mesh(prepared.graph, ranks, options.graph.string());
        PlanningOptions how = planning_options(options, machines, prepared, ranks);
        how.scheduler.memory = how.memory;              // room, though, is given where it fits
        how.memory = how.device_memory = std::nullopt;  // the table shows what would not fit
        how.scheduler.simulate = true;
        return plan_and_schedule(prepared.graph, how);
    };
    double const alone = planned_for(1).made.makespan;
    std::vector<SweepRow> rows;
    for (int ranks : options.sweep) {
        Planned const planned = planned_for(ranks);
        rows.push_back(sweep_row(planned.made.schedule, planned.made.makespan, alone, budget_of(options, machines)));
    }
    return rows;
}

}  // namespace ein::apps
