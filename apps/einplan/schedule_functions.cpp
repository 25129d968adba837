#include "apps/einplan/schedule_functions.hpp"

#include <algorithm>
#include <numeric>

#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "planner/optimizer/search.hpp"
#include "planner/search/cut_by_weight.hpp"
#include "scheduler/kept_schedules.hpp"
#include "scheduler/loaded_again.hpp"
#include "scheduler/simulate/plan_bound.hpp"

namespace ein::apps {
namespace {

using planner::optimizer::Candidate;
using planner::optimizer::Choices;
using planner::optimizer::Effort;
using planner::optimizer::Functions;
using planner::optimizer::NodeOrder;

/// Tasks of schedules that one search keeps to see them again: 50 MB or so.
constexpr std::size_t tasks_kept = 500'000;

scheduler::SchedulerOptions scheduler_options(PlanningOptions const& options, Choices const& choices,
                                              relation::Plan const& plan) {
    scheduler::SchedulerOptions out = options.scheduler;
    out.place = choices.place;
    if (options.memory) out.memory = options.memory;
    if (choices.order == NodeOrder::least_memory) out.order = scheduler::Order::least_memory;
    if (choices.effort == Effort::quick) out.search = false;
    if (options.device_memory) {
        out.fusion = std::nullopt;     // such devices run no kernels piece by piece
        out.take_over = std::nullopt;  // and write over nothing
    }
    if (choices.effort == Effort::glance) {
        if (out.place == "best") out.place = relation::used_ranks(plan) == 1 ? "pattern" : "greedy";
        out.simulate = true;
    }
    bool const is_compared =
        planner::optimizer::calls_of(plan) <= planner::optimizer::Limits{}.most_searched_calls;  // by its time
    if (options.wide) out.verify = false, out.simulate = out.simulate || is_compared;
    return out;
}

Candidate candidate_of(Planned planned) {
    std::vector<std::int64_t> const again = scheduler::loaded_again(planned.made.schedule);
    Candidate out{{.seconds = planned.made.makespan,
                   .busiest_bytes = scheduler::busiest_bytes(planned.made.schedule),
                   .bytes = planned.moved() + std::accumulate(again.begin(), again.end(), std::int64_t{0}),
                   .peak = planned.peak()}};
    for (schedule::Section const& section : planned.made.schedule.sections)
        out.work += static_cast<double>(section.tasks.size());
    std::vector<double> const& held_up = planned.made.held_up.list();
    if (!held_up.empty()) out.held_up = std::make_shared<std::vector<double> const>(held_up);
    out.busy_ranks = planned.busy_ranks();
    out.payload = std::make_shared<Planned>(std::move(planned));
    return out;
}

Candidate scheduled(graph::EinGraph const& graph, relation::Plan plan, scheduler::SchedulerOptions const& options,
                    scheduler::KeptSchedules& kept) {
    Planned out{std::move(plan), {}, {}, {}};
    out.made = scheduler::schedule_plan(graph, out.plan, options, &kept);
    for (std::size_t node = 0; node < out.plan.nodes.size(); ++node) out.plan.nodes[node].ranks = out.made.ranks[node];
    return candidate_of(std::move(out));
}

bool says_ranks(relation::Plan const& plan) {
    return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](auto const& node) { return !node.ranks.empty(); });
}

/// Keeping to what was asked for: a plan that says itself where calls go overrides a placement.
std::vector<relation::Plan> rivals(graph::EinGraph const& graph, Choices const& choices, relation::Plan const& first) {
    std::vector<relation::Plan> plans = planner::other_plans(graph, choices.planner, first);
    if (choices.place != "best") std::erase_if(plans, says_ranks);
    return plans;
}

/// Of a plan and the same cut by weight: the second where it gains more time than simulations err, and where it moves
/// no more and they cannot tell.
Candidate faster(Candidate even, Candidate weighted) {
    double const error = planner::optimizer::simulation_error;
    bool const gains = weighted.cost.seconds < (1 - error) * even.cost.seconds;
    bool const moves_alike = weighted.cost.busiest_bytes <= even.cost.busiest_bytes + even.cost.busiest_bytes / 20;
    bool const is_alike = weighted.cost.seconds <= (1 + error) * even.cost.seconds;
    return gains || (moves_alike && is_alike) ? std::move(weighted) : std::move(even);
}

