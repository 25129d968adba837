#include "apps/eintool/trace/trace_summary.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "apps/machines_text.hpp"
#include "lib/base/text/quantities.hpp"
#include "lib/base/text/screen_text.hpp"
#include "lib/base/text/sizes.hpp"

namespace ein::apps::tool {
namespace {

constexpr std::size_t most_rows = 10, most_rank_rows = 8;
constexpr double in_no_time = 1e-7;  // seconds: between tasks there is always a little

Interval common(Interval a, Interval b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

/// Sorted and apart, within the times at which a rank executes.
using Cover = std::vector<Interval>;

Cover cover_of(std::vector<Interval> parts, std::vector<Interval> const& executes) {
    std::ranges::sort(parts, {}, &Interval::begin);
    Cover out;
    for (Interval const& part : parts)
        for (Interval const& execute : executes) {
            Interval const inside = common(part, execute);
            if (inside.length() <= 0) continue;
            if (!out.empty() && inside.begin <= out.back().end)
                out.back().end = std::max(out.back().end, inside.end);
            else
                out.push_back(inside);
        }
    return out;
}

double length(Cover const& cover) {
    double sum = 0;
    for (Interval const& part : cover) sum += part.length();
    return sum;
}

/// What of the times at which a rank executes is not covered.
Cover gaps_of(Cover const& cover, std::vector<Interval> const& executes) {
    Cover out;
    for (Interval const& execute : executes) {
        double at = execute.begin;
        for (Interval const& part : cover) {
            if (part.end <= execute.begin || part.begin >= execute.end) continue;
            if (part.begin > at) out.push_back({at, part.begin});
            at = std::max(at, part.end);
        }
        if (execute.end > at) out.push_back({at, execute.end});
    }
    return out;
}

/// Seconds that two covers have in common.
double overlap(Cover const& a, Cover const& b) {
    double sum = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        sum += std::max(0.0, common(a[i], b[j]).length());
        if (a[i].end < b[j].end)
            ++i;
        else
            ++j;
    }
    return sum;
}

/// A rank's covers: of each worker, of all workers together, of its messages.
struct Covers {
    std::map<int, Cover> workers;
    Cover any, messages;

