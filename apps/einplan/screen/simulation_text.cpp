#include "apps/einplan/screen/simulation_text.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "lib/base/text/quantities.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::apps {
namespace {

using scheduler::RankTimes;
using scheduler::Simulation;
using scheduler::TaskSpan;

constexpr std::size_t timeline_columns = 84, rows_shown = 16, nodes_shown = 10;

template <class... Values>
std::string formatted(char const* format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

/// All ranks, or some evenly chosen ones with the first and the last.
std::vector<std::size_t> shown_ranks(std::size_t ranks) {
    std::vector<std::size_t> out;
    std::size_t const shown = std::min(ranks, rows_shown);
    for (std::size_t i = 0; i < shown; ++i) out.push_back(shown == 1 ? 0 : i * (ranks - 1) / (shown - 1));
    return out;
}

/// '#' where the rank computed for most of the column's time, else '~' where messages were under way, else '.'.
std::string timeline_of(schedule::Section const& section, Table<TaskId, TaskSpan> const& spans, double makespan) {
    std::vector<double> computing(timeline_columns, 0), moving(timeline_columns, 0);
    double const column = makespan / static_cast<double>(timeline_columns);
    for (TaskId t : spans.ids()) {
        TaskSpan const& span = spans[t];
        if (span.end < 0) continue;
        std::vector<double>& into = section.tasks[t].traits().is_transfer() ? moving : computing;
        auto const first = static_cast<std::size_t>(span.begin / column);
        for (std::size_t c = first; c < timeline_columns && static_cast<double>(c) * column < span.end; ++c)
            into[c] += std::min(span.end, static_cast<double>(c + 1) * column) -
                       std::max(span.begin, static_cast<double>(c) * column);
    }
    std::string out;
    for (std::size_t c = 0; c < timeline_columns; ++c)
        out += 2 * computing[c] >= column ? '#' : 2 * moving[c] >= column ? '~' : computing[c] > 0 ? '#' : '.';
    return out;
}

std::string seconds(double value) { return format_seconds(value); }

}  // namespace

std::string simulation_text(schedule::Schedule const& schedule, Simulation const& simulation,
                            std::string const& cluster) {
    std::string out = "simulated on " + cluster + "\n";
    bool const loops = !schedule.header.loops.empty();
    if (loops)
        out += "  all iterations  " + seconds(simulation.all_iterations) +
               "; what follows is one iteration of each loop\n";
    out += "  makespan        " + seconds(simulation.makespan) + ", ranks compute for " +
           formatted("%.1f %% of it", 100 * simulation.efficiency) + "\n";
    auto const shown = shown_ranks(simulation.ranks.size());
    if (shown.size() < simulation.ranks.size())
        out += formatted("  (%zu of %zu ranks are shown)\n", shown.size(), simulation.ranks.size());
    out += formatted("  %6s %12s %14s %12s\n", "rank", "busy", "communicating", "waiting");
    for (std::size_t rank : shown) {
        RankTimes const& times = simulation.ranks[rank];
        out += formatted("  %6zu %12s %14s %12s\n", rank, seconds(times.busy).c_str(),
                         seconds(times.communicating).c_str(), seconds(times.waiting).c_str());
    }
    if (simulation.makespan <= 0) return out;
    out += "  timeline: # computes, ~ messages only, . waits; one column is " +
           seconds(simulation.makespan / static_cast<double>(timeline_columns)) + "\n";
    for (std::size_t rank : shown)
        out += formatted("  %6zu ", rank) +
               timeline_of(schedule.sections.list()[rank], simulation.spans.list()[rank], simulation.makespan) + "\n";
    auto path = critical_path(schedule, simulation);
    path.resize(std::min(path.size(), nodes_shown));
    out += formatted("  critical path   %10s %12s %8s\n", "computing", "moving", "share");
    for (auto const& node : path)
        out += formatted("    %-18.40s %7s %12s %6.1f %%\n", node.node.c_str(), seconds(node.computing).c_str(),
                         seconds(node.moving).c_str(), 100 * (node.computing + node.moving) / simulation.makespan);
    return out;
}

SweepRow sweep_row(schedule::Schedule const& schedule, double seconds, double seconds_of_one_rank,
                   std::optional<std::int64_t> memory) {
    schedule::Prediction const& p = schedule.header.prediction;
    SweepRow row;
    row.ranks = schedule.header.ranks;
    row.seconds = seconds;
    for (schedule::Section const& section : schedule.sections) {
        std::int64_t words = 0;
        for (schedule::Task const& task : section.tasks)
            if (task.is<schedule::Receive>()) {
                schedule::Message const message = section.message(task);
                words +=
                    section.bytes_of(message) / static_cast<std::int64_t>(size_of(section.blocks[message.block].dtype));
            }
        row.words = std::max(row.words, words);
    }
    row.bytes = std::accumulate(p.bytes_sent.begin(), p.bytes_sent.end(), std::int64_t{0});
    row.peak = *std::max_element(p.peak_bytes.begin(), p.peak_bytes.end());
    row.efficiency = seconds > 0 ? seconds_of_one_rank / (seconds * row.ranks) : 1;
    row.fits = !memory || row.peak <= *memory;
    return row;
}

std::string sweep_text(std::vector<SweepRow> const& rows, std::string const& cluster) {
    std::string out = "simulated on " + cluster + "\n";
    out += formatted("%8s %12s %16s %12s %14s %12s\n", "ranks", "time", "words a rank", "moved", "peak a rank",
                     "efficiency");
    for (SweepRow const& row : rows)
        out += formatted("%8d %12s %16lld %12s %14s %12.3f%s\n", row.ranks, seconds(row.seconds).c_str(),
                         static_cast<long long>(row.words), format_bytes(static_cast<double>(row.bytes)).c_str(),
                         format_bytes(static_cast<double>(row.peak)).c_str(), row.efficiency,
                         row.fits ? "" : "  more than the budget");
    return out;
}

Json simulation_json(schedule::Schedule const& schedule, Simulation const& simulation) {
    Json out{{"makespan", simulation.makespan},
             {"all_turns", simulation.all_iterations},
             {"efficiency", simulation.efficiency}};
    out["ranks"] = Json::array();
    for (RankTimes const& times : simulation.ranks)
        out["ranks"].push_back(
            {{"busy", times.busy}, {"communicating", times.communicating}, {"waiting", times.waiting}});
    out["critical_path"] = Json::array();
    for (auto const& node : critical_path(schedule, simulation))
        out["critical_path"].push_back({{"node", node.node}, {"computing", node.computing}, {"moving", node.moving}});
    return out;
}

Json sweep_json(std::vector<SweepRow> const& rows) {
    Json out = Json::array();
    for (SweepRow const& row : rows)
        out.push_back({{"ranks", row.ranks},
                       {"seconds", row.seconds},
                       {"words_rank_max", row.words},
                       {"bytes_total", row.bytes},
                       {"peak_bytes", row.peak},
                       {"efficiency", row.efficiency},
                       {"fits", row.fits}});
    return out;
}

}  // namespace ein::apps
