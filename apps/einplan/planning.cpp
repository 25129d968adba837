#include "apps/einplan/planning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/einplan/spilling.hpp"
#include "lib/base/error.hpp"
#include "lib/base/sizes.hpp"
#include "lib/schedule/device/device_memory.hpp"
#include "planner/strategies/strategies.hpp"

namespace ein::apps {
namespace {

/// One way to plan, and what is said of it when it is taken.
struct Way {
    std::string what;
    PlanningOptions options;
};
using Rung = std::vector<Way>;

constexpr int most_slices = 16;                    // kernel calls of a node for each that was asked for
constexpr std::int64_t most_device_slices = 4096;  // for a device's memory
constexpr int fruitless = 3;                       // times that calls are doubled without any needing less

/// Cheapest first: what moves no more bytes comes before what does.
std::vector<Rung> ladder(PlanningOptions const& base, bool parts_are_given) {
    PlanningOptions saving = base;
    saving.scheduler.order = scheduler::Order::least_memory;
    saving.scheduler.search = false;  // a ladder schedules hundreds of times
    std::vector<Rung> rungs{{{"its nodes in the order of least memory", saving}}};
    Rung placements;
    for (std::string const& place : scheduler::placer_names()) {
        PlanningOptions other = saving;
        other.scheduler.place = place;
        if (place != base.scheduler.place && place != "best" && place != "ia")
            placements.push_back({"placed by " + place, other});
    }
    rungs.push_back(placements);
    if (parts_are_given) return rungs;
    Rung decompositions;
    for (std::string const& name : planner::strategy_names()) {
        PlanningOptions other = saving;
        other.planner.decompose = name;
        if (name != base.planner.decompose) decompositions.push_back({"decomposed by " + name, other});
    }
    rungs.push_back(decompositions);
    std::int64_t const calls = base.planner.calls > 0 ? base.planner.calls : base.planner.ranks;
    for (std::int64_t factor = 2; factor <= most_slices; factor *= 2) {
        PlanningOptions other = saving;
        other.planner.calls = calls * factor;
        rungs.push_back(
            {{"its labels sliced into " + std::to_string(other.planner.calls) + " kernel calls a node", other}});
    }
    return rungs;
}

Planned scheduled(graph::EinGraph const& graph, relation::Plan plan, scheduler::SchedulerOptions const& options) {
    Planned out{std::move(plan), {}, {}};
    out.made = scheduler::schedule_plan(graph, out.plan, options);
    for (std::size_t node = 0; node < out.plan.nodes.size(); ++node) out.plan.nodes[node].ranks = out.made.ranks[node];
    return out;
}

/// What a plan must move for others to be looked at.
constexpr std::int64_t much_moved = std::int64_t{16} << 20;

/// More kernel calls than this are scheduled once: for one plan.
constexpr double most_calls = 1e6;

double calls_of(relation::Plan const& plan) {
    return static_cast<double>(plan.nodes.size()) * static_cast<double>(plan.calls);
}

/// Fewer bytes through the busiest rank, and not slower by more than simulations err (where they were simulated).
bool moves_less(scheduler::Scheduled const& a, scheduler::Scheduled const& b) {
    return scheduler::busiest_bytes(a.schedule) < scheduler::busiest_bytes(b.schedule) &&
           a.makespan <= 1.05 * b.makespan;
}

/// Plans beside the first that keep to what was asked for: a plan that says itself where calls go overrides a placement.
std::vector<relation::Plan> others(graph::EinGraph const& graph, PlanningOptions const& options,
                                   relation::Plan const& first) {
    std::vector<relation::Plan> plans = planner::other_plans(graph, options.planner, first);
    auto says_ranks = [](relation::Plan const& plan) {
        return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](auto const& node) { return !node.ranks.empty(); });
    };
    if (options.scheduler.place != "best") std::erase_if(plans, says_ranks);
    return plans;
}

