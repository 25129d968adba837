#include "executor/trace/trace.hpp"

#include <algorithm>
#include <cmath>

#include "executor/agreement.hpp"
#include "executor/trace/rank_trace.hpp"
#include "lib/base/replaced_file.hpp"

namespace ein::executor {

namespace {

/// The moment on rank 0's clock at which the first rank began: a trace's time 0.
double origin_of(Transport& transport, double mine) {
    char text[40];
    std::snprintf(text, sizeof text, "%a", mine);
    double first = mine;
    for (std::string const& began : transport.all_gather(text))
        first = std::min(first, std::strtod(began.c_str(), nullptr));
    return first;
}

std::vector<Event> whole_tasks(std::vector<Lane> const& lanes) {
    std::vector<Event> out;
    for (Lane const& lane : lanes) out.insert(out.end(), lane.events.begin(), lane.events.end());
    return out;
}

std::string clock_label(double error) {
    char text[64] = "";
    if (error > 0) std::snprintf(text, sizeof text, "clock within %.3g us of rank 0's", error * 1e6);
    return text;
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
    text.process(rank, "rank " + std::to_string(rank), rank, clock_label(clock.error()));
    trace.phases(parts.record.phases(), static_cast<int>(lanes.size()));
    trace.lanes(lanes);
    trace.arrows(lanes, rounds, links);
    trace.counters(count(parts.section, links, rounds));
}

}  // namespace

void write_trace(std::filesystem::path const& path, Transport& transport, TraceParts const& parts) {
    ReplacedFile const file("--trace", path);
    int const self = transport.rank().value(), last = transport.size() - 1;
    promise(!parts.record.phases().empty(), "a run that kept no record is traced");
    double const origin = origin_of(transport, parts.clock(parts.record.phases().front().begin));
    agree(transport, [&] {
        if (self == 0) file.create();
    });
    for (int rank = 0; rank <= last; ++rank)
        agree(transport, [&] {
            if (rank != self) return;
            TraceText text([&](std::string_view piece) { file.append(piece); });
            text.raw(self == 0 ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" : ",\n");
            write_rank(text, self, origin, parts);
            if (self == last) text.raw("\n]}\n");
            text.flush();
        });
    agree(transport, [&] {
        if (self == 0) file.publish();
    });
}

}  // namespace ein::executor
