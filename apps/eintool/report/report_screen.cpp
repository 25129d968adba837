#include "apps/eintool/report/report_screen.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "executor/report/task_times.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/quantities.hpp"
#include "lib/base/text/screen_text.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::apps::tool {
namespace {

using Number = std::optional<double>;  // none: the report does not have it
constexpr std::size_t most_ranks = 8;

Number number_at(Json const& report, Json::json_pointer const& where) {
    if (!report.contains(where) || !report.at(where).is_number()) return std::nullopt;
    return report.at(where).get<double>();
}
Number number_at(Json const& report, std::string const& where) { return number_at(report, Json::json_pointer(where)); }

std::string text_at(Json const& report, char const* key) {
    return report.contains(key) && report.at(key).is_string() ? report.at(key).get<std::string>() : "?";
}

/// What each rank reports; none where there is no such list.
Json ranks_of(Json const& report) {
    Json const ranks = report.value("ranks_detail", Json::array());
    return ranks.is_array() ? ranks : Json::array();
}

Number largest_of(Json const& list) {
    Number out;
    for (Json const& value : list)
        if (value.is_number()) out = std::max(out.value_or(0), value.get<double>());
    return out;
}

/// Seconds of a rank in one round: those that it reports, or nothing.
Number booked(Json const& rank) {
    Number const busy = number_at(rank, "/seconds/busy"), waiting = number_at(rank, "/seconds/waiting"),
                 communicating = number_at(rank, "/seconds/communicating");
    return busy && waiting && communicating ? Number(*busy + *waiting + *communicating) : std::nullopt;
}

/// What all shares are of: the time of the rank that took longest. The others wait for its end.
double whole_of(Json const& report) {
    double longest = 0;
    for (Json const& rank : ranks_of(report)) longest = std::max(longest, booked(rank).value_or(0));
    return longest;
}

/// A rank's share of that time; shares add up to all of it.
Number share_of(Json const& rank, std::string const& what, double whole) {
    Number const part = number_at(rank, "/seconds/" + what), in_all = booked(rank);
    if (!part || !in_all || whole <= 0) return std::nullopt;
    return (*part + (what == "waiting" ? whole - *in_all : 0)) / whole;
}

Number mean_share(Json const& report, std::string const& what) {
    double sum = 0;
    int ranks = 0;
    double const whole = whole_of(report);
    for (Json const& rank : ranks_of(report))
        if (Number const share = share_of(rank, what, whole)) sum += *share, ++ranks;
    return ranks > 0 ? Number(sum / ranks) : std::nullopt;
}

std::string plain(double value) { return row("%.4g", value); }

std::string speed_text(double gigaflops) { return format_count(gigaflops * 1e9) + "FLOP/s"; }

struct Row {
    std::string label;
    std::function<Number(Json const&)> number;
    std::string (*text)(double);
    bool always = true;  // or only where some report has it above 0
};

std::vector<Row> rows_of(std::vector<NamedReport> const& reports) {
    auto const at = [](std::string const& where) {
        return [where](Json const& report) { return number_at(report, where); };
    };
    auto const share = [](std::string const& what) {
        return [what](Json const& report) { return mean_share(report, what); };
    };
    auto const fullest = [](std::string const& key) {
        return [key](Json const& report) { return largest_of(report.value(key, Json::array())); };
    };
    std::vector<Row> rows{{"ranks", at("/ranks"), plain},
                          {"threads a rank", at("/threads"), plain},
                          {"load", at("/seconds/load"), format_seconds},
                          {"execute", at("/seconds/execute"), format_seconds},
                          {"store", at("/seconds/store"), format_seconds},
                          {"in all", at("/seconds/total"), format_seconds},
                          {"speed", at("/gflops_per_second"), speed_text},
                          {"operations", at("/flops"), format_count},
                          {"ranks compute", share("busy"), percent},
                          {"  communicate", share("communicating"), percent},
                          {"  wait", share("waiting"), percent},
                          {"messages hidden", at("/overlap/hidden_share"), percent},
                          {"moved", at("/bytes_sent"), format_bytes},
                          {"messages", at("/messages_sent"), format_count},
                          {"peak, fullest rank", fullest("peak_block_bytes"), format_bytes},
                          {"  predicted", fullest("peak_predicted"), format_bytes},
                          {"checkpoints saved", at("/checkpoint/saved"), plain, false},
                          {"  failed", at("/checkpoint/failed"), plain, false},
                          {"  the last one", at("/checkpoint/bytes"), format_bytes, false},
                          {"  saving, in all", at("/checkpoint/seconds_all"), format_seconds, false},
                          {"spilled to disk", at("/spill/bytes"), format_bytes, false},
                          {"copied to devices", at("/device_memory/copied_in"), format_bytes, false},
                          {"evicted on devices", at("/device_memory/evicted"), format_bytes, false}};
    std::vector<std::string> kinds;
    for (NamedReport const& of : reports) {
        Json const tasks = of.report.value("tasks", Json::object());
        for (auto const& [kind, times] : tasks.items())
            if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
    }
    for (std::string const& kind : kinds) {
        Json::json_pointer const where = Json::json_pointer("/tasks") / kind / "seconds";  // of any letters, '~' too
        rows.push_back({"in " + kind + " tasks", [where](Json const& report) { return number_at(report, where); },
                        format_seconds});
    }
    return rows;
}

std::string table(std::vector<NamedReport> const& reports) {
    bool const two = reports.size() == 2;
    std::string out;
    for (Row const& line : rows_of(reports)) {
        std::vector<Number> values;
        for (NamedReport const& of : reports) values.push_back(line.number(of.report));
        bool const any = std::ranges::any_of(values, [](Number value) { return value.value_or(0) > 0; });
        if (!any && !line.always) continue;
        out += row("  %-20s", line.label.c_str());
        for (Number value : values) out += row("%16s", value ? line.text(*value).c_str() : "-");
        if (two && values[0] && values[1] && *values[0] > 0) out += row("%16.3g", *values[1] / *values[0]);
        out += "\n";
    }
    return out;
}

std::string resumed_text(Json const& report) {
    auto const from = Json::json_pointer("/checkpoint/resumed_from");
    if (!report.contains(from) || !report.at(from).is_string()) return "";
    return "  went on from " + cut(printable(report.at(from).get<std::string>()), 50) + ", " +
           format_count(number_at(report, "/checkpoint/tasks_done").value_or(0)) + " tasks done\n";
}

/// Figures of such a run are of what it did, not of the graph.
std::string stopped_text(Json const& report) {
    if (report.value("stopped", Json(false)) != Json(true)) return "";
    auto const last = Json::json_pointer("/checkpoint/last");
    bool const saved = report.contains(last) && report.at(last).is_string();
    return "  stopped before its end" +
           (saved ? "; the same command goes on from " + cut(printable(report.at(last).get<std::string>()), 40) : "") +
           "\n";
}

std::string title(NamedReport const& of) {
    Json const& report = of.report;
    return of.name + ": " + text_at(report, "graph") + " on " + text_at(report, "device") + ", " +
           text_at(report, "strategy") + " placed by " + text_at(report, "place") + "\n" + resumed_text(report) +
           stopped_text(report);
}

/// The ranks that compute longest, first.
std::string ranks_table(Json const& report) {
    Json const ranks = ranks_of(report);
    double const whole = whole_of(report);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < ranks.size(); ++k)
        order.emplace_back(-share_of(ranks[k], "busy", whole).value_or(0), k);
    std::ranges::sort(order);
    std::string out = row("\n  %5s  %-16s %12s %14s %10s %12s %12s\n", "rank", "host", "computes", "communicates",
                          "waits", "sends", "peak");
    for (std::size_t k = 0; k < std::min(most_ranks, order.size()); ++k) {
        Json const& rank = ranks[order[k].second];
        auto const share = [&](char const* what) {
            Number const value = share_of(rank, what, whole);
            return value ? percent(*value) : std::string("-");
        };
        auto const bytes = [&](char const* where) {
            Number const value = number_at(rank, where);
            return value ? format_bytes(*value) : std::string("-");
        };
        out += row("  %5.0f  %-16.16s %12s %14s %10s %12s %12s\n",
                   number_at(rank, "/rank").value_or(static_cast<double>(order[k].second)),
                   text_at(rank, "host").c_str(), share("busy").c_str(), share("communicating").c_str(),
                   share("waiting").c_str(), bytes("/bytes_sent").c_str(), bytes("/peak_block_bytes").c_str());
    }
    if (order.size() > most_ranks)
        out += "  and " + std::to_string(order.size() - most_ranks) + " more that compute less\n";
    return out +
           "  shares are of the longest rank's time; computes: in tasks, and going from task to task\n"
           "  (eintool trace counts tasks alone, of each rank's own time)\n";
}