/// The schedule of the plan that is asked for; where that moves much, of the best one among those that do the same.
Planned attempt(graph::EinGraph const& graph, PlanningOptions const& options,
                std::optional<relation::Plan> const& given) {
    if (given) return scheduled(graph, *given, options.scheduler);
    relation::Plan const first = planner::plan(graph, options.planner);
    if (calls_of(first) > most_calls) {
        std::vector<relation::Plan> plans = others(graph, options, first);
        plans.insert(plans.begin(), first);
        return scheduled(graph, planner::least_moving(graph, std::move(plans)), options.scheduler);
    }
    Planned best = scheduled(graph, first, options.scheduler);
    if (best.moved() < much_moved) return best;
    for (relation::Plan& plan : others(graph, options, first)) {
        Planned here = scheduled(graph, std::move(plan), options.scheduler);
        if (moves_less(here.made, best.made)) best = std::move(here);
    }
    return best;
}

std::string price(Planned const& before, Planned const& now) {
    double const more = static_cast<double>(now.moved() - before.moved());
    if (more <= 0) return "moves no more bytes";
    return "moves " + format_bytes(more) + " more" +
           (before.moved() > 0
                ? " (+" + std::to_string(std::llround(100 * more / static_cast<double>(before.moved()))) + " %)"
                : "");
}

/// What all ranks together hold at least: every input before the first kernel call, every output after the last.
std::int64_t least_held(graph::EinGraph const& graph) {
    std::int64_t inputs = 0, outputs = 0;
    for (graph::Leaf const& leaf : graph.leaves) inputs += graph.value(leaf.value).bytes();
    for (ValueId output : graph.outputs) outputs += graph.value(output).bytes();
    return std::max(inputs, outputs);
}

/// The least memory that the ways which save most of it need; the whole ladder would take minutes for each rank count.
std::int64_t least_peak(graph::EinGraph const& graph, PlanningOptions options) {
    options.scheduler.order = scheduler::Order::least_memory;
    std::int64_t const whole = attempt(graph, options, std::nullopt).peak();
    if (whole <= *options.memory) return whole;
    options.planner.calls = std::int64_t{most_slices} * options.planner.ranks;
    return std::min(whole, attempt(graph, options, std::nullopt).peak());
}

/// A number of ranks with which the budget is kept: doubled until one does, then halved in between. 0: none was found.
int enough_ranks(graph::EinGraph const& graph, PlanningOptions options) {
    std::int64_t const most = std::min(std::int64_t{256}, room_of(options.scheduler.cluster).value_or(256));
    std::int64_t const first = least_held(graph) / std::max(std::int64_t{1}, *options.memory);
    if (first >= most) return 0;
    options.scheduler.search = false;
    auto fits = [&](int ranks) {
        options.planner.ranks = ranks;
        options.planner.calls = 0;
        return least_peak(graph, options) <= *options.memory;
    };
    int low = std::max(options.planner.ranks, static_cast<int>(first)), high = low;
    do {
        if (high >= most) return 0;
        low = high;
        high = static_cast<int>(std::min(most, std::int64_t{2} * high));
    } while (!fits(high));
    while (high - low > 1) {
        int const middle = low + (high - low) / 2;
        (fits(middle) ? high : low) = middle;
    }
    return high;
}

[[noreturn]] void refuse(graph::EinGraph const& graph, PlanningOptions const& options, std::int64_t least,
                         bool parts_are_given) {
    int const ranks = parts_are_given || !graph.mesh.empty() ? 0 : enough_ranks(graph, options);
    throw MemoryError(options.memory_from + ": expected a schedule that fits in " +
                      format_bytes(static_cast<double>(*options.memory)) + " a rank on " +
                      std::to_string(options.planner.ranks) +
                      " ranks, found that the smallest, its blocks spilled to disk, needs " +
                      format_exact_bytes(least) + "; give --memory " + std::to_string(least) + " or more" +
                      (ranks > 0 ? ", or more ranks: with -n " + std::to_string(ranks) + " nothing need spill" : ""));
}

}  // namespace

std::int64_t Planned::peak() const {
    auto const& peaks = made.schedule.header.prediction.peak_bytes;
    return *std::max_element(peaks.begin(), peaks.end());
}

std::int64_t Planned::moved() const {
    auto const& sent = made.schedule.header.prediction.bytes_sent;
    return std::accumulate(sent.begin(), sent.end(), std::int64_t{0});
}

