#include "executor/trace.hpp"

#include "executor/agreement.hpp"
#include "executor/task_text.hpp"
#include "lib/base/json.hpp"
#include "lib/base/replaced_file.hpp"

namespace ein::executor {

namespace {

Json event_of(TaskEvent const& event, double began, int rank, std::size_t lane, schedule::Header const& header,
              schedule::Section const& section) {
    schedule::Task const& task = section.tasks[static_cast<std::size_t>(event.task.value())];
    std::string const kind(schedule::name(task.kind)), owner = owner_of(header, task);
    return {{"name", owner.empty() ? kind : kind + " " + owner},
            {"cat", kind},
            {"ph", "X"},
            {"pid", rank},
            {"tid", lane},
            {"ts", (event.begin - began) * 1e6},
            {"dur", (event.end - event.begin) * 1e6},
            {"args", {{"task", task_text(header, section, event.task)}}}};
}

Json lane_name(int rank, std::size_t lane, bool transfers) {
    return {{"name", "thread_name"},
            {"ph", "M"},
            {"pid", rank},
            {"tid", lane},
            {"args", {{"name", transfers ? "transfers" : "worker " + std::to_string(lane)}}}};
}

/// One rank's part of the file.
std::string events_text(int rank, bool last, schedule::Header const& header, schedule::Section const& section,
                        RunResult const& result) {
    std::string out = rank == 0 ? "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" : "";
    out +=
        Json{{"name", "process_name"}, {"ph", "M"}, {"pid", rank}, {"args", {{"name", "rank " + std::to_string(rank)}}}}
            .dump();
    for (std::size_t lane = 0; lane < result.workers.size(); ++lane) {
        out += ",\n" + lane_name(rank, lane, lane + 1 == result.workers.size()).dump();
        for (TaskEvent const& event : result.workers[lane].events)
            out += ",\n" + event_of(event, result.began, rank, lane, header, section).dump();
    }
    return out + (last ? "\n]}\n" : ",\n");
}

}  // namespace

void write_trace(std::filesystem::path const& path, Transport& transport, schedule::Header const& header,
                 schedule::Section const& section, RunResult const& result) {
    ReplacedFile const file("--trace", path);
    int const self = transport.rank().value(), last = transport.size() - 1;
    agree(transport, [&] {
        if (self == 0) file.create();
    });
    for (int rank = 0; rank <= last; ++rank)
        agree(transport, [&] {
            if (rank == self) file.append(events_text(self, self == last, header, section, result));
        });
    agree(transport, [&] {
        if (self == 0) file.publish();
    });
}

}  // namespace ein::executor
