#include "apps/einplan/planning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/einplan/schedule_functions.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/counted.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/schedule/device/device_memory.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "planner/optimizer/optimize.hpp"
#include "scheduler/simulate/simulate.hpp"

namespace ein::apps {
namespace {

using namespace planner::optimizer;

std::string size_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

/// What all ranks together hold at least: every input before the first kernel call, every output after the last.
std::int64_t least_held(graph::EinGraph const& graph) {
    std::int64_t inputs = 0, outputs = 0;
    auto const bytes_of = [&](ValueId id) {
        graph::Value const& value = graph.value(id);
        if (!value.listing) return value.bytes();
        return static_cast<std::int64_t>(value.listing->listed.value_or(0)) *
               static_cast<std::int64_t>(size_of(value.dtype));
    };
    for (graph::Leaf const& leaf : graph.leaves) inputs += bytes_of(leaf.value);
    for (ValueId output : graph.outputs) outputs += bytes_of(output);
    return std::max(inputs, outputs);
}

/// Seconds that the user gives are counted as work, so that the same plan comes of them on every machine.
Limits limits_of(PlanningOptions const& options) {
    Limits out;
    if (options.planner.time_limit > 0) {
        out.most_work = options.planner.time_limit * out.work_a_second;
        out.share_of_run = 0;
    }
    return out;
}

Question question_of(graph::EinGraph const& graph, PlanningOptions const& options, bool parts_are_given) {
    std::vector<std::string> placers = scheduler::placer_names();
    std::erase_if(placers, [](std::string const& name) { return name == "best" || name == "ia"; });
    return {.asked = {.planner = options.planner, .place = options.scheduler.place},
            .placers = std::move(placers),
            .memory = options.memory,
            .device_memory = options.device_memory,
            .nodes = graph.nodes.size(),
            .parts_are_given = parts_are_given,
            .wide = options.wide && !parts_are_given,
            .ranks_are_given = !graph.mesh.empty(),
            .least_held = least_held(graph),
            .room = room_of(options.scheduler.cluster),
            .limits = limits_of(options)};
}

std::string price(Cost const& before, Cost const& after) {
    std::int64_t const more = after.bytes - before.bytes;
    if (more <= 0) return "moves no more bytes";
    double const part = static_cast<double>(more) / static_cast<double>(before.bytes);
    return "moves " + size_text(more) + " more" +
           (before.bytes > 0 ? " (+" + std::to_string(std::llround(100 * part)) + " %)" : "");
}

std::string note_of(Compromise const& compromise, PlanningOptions const& options, schedule::Schedule const& schedule) {
    std::string const what = compromise.what, cost = price(compromise.before, compromise.after);
    switch (compromise.kind) {
        case Compromise::Kind::variant:
            return "to fit in " + size_text(*options.memory) + " instead of " + size_text(compromise.needed) +
                   " a rank: " + what + "; " + cost;
        case Compromise::Kind::sliced:
            return "to fit each kernel call in " + size_text(*options.device_memory) + " of device memory instead of " +
                   size_text(compromise.needed) + ": " + what + "; " + cost;
        case Compromise::Kind::spilled: break;
    }
    schedule::DiskUse const use = schedule::disk_use(schedule);
    return "to fit in " + size_text(*options.memory) + " a rank: " + (what.empty() ? "" : what + ", and ") +
           "blocks spill to disk; writes " + size_text(use.written) + " and reads " + size_text(use.read) +
           " there; einrun wants --spill-dir" +
           (compromise.enough_ranks > 0 ? "; with -n " + std::to_string(compromise.enough_ranks) + " nothing need spill"
                                        : "");
}

void check(schedule::Schedule const& schedule, std::string const& who) {
    auto const faults = schedule::faults_of(schedule);
    promise(faults.empty(), who + " made an unsound schedule: " + (faults.empty() ? "" : faults.front()));
}

/// A schedule that spills is checked and timed anew.
void finish_spilled(Planned& planned, scheduler::Cluster const& cluster) {
    schedule::Schedule const& schedule = planned.made.schedule;
    check(schedule, "spilling");
    if (planned.made.makespan > 0) planned.made.makespan = simulated_seconds(schedule, cluster);
}

/// What becomes of each answer.
struct Conclude {
    PlanningOptions const& options;
    bool parts_are_given;

    Planned operator()(Chosen const& chosen) const {
        Planned planned = std::move(planned_of(chosen.candidate));
        planned.report = chosen.report;
        if (options.wide) check(planned.made.schedule, "the search");  // its schedules were not checked one by one
        if (!chosen.compromises.empty()) planned.report.fits = false;
        for (Compromise const& compromise : chosen.compromises) {
            if (compromise.kind == Compromise::Kind::spilled) finish_spilled(planned, options.scheduler.cluster);
            planned.notes.push_back(note_of(compromise, options, planned.made.schedule));
        }
        return planned;
    }

    [[noreturn]] Planned operator()(NothingFits const& found) const {
        std::string const ranks = std::to_string(found.enough_ranks);
        throw MemoryError(
            options.memory_from + ": expected a schedule that fits in " + size_text(*options.memory) + " a rank on " +
            counted(options.planner.ranks, "rank") + ", found that the smallest that was found" +
            (found.spills ? ", its blocks spilled to disk, needs " : " needs ") +
            format_exact_bytes(found.smallest_budget) + "; give --memory " + std::to_string(found.smallest_budget) +
            "B or more" +
            (found.enough_ranks > 0
                 ? ", or more ranks: with -n " + ranks + (found.spills ? " nothing need spill" : " it fits")
                 : ""));
    }

    [[noreturn]] Planned operator()(CallTooLarge const& found) const {
        schedule::Schedule const& schedule = planned_of(found.smallest).made.schedule;
        auto const largest =
            std::max_element(schedule.sections.begin(), schedule.sections.end(), [](auto const& a, auto const& b) {
                return schedule::largest_working_set(a).bytes < schedule::largest_working_set(b).bytes;
            });
        schedule::check_device_memory(schedule.header, *largest, *options.device_memory,
                                      parts_are_given
                                          ? "give more with --device-memory, or plan again without --plan-in"
                                          : "give more with --device-memory, or use more ranks");
        throw InternalError("a working set that does not fit is not found again");
    }
};

}  // namespace

std::int64_t Planned::peak() const {
    auto const& peaks = made.schedule.header.prediction.peak_bytes;
    return *std::max_element(peaks.begin(), peaks.end());
}

int Planned::busy_ranks() const {
    int busy = 0;
    for (schedule::Section const& section : made.schedule.sections) busy += section.idle() ? 0 : 1;
    return std::max(1, busy);
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
    throw InputError(Fault{file, "/mesh", "a mesh of " + counted(ranks, "rank"),
                           axes + ", which is " + std::to_string(graph::rank_count(graph.mesh)),
                           "plan for that many, or change the mesh"});
}

Planned plan_and_schedule(graph::EinGraph const& graph, PlanningOptions const& options,
                          std::optional<relation::Plan> const& given) {
    Question const question = question_of(graph, options, given.has_value());
    Functions const functions = schedule_functions(graph, options, given);
    return std::visit(Conclude{options, given.has_value()}, optimize(question, functions));
}

}  // namespace ein::apps
