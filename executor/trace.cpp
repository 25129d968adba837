#include "executor/trace.hpp"

#include <cstdio>
#include <fstream>

#include "executor/task_text.hpp"
#include "lib/base/error.hpp"
#include "lib/base/json.hpp"

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

void append(std::filesystem::path const& path, int rank, bool last, schedule::Header const& header,
            schedule::Section const& section, RunResult const& result) {
    std::ofstream out(path, rank == 0 ? std::ios::trunc : std::ios::app);
    if (rank == 0) out << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    out << Json{{"name", "process_name"},
                {"ph", "M"},
                {"pid", rank},
                {"args", {{"name", "rank " + std::to_string(rank)}}}}
               .dump();
    for (std::size_t lane = 0; lane < result.workers.size(); ++lane) {
        out << ",\n" << lane_name(rank, lane, lane + 1 == result.workers.size()).dump();
        for (TaskEvent const& event : result.workers[lane].events)
            out << ",\n" << event_of(event, result.began, rank, lane, header, section).dump();
    }
    out << (last ? "\n]}\n" : ",\n") << std::flush;
    if (!out)
        throw RunError("--trace " + path.string() +
                       ": expected a file that can be written; choose another place or free space");
}

}  // namespace

void write_trace(std::filesystem::path const& path, Transport& transport, schedule::Header const& header,
                 schedule::Section const& section, RunResult const& result) {
    for (int rank = 0; rank < transport.size(); ++rank) {
        if (Rank{rank} == transport.rank()) append(path, rank, rank + 1 == transport.size(), header, section, result);
        transport.barrier();
    }
}

}  // namespace ein::executor