/// Two runs of other work are no faster and slower.
std::string difference_text(std::vector<NamedReport> const& reports) {
    Json const &first = reports[0].report, &second = reports[1].report;
    std::string const graphs[]{text_at(first, "graph"), text_at(second, "graph")};
    if (graphs[0] != graphs[1])
        return "\n  they are of different graphs, " + cut(printable(graphs[0]), 30) + " and " +
               cut(printable(graphs[1]), 30) + ": their times say nothing of plans or machines\n";
    double const a = number_at(first, "/flops").value_or(0), b = number_at(second, "/flops").value_or(0);
    bool const alike = std::abs(a - b) <= 1e-3 * std::max(a, b);
    return alike ? ""
                 : "\n  they did not do the same work: another graph under one name, other iterations of a loop, or a\n"
                   "  part of the graph, stopped or gone on with\n";
}

/// What loading and storing are, where they take most of the run.
std::string loading_hint(Json const& report) {
    double const load = number_at(report, "/seconds/load").value_or(0),
                 store = number_at(report, "/seconds/store").value_or(0);
    double const total = number_at(report, "/seconds/total").value_or(0);
    if (total <= 0 || load + store <= 0.5 * total) return "";
    if (store > load)
        return "writing results takes " + percent(store / total) +
               " of the run: a local disk or a parallel file system writes faster, and fewer outputs are less";
    std::string longest;
    double most = 0;
    Json const loads = report.value("loads", Json::object());
    for (auto const& [from, seconds] : loads.items())
        if (seconds.is_number() && seconds.get<double>() > most) longest = from, most = seconds.get<double>();
    std::string const share = " takes " + percent(load / total) + " of the run, and is done once: ";
    if (longest == "made") return "making random elements" + share + "--repeat and loops do not make them again";
    if (longest == "texts")
        return "parsing text" + share +
               "a matrix is read faster from scipy.sparse.save_npz: \"data\": {\"scipy\": FILE}";
    if (longest == "archives")
        return "reading npz archives" + share +
               "npy files are not deflated, and are not read to the end for their checksum by each rank";
    return "loading inputs" + share + "--repeat and loops load once; a parallel file system reads faster";
}

