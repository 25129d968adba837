#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <memory>

#include "lib/base/error.hpp"
#include "lib/base/threads/parallel.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/room.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "scheduler/ia/place_plan.hpp"
#include "scheduler/kept_schedules.hpp"
#include "scheduler/loaded_again.hpp"
#include "scheduler/lower/lowering.hpp"
#include "scheduler/repeat/lower_repeated.hpp"
#include "scheduler/simulate/simulate.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

using schedule::Schedule;
using schedule::Section;

/// What one section does, for the prediction.
struct Totals {
    double flops = 0;
    schedule::Exchanged exchanged;
    std::int64_t peak = 0;
};

/// Gives the section its room.
Totals totals_of(schedule::Header const& header, Section& section, std::optional<std::int64_t> memory) {
    Totals out;
    schedule::IterationCounts const iterations = schedule::predicted_iterations(header, section);
    out.exchanged = schedule::exchanged(section, iterations);
    out.flops = schedule::flops(header, section, schedule::Runs(section, iterations));
    std::int64_t const in_order = schedule::replay(section).peak;
    section.room = schedule::room_for(section, in_order, memory);
    out.peak = in_order + section.room;
    return out;
}

schedule::Prediction predict(Schedule& schedule, relation::Plan const& plan, std::optional<std::int64_t> memory) {
    schedule::Prediction out;
    for (Totals const& totals : for_each_in_parallel(schedule.sections.size(), [&](std::size_t rank) {
             return totals_of(schedule.header, schedule.sections.list()[rank], memory);
         })) {
        out.flops += totals.flops;
        out.bytes_sent.push_back(totals.exchanged.sent);
        out.bytes_received.push_back(totals.exchanged.received);
        out.messages_sent.push_back(totals.exchanged.messages_sent);
        out.peak_bytes.push_back(totals.peak);
    }
    out.worst_case_elements = plan.elements().total();
    out.worst_case_bytes = plan.bytes().total();
    return out;
}

double calls_of(relation::Plan const& plan) {
    double calls = 0;
    for (relation::NodePlan const& node : plan.nodes) calls += static_cast<double>(element_count(node.parts));
    return calls;
}

Scheduled lowered(graph::EinGraph const& graph, relation::Plan const& plan, SchedulerOptions const& options,
                  std::string const& place) {
    Scheduled out;
    schedule::Header& header = out.schedule.header;
    header.name = graph.name;
    header.ranks = plan.ranks;
    header.strategy = plan.strategy;
    header.place = !plan.nodes.empty() && std::none_of(plan.nodes.begin(), plan.nodes.end(),
                                                       [](auto const& node) { return node.ranks.empty(); })
                       ? "plan"  // it says where every kernel call goes
                       : place;
    header.params = graph.params;
    header.reproducible = options.reproducible;
    LoweringOptions how{placer(place),
                        {},
                        options.inputs,
                        options.order,
                        options.subblock_bytes,
                        options.staging,
                        suited_to(options.cluster, plan.ranks, options.split),
                        options.listed,
                        options.hull,
                        options.fusion,
                        options.messages,
                        options.take_over};
    if (place == "ia") how.decided = ia::place_plan(graph, plan).ranks;
    bool const may_repeat = !options.simulate && calls_of(plan) >= options.repeats_from;
    auto repeated = may_repeat ? lower_repeated(graph, plan, how, header) : std::nullopt;
    Lowered made = repeated ? std::move(*repeated) : lower(graph, plan, how, header);
    out.schedule.sections = std::move(made.sections);
    out.ranks = std::move(made.ranks);
    out.calls = std::move(made.calls);
    out.traffic = std::move(made.traffic);
    out.layouts = std::move(made.layouts);
    header.prediction = predict(out.schedule, plan, options.memory);
    if (options.simulate && graph.loops.empty()) {
        Simulation const run = simulate(out.schedule, options.cluster);
        out.makespan = run.makespan;
        out.held_up = held_up(out.schedule, run);
    } else if (options.simulate) {
        out.makespan = simulated_seconds(out.schedule, options.cluster);
    }
    return out;
}

/// The same schedule as before, where it is kept.
std::shared_ptr<Scheduled const> lowered_once(graph::EinGraph const& graph, relation::Plan const& plan,
                                              SchedulerOptions const& options, std::string const& place,
                                              KeptSchedules* kept) {
    auto found = kept ? kept->find(plan, place, options.order) : nullptr;
    if (found) return found;
    found = std::make_shared<Scheduled const>(lowered(graph, plan, options, place));
    if (kept) kept->keep(plan, place, options.order, found);
    return found;
}