/// Messages between nodes and bytes to and from disk, one after another, by the rates of the cluster.
Candidate spilled(Candidate const& candidate, std::int64_t budget, scheduler::Cluster const& cluster) {
    Planned out = planned_of(candidate);
    out.made.schedule = schedule::with_spills(std::move(out.made.schedule), budget);
    schedule::DiskUse const use = schedule::disk_use(out.made.schedule);
    double const seconds = static_cast<double>(out.moved()) / cluster.between.bandwidth +
                           static_cast<double>(use.written + use.read) / cluster.disk;
    Candidate made = candidate_of(std::move(out));
    made.cost.seconds = seconds;
    return made;
}

/// For the search among all plans.
void add_wide(Functions& out, graph::EinGraph const& graph, PlanningOptions const& options) {
    out.alternatives = [&](Choices const& choices, relation::Plan const& first) {
        auto list = planner::alternatives(graph, choices.planner, first);
        if (choices.place != "best")
            std::erase_if(list, [](planner::Alternative const& each) { return says_ranks(each.plan); });
        return list;
    };
    out.on_fewer_ranks = [&](Choices const& choices, std::string const& strategy, int used) {
        return planner::on_fewer_ranks(graph, choices.planner, strategy, used);
    };
    out.fewer_ranks = planner::fewer_ranks;
    out.nearly_all_ranks = planner::nearly_all_ranks;
    out.variations = [&](relation::Plan const& plan, std::vector<planner::Alternative> const& others,
                         std::size_t most) { return planner::variations(graph, plan, others, most); };
    auto const bound = std::make_shared<scheduler::PlanBound>(graph, options.scheduler.cluster);
    out.bound = [bound](relation::Plan const& plan) { return bound->of(plan); };
    out.bound_beside = [bound](auto const& varied, auto const& known, double seconds, auto const& held_up) {
        return bound->beside(varied, known, seconds, held_up);
    };
    out.floor = [bound, ranks = options.planner.ranks, calls = planner::optimizer::calls_asked(options.planner)] {
        return bound->of_any(ranks, calls);
    };
}

}  // namespace

Planned& planned_of(Candidate const& candidate) { return *std::static_pointer_cast<Planned>(candidate.payload); }

Functions schedule_functions(graph::EinGraph const& graph, PlanningOptions const& options,
                             std::optional<relation::Plan> const& given) {
    Functions out;
    out.plan = [&](Choices const& choices) { return given ? *given : planner::plan(graph, choices.planner); };
    out.rivals = [&](Choices const& choices, relation::Plan const& first) {
        return given ? std::vector<relation::Plan>{} : rivals(graph, choices, first);
    };
    out.moved = [&](std::vector<relation::Plan> const& plans) { return planner::moved_by_model(graph, plans); };
    auto const kept = std::make_shared<scheduler::KeptSchedules>(tasks_kept);
    out.schedule = [&, kept](relation::Plan plan, Choices const& choices) {
        scheduler::SchedulerOptions const how = scheduler_options(options, choices, plan);
        std::optional<relation::Plan> weighted;
        if (!given && choices.place == "best") weighted = planner::cut_by_weight(graph, plan, how.listed);
        Candidate even = scheduled(graph, std::move(plan), how, *kept);
        return weighted ? faster(std::move(even), scheduled(graph, std::move(*weighted), how, *kept)) : even;
    };
    out.smallest_budget = [](Candidate const& candidate) {
        return schedule::smallest_budget(planned_of(candidate).made.schedule);
    };
    out.spill = [&](Candidate const& candidate, std::int64_t budget) {
        return spilled(candidate, budget, options.scheduler.cluster);
    };
    out.working_set = [](Candidate const& candidate) { return planned_of(candidate).working_set(); };
    if (options.wide) add_wide(out, graph, options);
    return out;
}

}  // namespace ein::apps