/// By whose fault ranks stand still is not to be told where they do not have their cores; then this says so.
std::string cores_hint(Json const& report) {
    if (report.value("shared_cores", Json(false)) == Json(true))
        return "ranks share cores: there are more threads than cores, so that some wait while others compute; "
               "fewer ranks or --threads, or more hosts";
    double const without = number_at(report, "/cores/share").value_or(0);
    if (without < executor::much_without_core) return "";
    return "kernels had no core for " + percent(without) +
           " of their time: other processes use these machines too, or the job may use fewer cores than it has "
           "threads; times, and who waits for whom, say little of the plan";
}

}  // namespace

std::vector<std::string> hints_of(Json const& report) {
    std::vector<std::string> out;
    double most = 0, sum = 0;
    double busiest = 0;  // as the file says it, which may be any number
    int ranks = 0;
    for (Json const& rank : ranks_of(report)) {
        double const busy = number_at(rank, "/seconds/busy").value_or(0);
        if (busy > most) most = busy, busiest = number_at(rank, "/rank").value_or(ranks);
        sum += busy;
        ++ranks;
    }
    double const mean = ranks > 0 ? sum / ranks : 0;
    std::string const cores = cores_hint(report);
    bool const shared = !cores.empty();
    if (shared) out.push_back(cores);
    if (!shared && ranks > 1 && mean > 0 && most > 1.25 * mean)
        out.push_back("work is uneven: rank " + row("%.0f", busiest) + " computes " + plain(most / mean) +
                      " times the mean; another rank count divides labels better, or einplan's own choice, without "
                      "--decompose, --parts and --place");
    if (!shared && mean_share(report, "communicating").value_or(0) > 0.3)
        out.push_back("ranks wait for messages " + percent(*mean_share(report, "communicating")) +
                      " of the time: fewer ranks, or a plan that moves less, which einplan looks for by itself without "
                      "--decompose, --parts and --place, best with a --cluster file");
    if (!shared && mean_share(report, "waiting").value_or(0) > 0.3)
        out.push_back("ranks have nothing to do " + percent(*mean_share(report, "waiting")) +
                      " of the time: eintool trace shows for whom they wait");
    if (std::string const loading = loading_hint(report); !loading.empty()) out.push_back(loading);
    if (number_at(report, "/spill/bytes").value_or(0) > 0)
        out.push_back("blocks go to disk and back: more ranks, or more --memory, would keep them");
    return out;
}

std::string report_screen(std::vector<NamedReport> const& reports) {
    std::string out;
    for (NamedReport const& of : reports) {
        if (!of.report.is_object() || !of.report.contains("einrun"))
            throw InputError(
                Fault{of.name, "", "a run report", "something else", "give a file that einrun --report wrote"});
        out += title(of);
    }
    out += "\n";
    if (reports.size() == 2) {
        out += row("  %-20s%16s%16s%16s\n", "", "first", "second", "second / first");
    }
    out += table(reports);
    if (reports.size() == 2) return out + difference_text(reports);
    out += ranks_table(reports[0].report);
    std::vector<std::string> const hints = hints_of(reports[0].report);
    if (!hints.empty()) out += "\n";
    for (std::string const& hint : hints) out += "  " + hint + "\n";
    return out;
}

}  // namespace ein::apps::tool