    explicit Covers(TracedRank const& rank) {
        std::map<int, std::vector<Interval>> parts;
        std::vector<Interval> all, under_way = rank.sends;
        for (TracedTask const& task : rank.tasks) {
            parts[task.worker].push_back(task.time);
            all.push_back(task.time);
        }
        for (TracedReceive const& receive : rank.receives) under_way.push_back(receive.time);
        for (auto& [worker, times] : parts) workers[worker] = cover_of(std::move(times), rank.executes);
        any = cover_of(std::move(all), rank.executes);
        messages = cover_of(std::move(under_way), rank.executes);
    }
};

TimeOfRank time_of(int number, TracedRank const& rank, Covers const& covers) {
    TimeOfRank out{.rank = number, .workers = static_cast<int>(covers.workers.size())};
    for (Interval const& execute : rank.executes) out.executing += execute.length();
    for (auto const& [worker, cover] : covers.workers) {
        out.computing += length(cover);
        out.communicating += overlap(gaps_of(cover, rank.executes), covers.messages);
    }
    double const workers = std::max(1, out.workers);
    out.computing /= workers, out.communicating /= workers;
    if (covers.workers.empty()) out.communicating = length(covers.messages);
    out.waiting = std::max(0.0, out.executing - out.computing - out.communicating);
    return out;
}

/// Adds up waits that are alike.
class Waits {
public:
    void add(int rank, int peer, std::string const& tensor, Wait::For reason, double seconds) {
        if (seconds < in_no_time) return;
        Wait& wait = sums_[{rank, peer, tensor, reason}];
        wait.rank = rank, wait.peer = peer, wait.tensor = tensor, wait.reason = reason;
        wait.seconds += seconds;
        ++wait.times;
    }
    std::vector<Wait> longest_first() const {
        std::vector<Wait> out;
        for (auto const& [key, wait] : sums_) out.push_back(wait);
        std::ranges::stable_sort(out, std::greater(), &Wait::seconds);
        return out;
    }

private:
    std::map<std::tuple<int, int, std::string, Wait::For>, Wait> sums_;
};

bool ends_a_round(Interval const& gap, std::vector<Interval> const& executes) {
    return std::ranges::any_of(executes, [&](Interval const& execute) { return gap.end == execute.end; });
}

/// Each gap is put down to the last message that came in it; the last of a round to the other ranks.
void add_waits(Waits& waits, TraceFile const& trace, int number, Covers const& covers) {
    TracedRank const& rank = trace.ranks[static_cast<std::size_t>(number)];
    for (Interval const& gap : gaps_of(covers.any, rank.executes)) {
        if (ends_a_round(gap, rank.executes)) {
            waits.add(number, -1, "", Wait::For::end, gap.length());
            continue;
        }
        auto const after =
            std::ranges::upper_bound(rank.receives, gap.end, {}, [](TracedReceive const& got) { return got.time.end; });
        if (after == rank.receives.begin() || std::prev(after)->time.end <= gap.begin) {
            waits.add(number, -1, "", Wait::For::other, gap.length());
            continue;
        }
        TracedReceive const& got = *std::prev(after);
        std::string const& tensor = trace.names[static_cast<std::size_t>(got.tensor)];
        double const sent = std::clamp(got.sent.value_or(gap.begin), gap.begin, got.time.end);
        waits.add(number, got.from, tensor, Wait::For::making, sent - gap.begin);
        waits.add(number, got.from, tensor, Wait::For::arrival, gap.end - sent);
    }
}

/// Tasks within another of their track are its pieces: counted with it.
void add_kernels(std::map<int, KernelTime>& kernels, TracedRank const& rank) {
    std::map<int, double> busy_until;  // by track
    for (TracedTask const& task : rank.tasks) {
        double& until = busy_until.try_emplace(task.worker, -1e300).first->second;
        if (task.time.end <= until) continue;
        until = task.time.end;
        KernelTime& kernel = kernels[task.name];
        kernel.seconds += task.time.length();
    }
}

std::vector<KernelTime> kernels_of(TraceFile const& trace) {
    std::map<int, KernelTime> by_name;
    std::map<int, int> calls;
    for (TracedRank const& rank : trace.ranks) {
        add_kernels(by_name, rank);
        for (TracedTask const& task : rank.tasks) calls[task.name] += task.piece ? 0 : 1;
    }
    std::vector<KernelTime> out;
    for (auto& [name, kernel] : by_name) {
        kernel.name = trace.names[static_cast<std::size_t>(name)];
        kernel.calls = calls[name];
        if (auto const of = trace.predicted.find(name); of != trace.predicted.end() && of->second.calls > 0) {
            double const scale = kernel.calls / of->second.calls;
            kernel.operations = of->second.operations * scale;
            kernel.limit = of->second.limit * scale;
        }
        out.push_back(kernel);
    }
    std::ranges::stable_sort(out, std::greater(), &KernelTime::seconds);
    return out;
}

std::string share(double part, double whole) { return percent(whole > 0 ? part / whole : 0); }

std::string ranks_text(TraceSummary const& summary) {
    std::string out =
        row("\n  %5s %8s %12s %12s %14s %12s\n", "rank", "workers", "executes", "computes", "communicates", "waits");
    for (std::size_t k = 0; k < std::min(most_rank_rows, summary.ranks.size()); ++k) {
        TimeOfRank const& of = summary.ranks[k];
        out += row("  %5d %8d %12s %12s %14s %12s\n", of.rank, of.workers, format_seconds(of.executing).c_str(),
                   share(of.computing, of.executing).c_str(), share(of.communicating, of.executing).c_str(),
                   share(of.waiting, of.executing).c_str());
    }
    if (summary.ranks.size() > most_rank_rows)
        out += "  and " + std::to_string(summary.ranks.size() - most_rank_rows) + " more that compute longer\n";
    return out +
           "  shares are of the rank's own time; computes: inside tasks (eintool report also counts going\n"
           "  from task to task, and shares of the longest rank's time)\n";
}

/// @param shared  ranks share cores, with one another or with others: one that makes a block late may have waited for a
/// core
std::string reason_text(Wait const& wait, bool shared) {
    std::string const peer = "rank " + std::to_string(wait.peer);
    switch (wait.reason) {
        case Wait::For::making:
            return shared ? wait.tensor + ", which " + peer + " makes when it has a core"
                          : peer + " to make " + wait.tensor;
        case Wait::For::arrival: return wait.tensor + " on its way from " + peer;
        case Wait::For::end: return "the other ranks to end";
        case Wait::For::other: break;
    }
    return "no message came: starting tasks, memory, disk";
}

std::string waits_text(TraceFile const& trace, TraceSummary const& summary) {
    if (summary.waits.empty()) return "";
    std::string out = "\n  who had no work, waiting for what, the longest first\n";
    for (std::size_t k = 0; k < std::min(most_rows, summary.waits.size()); ++k) {
        Wait const& wait = summary.waits[k];
        out += row("  %10s  rank %-5d %s%s\n", format_seconds(wait.seconds).c_str(), wait.rank,
                   cut(reason_text(wait, trace.shared_cores || trace.lost_cores), 60).c_str(),
                   wait.times > 1 ? (", " + std::to_string(wait.times) + " times").c_str() : "");
    }
    return out;
}

std::string kernels_text(TraceFile const& trace, TraceSummary const& summary) {
    bool const built_in = trace.machines.starts_with(built_in_cluster);
    double all = 0, limit = 0;
    for (KernelTime const& kernel : summary.kernels) all += kernel.seconds, limit += kernel.limit.value_or(0);
    std::string out = row("\n  %-36s %8s %10s %8s %14s%s\n", "task", "calls", "time", "share", "speed",
                          built_in ? "" : "   of limit");
    for (std::size_t k = 0; k < std::min(most_rows, summary.kernels.size()); ++k) {
        KernelTime const& of = summary.kernels[k];
        bool const fast = of.operations.value_or(0) > 0 && of.seconds > 0;
        bool const limited = !built_in && of.limit && of.seconds > 0;
        out += row("  %-36s %8d %10s %8s %14s%s\n", cut(of.name, 36).c_str(), of.calls,
                   format_seconds(of.seconds).c_str(), share(of.seconds, all).c_str(),
                   fast ? (format_count(*of.operations / of.seconds) + "FLOP/s").c_str() : "",
                   limited ? row("%11s", share(*of.limit, of.seconds).c_str()).c_str() : "");
    }
    if (summary.kernels.size() > most_rows)
        out += "  and " + std::to_string(summary.kernels.size() - most_rows) + " more\n";
    if (built_in)
        return out +
               "  speeds are of one worker; with einrun --cluster FILE, from eintool preflight --cluster-out, also\n" +
               "  their share of the machine's limit\n";
    return out + "  all together " + share(limit, all) + " of the limit of a worker as in " + trace.machines +
           "; tasks that run as one kernel\n  are timed with its last\n";
}

}  // namespace

TraceSummary summary_of(TraceFile const& trace) {
    TraceSummary out;
    Waits waits;
    for (int rank = 0; rank < static_cast<int>(trace.ranks.size()); ++rank) {
        TracedRank const& traced = trace.ranks[static_cast<std::size_t>(rank)];
        Covers const covers(traced);
        out.ranks.push_back(time_of(rank, traced, covers));
        add_waits(waits, trace, rank, covers);
    }
    std::ranges::stable_sort(out.ranks, {}, &TimeOfRank::computing);
    out.waits = waits.longest_first();
    out.kernels = kernels_of(trace);
    return out;
}

namespace {

/// All ranks save at one time; the one that takes longest counts.
std::string checkpoints_text(TraceFile const& trace) {
    std::size_t saves = 0;
    double longest = 0;
    bool resumed = false;
    for (TracedRank const& rank : trace.ranks) {
        double seconds = 0;
        for (Interval const& save : rank.saves) seconds += save.length();
        saves = std::max(saves, rank.saves.size());
        longest = std::max(longest, seconds);
        resumed = resumed || rank.resumed;
    }
    if (saves == 0 && !resumed) return "";
    std::string out = "  ";
    if (resumed) out += "went on from a checkpoint";
    if (saves > 0)
        out += (resumed ? "; stopped " : "stopped ") + std::to_string(saves) + (saves == 1 ? " time" : " times") +
               " to save one, " + format_seconds(longest) + " in all";
    return out + "\n";
}

}  // namespace

namespace {

/// A part of a run is not compared with all of it, nor all iterations of a loop with one.
std::string predicted_text(TraceFile const& trace) {
    if (trace.predicted_seconds > 0)
        return "; predicted " + format_seconds(trace.predicted_seconds) + " on " + trace.machines;
    if (trace.predicted_once > 0)
        return "; the whole graph" + std::string(trace.loops ? ", each loop once," : "") + " was predicted to take " +
               format_seconds(trace.predicted_once) + " on " + trace.machines;
    return "";
}

}  // namespace

std::string to_text(TraceFile const& trace, TraceSummary const& summary) {
    double longest = 0;
    for (TimeOfRank const& rank : summary.ranks) longest = std::max(longest, rank.executing);
    int rounds = 1;
    for (TracedRank const& rank : trace.ranks) rounds = std::max(rounds, rank.rounds);
    std::string out = trace.name + ": " + std::to_string(trace.ranks.size()) +
                      (trace.ranks.size() == 1 ? " rank" : " ranks") + ", executes " +
                      format_seconds(longest / static_cast<double>(rounds)) +
                      (rounds > 1 ? " a round, " + std::to_string(rounds) + " rounds" : "");
    out += predicted_text(trace);
    if (trace.shared_cores)
        out +=
            "\n  ranks share cores: there are more threads than cores, so that times of tasks have waiting for a\n"
            "  core in them, and who waits for whom is by chance; fewer ranks or --threads, or more hosts";
    if (trace.lost_cores && !trace.shared_cores)
        out +=
            "\n  kernels often had no core: other processes use these machines too, or the job may use fewer cores\n"
            "  than it has threads, so that times of tasks have waiting for a core in them, and who waits for whom\n"
            "  is by chance";
    return out + "\n" + checkpoints_text(trace) + ranks_text(summary) + waits_text(trace, summary) +
           kernels_text(trace, summary);
}

}  // namespace ein::apps::tool