std::int64_t Planned::working_set() const {
    std::int64_t out = 0;
    for (schedule::Section const& section : made.schedule.sections)
        out = std::max(out, schedule::largest_working_set(section).bytes);
    return out;
}

void check_mesh(graph::EinGraph const& graph, int ranks, std::string const& file) {
    if (graph.mesh.empty() || graph::rank_count(graph.mesh) == ranks) return;
    std::string axes;
    for (graph::MeshAxis const& axis : graph.mesh)
        axes += (axes.empty() ? "" : " x ") + axis.name + ":" + std::to_string(axis.size);
    throw InputError(Fault{file, "/mesh", "a mesh of " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"),
                           axes + ", which is " + std::to_string(graph::rank_count(graph.mesh)),
                           "plan for that many, or change the mesh"});
}

namespace {

Planned fitting_host(graph::EinGraph const& graph, PlanningOptions const& options,
                     std::optional<relation::Plan> const& given) {
    Planned first = attempt(graph, options, given);
    if (!options.memory || first.peak() <= *options.memory) return first;
    std::int64_t least = first.peak();
    CheapestSpill spilled(options);
    spilled.consider(first, "");
    for (Rung const& rung : ladder(options, given.has_value())) {
        std::optional<Planned> best;
        std::string what;
        for (Way const& way : rung) {
            Planned here = attempt(graph, way.options, given);
            least = std::min(least, here.peak());
            if (!best && here.peak() > *options.memory) spilled.consider(here, way.what);
            if (here.peak() > *options.memory || (best && best->moved() <= here.moved())) continue;
            best = std::move(here);
            what = way.what;
        }
        if (!best) continue;
        best->notes.push_back("to fit in " + format_bytes(static_cast<double>(*options.memory)) + " instead of " +
                              format_bytes(static_cast<double>(first.peak())) + " a rank: " + what + "; " +
                              price(first, *best));
        return std::move(*best);
    }
    if (auto last = spilled.take()) return std::move(*last);
    refuse(graph, options, std::min(least, spilled.smallest()), given.has_value());
}

[[noreturn]] void refuse_device(PlanningOptions const& options, Planned const& smallest, bool parts_are_given) {
    auto const& sections = smallest.made.schedule.sections;
    auto const largest = std::max_element(sections.begin(), sections.end(), [](auto const& a, auto const& b) {
        return schedule::largest_working_set(a).bytes < schedule::largest_working_set(b).bytes;
    });
    schedule::check_device_memory(smallest.made.schedule.header, *largest, *options.device_memory,
                                  parts_are_given ? "give more with --device-memory, or plan again without --plan-in"
                                                  : "give more with --device-memory, or use more ranks");
    throw InternalError("a working set that does not fit is not found again");
}

}  // namespace

/// Blocks come and go on a device, but those of one kernel call must be there together: labels are sliced until they fit.
Planned plan_and_schedule(graph::EinGraph const& graph, PlanningOptions const& options,
                          std::optional<relation::Plan> const& given) {
    Planned first = fitting_host(graph, options, given);
    if (!options.device_memory || first.working_set() <= *options.device_memory) return first;
    Planned smallest = first;
    int in_vain = 0;
    for (std::int64_t factor = 2; factor <= most_device_slices && in_vain < fruitless && !given; factor *= 2) {
        PlanningOptions sliced = options;
        sliced.planner.calls = factor * std::max<std::int64_t>(options.planner.calls, options.planner.ranks);
        if (static_cast<double>(sliced.planner.calls) * static_cast<double>(graph.nodes.size()) > most_calls) break;
        Planned here = fitting_host(graph, sliced, given);
        in_vain = here.working_set() < smallest.working_set() ? 0 : in_vain + 1;
        if (in_vain == 0) smallest = here;
        if (here.working_set() > *options.device_memory) continue;
        here.notes.push_back("to fit each kernel call in " + format_bytes(static_cast<double>(*options.device_memory)) +
                             " of device memory instead of " + format_bytes(static_cast<double>(first.working_set())) +
                             ": labels sliced into " + std::to_string(sliced.planner.calls) + " kernel calls a node; " +
                             price(first, here));
        return here;
    }
    refuse_device(options, smallest, given.has_value());
}

}  // namespace ein::apps