/// Placers that may place a plan's calls each in a way of its own, "best" aside. With no more calls of a node than
/// ranks, round-robin is pattern; where the plan says itself who makes a call, all are.
std::vector<std::string> distinct_placers(relation::Plan const& plan) {
    std::int64_t const ranks = relation::used_ranks(plan);
    bool placed = true, few = true;
    for (relation::NodePlan const& node : plan.nodes) {
        placed = placed && !node.ranks.empty();
        few = few && (!node.ranks.empty() || element_count(node.parts) <= ranks);
    }
    std::vector<std::string> out = placer_names();
    std::erase(out, "best");
    if (placed) out = {"pattern"};
    if (few) std::erase(out, "round-robin");
    return out;
}

/// Every placement scheduled, the better one kept; the first where they are alike.
Scheduled best_placed(graph::EinGraph const& graph, relation::Plan const& plan, SchedulerOptions options,
                      KeptSchedules* kept) {
    options.simulate = true;
    std::vector<std::string> names = distinct_placers(plan);
    if (!options.search || graph.nodes.size() > tuning::most_searched) std::erase(names, "ia");
    struct Placed {
        ScheduleCost cost;
        std::shared_ptr<Scheduled const> made;  // none: its cost was known
    };
    auto const all = for_each_in_parallel(names.size(), [&](std::size_t k) {
        auto const known = kept ? kept->cost(plan, names[k], options.order) : std::nullopt;
        if (known) return Placed{*known, nullptr};
        auto made = lowered_once(graph, plan, options, names[k], kept);
        ScheduleCost const cost = cost_of(*made);
        return Placed{cost, std::move(made)};
    });
    std::size_t best = 0;
    for (std::size_t k = 1; k < names.size(); ++k) {
        ScheduleCost const &other = all[k].cost, &before = all[best].cost;
        // Of two that are alike the one whose meshes are neater (explain): the order in which ia deals ranks out is
        // nobody's.
        bool const alike = names[k] == "ia" && other.busiest_bytes == before.busiest_bytes &&
                           other.makespan > (1 - tuning::alike_makespans) * before.makespan;
        if (better(other, before) && !alike) best = k;
    }
    return all[best].made ? *all[best].made : *lowered_once(graph, plan, options, names[best], kept);
}

}  // namespace

std::int64_t busiest_bytes(Schedule const& schedule) {
    schedule::Prediction const& p = schedule.header.prediction;
    std::int64_t busiest = 0;
    std::vector<std::int64_t> const again = loaded_again(schedule);
    for (std::size_t rank = 0; rank < p.bytes_sent.size(); ++rank)
        busiest = std::max({busiest, p.bytes_sent[rank], p.bytes_received[rank] + again[rank]});
    return busiest;
}

ScheduleCost cost_of(Scheduled const& made) { return {made.makespan, busiest_bytes(made.schedule)}; }

bool better(ScheduleCost const& a, ScheduleCost const& b) {
    if (a.makespan < (1 - tuning::alike_makespans) * b.makespan) return true;
    if (b.makespan < (1 - tuning::alike_makespans) * a.makespan) return false;
    return a.busiest_bytes != b.busiest_bytes ? a.busiest_bytes < b.busiest_bytes
                                              : a.makespan < (1 - 1e-6) * b.makespan;
}

Scheduled schedule_plan(graph::EinGraph const& graph, relation::Plan const& plan, SchedulerOptions const& options,
                        KeptSchedules* kept) {
    bool const choose = options.place == "best";
    std::string const only = !choose ? options.place : plan.ranks == 1 ? "pattern" : "greedy";
    Scheduled out = choose && plan.ranks > 1 && calls_of(plan) <= tuning::most_calls
                        ? best_placed(graph, plan, options, kept)
                    : options.simulate ? *lowered_once(graph, plan, options, only, kept)
                                       : lowered(graph, plan, options, only);
    if (!options.verify) return out;
    auto const faults = schedule::faults_of(out.schedule);
    promise(faults.empty(), "the scheduler made an unsound schedule: " + (faults.empty() ? "" : faults.front()));
    return out;
}

Schedule make_schedule(graph::EinGraph const& graph, relation::Plan const& plan, SchedulerOptions const& options) {
    return schedule_plan(graph, plan, options).schedule;
}

}  // namespace ein::scheduler
