#include "executor/trace/trace.hpp"

#include <algorithm>
#include <cmath>

#include "executor/startup/agreement.hpp"
#include "executor/trace/rank_trace.hpp"
#include "lib/base/files/replaced_file.hpp"
#include "lib/base/json.hpp"
#include "lib/schedule/memory/replay.hpp"

namespace ein::executor {

namespace {

/// The moment on rank 0's clock at which the first rank was at this point.
double first_of_all(Transport& transport, double mine) {
    char text[40];
    std::snprintf(text, sizeof text, "%a", mine);
    double first = mine;
    for (std::string const& began : transport.all_gather(text))
        first = std::min(first, std::strtod(began.c_str(), nullptr));
    return first;
}

double begin_of(schedule::Phase phase, TraceParts const& parts) {
    auto const& phases = parts.record.phases();
    auto const first =
        std::find_if(phases.begin(), phases.end(), [&](PhaseSpan const& span) { return span.phase == phase; });
    promise(first != phases.end(), "a run that kept no record is traced");
    return parts.clock(first->begin);
}

std::vector<Event> whole_tasks(std::vector<Lane> const& lanes) {
    std::vector<Event> out;
    for (Lane const& lane : lanes) out.insert(out.end(), lane.events.begin(), lane.events.end());
    return out;
}

using LoopIterations = Table<schedule::LoopSpecId, std::int64_t>;

/// Of all ranks: one without tasks in a loop knows of none. Nothing of a run that did a part of its tasks.
std::optional<LoopIterations> iterations_of_all(Transport& transport, TraceParts const& parts) {
    Json const mine{{"iterations", parts.iterations.list()}, {"whole", !parts.stopped && !parts.record.resumed()}};
    LoopIterations out(parts.header.loops.size(), 0);
    bool whole = true;
    for (std::string const& text : transport.all_gather(mine.dump())) {
        Json const of_rank = Json::parse(text);
        whole = whole && of_rank.at("whole").get<bool>();
        Json const& of_loops = of_rank.at("iterations");
        for (schedule::LoopSpecId l : out.ids())
            if (at(l) < of_loops.size()) out[l] = std::max(out[l], of_loops[at(l)].get<std::int64_t>());
    }
    return whole ? std::optional(std::move(out)) : std::nullopt;
}

std::string rank_label(TraceParts const& parts) {
    char clock[64] = "";
    if (double const error = parts.clock.error(); error > 0)
        std::snprintf(clock, sizeof clock, "clock within %.3g us of rank 0's", error * 1e6);
    std::string label = clock;
    auto const add = [&](std::string_view note) { (label += label.empty() ? "" : "; ") += note; };
    if (parts.shared_cores) add(shares_cores);
    if (parts.lost_cores) add(lost_cores);
    return label;
}

void write_rank(TraceText& text, int rank, double origin, TraceParts const& parts) {
    ClockLine const& clock = parts.clock;
    RankTrace trace(text, parts.header, parts.section, rank,
                    [&](double mine) { return static_cast<Ticks>(std::llround((clock(mine) - origin) * 1e9)); });
    std::vector<std::vector<Event>> workers;
    for (EventLog const& log : parts.record.workers()) workers.push_back(log.all());
    std::vector<Lane> const lanes = lanes_of(parts.section, std::move(workers), parts.record.transfers().all());
    std::vector<RoundEvents> const rounds = rounds_of(parts.record.phases(), whole_tasks(lanes));
    schedule::TaskLinks const links(parts.section);
    text.process(rank, "rank " + std::to_string(rank), 2 * rank + 1, rank_label(parts));
    trace.phases(parts.record.phases(), parts.record.checkpoints(), static_cast<int>(lanes.size()));
    trace.lanes(lanes);
    trace.arrows(lanes, rounds, links);
    if (parts.record.resumed()) return;  // what is held then no task of this run has made
    trace.counters(count(parts.section, links, rounds, parts.record.iterations()));
}

/// What each of a rank's tasks computes, and how long it takes at least: what eintool trace compares a run with.
class TaskLimits {
public:
    TaskLimits(Forecast const& forecast, schedule::Section const& section)
        : forecast_(forecast), section_(section), operations_(section.tasks.size(), 0.0) {
        schedule::Runs const once(section, schedule::IterationCounts(section.loops.size(), 1));
        schedule::visit_flops(forecast.schedule.header, section, once,
                              [&](TaskId task, schedule::KernelId, double flops) { operations_[task] += flops; });
    }
    std::string operator()(TaskId task) const {
        if (!forecast_.least_seconds) return "";
        char text[80];
        std::snprintf(text, sizeof text, ",\"operations\":%.17g,\"limit_us\":%.6g", operations_[task],
                      forecast_.least_seconds(section_, section_.tasks[task]) * 1e6);
        return text;
    }

private:
    Forecast const& forecast_;
    schedule::Section const& section_;
    Table<TaskId, double> operations_;
};

/// A process a rank, above the rank's own.
void write_forecast(TraceText& text, double begin, Forecast const& forecast,
                    std::optional<LoopIterations> const& iterations) {
    int const ranks = forecast.schedule.header.ranks;
    for (int rank = 0; rank < ranks; ++rank) {
        schedule::Section const& section = forecast.schedule.sections[Rank{rank}];
        RankTrace trace(text, forecast.schedule.header, section, ranks + rank,
                        [&](double time) { return static_cast<Ticks>(std::llround((begin + time) * 1e9)); });
        text.process(ranks + rank,
                     "rank " + std::to_string(rank) + ", predicted" +
                         (forecast.schedule.header.loops.empty() ? "" : ", one iteration of each loop"),
                     2 * rank, "on " + forecast.machines);
        if (rank == 0 && iterations && forecast.seconds) text.prediction(ranks, forecast.seconds(*iterations));
        TaskLimits const limits(forecast, section);
        trace.lanes(lanes_of(section, forecast.tasks[static_cast<std::size_t>(rank)]), 0, limits);
    }
}

}  // namespace

void write_trace(std::filesystem::path const& path, Transport& transport, TraceParts const& parts,
                 std::function<Forecast()> const& forecast) {
    ReplacedFile file("--trace", path);
    int const self = transport.rank().value(), last = transport.size() - 1;
    double const origin = first_of_all(transport, begin_of(schedule::Phase::load, parts));
    double const executes = first_of_all(transport, begin_of(schedule::Phase::execute, parts));
    agree(transport, [&] {
        if (self == 0) file.create();
    });
    std::optional<LoopIterations> const iterations = iterations_of_all(transport, parts);
    std::string const temporary = transport.all_gather(file.temporary_name()).front();
    for (int rank = 0; rank <= last; ++rank)
        agree(transport, [&] {
            if (rank != self) return;
            if (self != 0) file.take_over(temporary);
            TraceText text([&](std::string_view piece) { file.append(piece); });
            text.raw(self == 0 ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" : ",\n");
            write_rank(text, self, origin, parts);
            if (self == 0) write_forecast(text, executes - origin, forecast(), iterations);
            if (self == last) text.raw("\n]}\n");
            text.flush();
            file.hand_over();
        });
    agree(transport, [&] {
        if (self == 0) file.publish();
    });
}

}  // namespace ein::executor
