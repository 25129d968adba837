#include "apps/eintool/trace/trace_file.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <stdexcept>

#include "executor/trace/trace_text.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/files/missing_path.hpp"
#include "lib/base/json.hpp"

namespace ein::apps::tool {
namespace {

constexpr std::int64_t ranks_taken = 1 << 20;  // as einplan takes: what a file says is made room for

/// "rank 3" or "rank 3, predicted, ...".
struct Process {
    int rank = -1;
    bool predicted = false;
};

/// Between a text and what ends it; empty where there is none.
std::string between(std::string const& text, std::string const& before, char end) {
    auto const at = text.find(before);
    if (at == std::string::npos) return "";
    auto const begin = at + before.size();
    return text.substr(begin, text.find(end, begin) - begin);
}

/// A whole number below a limit. @throws std::exception for anything else
int number_below(std::int64_t limit, std::int64_t number) {
    if (number < 0 || number >= limit) throw std::out_of_range("number");
    return static_cast<int>(number);
}
int whole(Json const& value) {
    if (!value.is_number_integer()) throw std::out_of_range("number");
    return number_below(std::int64_t{1} << 31, value.get<std::int64_t>());
}
int rank_in(std::string const& text) { return number_below(ranks_taken, std::stoll(text)); }

class Reading {
public:
    explicit Reading(std::string const& name) { out_.name = name; }

    void event(Json const& event) {
        std::string const phase = event.at("ph");
        if (phase == "M") metadata(event);
        if (phase == "X") slice(event);
        if (phase == "s") sent_[event.at("id")] = time(event.at("ts"));
        if (phase == "t" || phase == "f")
            arrived_.push_back({whole(event.at("pid")), whole(event.at("tid")), time(event.at("ts")), event.at("id")});
    }

    TraceFile finish() && {
        for (Arrival const& arrival : arrived_) note_sender(arrival);
        for (TracedRank& rank : out_.ranks) {
            std::ranges::stable_sort(rank.tasks, {}, [](TracedTask const& task) { return task.time.begin; });
            std::ranges::stable_sort(rank.receives, {}, [](TracedReceive const& got) { return got.time.end; });
        }
        return std::move(out_);
    }

private:
    struct Arrival {
        int pid, tid;
        double at;
        std::string id;
    };

    static double time(Json const& microseconds) { return microseconds.get<double>() * 1e-6; }

    int name_of(std::string const& text) {
        auto const [place, fresh] = names_.try_emplace(text, static_cast<int>(out_.names.size()));
        if (fresh) out_.names.push_back(text);
        return place->second;
    }

    void metadata(Json const& event) {
        std::string const what = event.at("name");
        Process& process = processes_[whole(event.at("pid"))];
        if (what == "process_name") {
            std::string const name = event.at("args").at("name");
            process.rank = rank_in(between(name + ",", "rank ", ','));
            process.predicted = name.find(", predicted") != std::string::npos;
            out_.loops = out_.loops || name.find("one iteration of each loop") != std::string::npos;
            if (process.rank >= static_cast<int>(out_.ranks.size()))
                out_.ranks.resize(static_cast<std::size_t>(process.rank) + 1);
        } else if (what == "predicted_seconds") {
            out_.predicted_seconds = event.at("args").at("seconds").get<double>();
        } else if (what == "process_labels") {
            std::string const label = event.at("args").at("labels");
            if (process.predicted) {
                out_.machines = label.starts_with("on ") ? label.substr(3) : label;
            } else {
                out_.shared_cores = out_.shared_cores || label.find(executor::shares_cores) != std::string::npos;
                out_.lost_cores = out_.lost_cores || label.find(executor::lost_cores) != std::string::npos;
            }
        }
    }

    void slice(Json const& event) {
        double const begin = time(event.at("ts"));
        Interval const span{begin, begin + time(event.at("dur"))};
        Process const& process = processes_[whole(event.at("pid"))];
        std::string const category = event.at("cat");
        if (process.predicted) return predicted(event, category, span);
        TracedRank& rank = out_.ranks.at(static_cast<std::size_t>(process.rank));
        if (category == "phase") {
            if (event.at("name") != "execute") return;
            rank.executes.push_back(span);
            rank.rounds = std::max(rank.rounds, whole(event.at("args").at("round")) + 1);
        } else if (category == "checkpoint") {
            if (event.at("name") == "resumes")
                rank.resumed = true;
            else
                rank.saves.push_back(span);
        } else if (category == "send") {
            rank.sends.push_back(span);
        } else if (category == "receive") {
            std::string const text = event.at("args").at("task");
            tracks_[{whole(event.at("pid")), whole(event.at("tid"))}].push_back({span, rank.receives.size()});
            std::string tensor = between(text, ", block ", '[');
            tensor = tensor.substr(0, tensor.find(" ("));
            rank.receives.push_back({span, rank_in(between(text, "from rank ", ',')), name_of(tensor)});
        } else if (category != "load" && category != "store") {
            rank.tasks.push_back({span, name_of(event.at("name")), whole(event.at("tid")), category == "piece"});
        }
    }

    void predicted(Json const& event, std::string const& category, Interval span) {
        first_predicted_ = std::min(first_predicted_, span.begin);
        out_.predicted_once = std::max(out_.predicted_once, span.end - first_predicted_);
        Json const& args = event.at("args");
        if (category == "send" || category == "receive" || !args.contains("operations")) return;
        PredictedTasks& of = out_.predicted[name_of(event.at("name"))];
        of.calls += 1;
        of.operations += args.at("operations").get<double>();
        of.limit += args.at("limit_us").get<double>() * 1e-6;
    }

    /// The arrow of a message ends in the slice of its receive.
    void note_sender(Arrival const& arrival) {
        auto const track = tracks_.find({arrival.pid, arrival.tid});
        auto const sent = sent_.find(arrival.id);
        if (track == tracks_.end() || sent == sent_.end()) return;
        auto const after = std::ranges::upper_bound(track->second, arrival.at, {},
                                                    [](Placed const& placed) { return placed.time.begin; });
        if (after == track->second.begin() || std::prev(after)->time.end < arrival.at) return;
        auto const rank = static_cast<std::size_t>(processes_[arrival.pid].rank);
        out_.ranks[rank].receives[std::prev(after)->receive].sent = sent->second;
    }

    struct Placed {
        Interval time;
        std::size_t receive;
    };
    TraceFile out_;
    std::unordered_map<std::string, int> names_;
    std::map<int, Process> processes_;
    std::unordered_map<std::string, double> sent_;  // by id
    std::vector<Arrival> arrived_;
    std::map<std::pair<int, int>, std::vector<Placed>> tracks_;  // of receives, by begin
    double first_predicted_ = 1e300;
};

Fault no_trace(std::string const& file, std::string const& place) {
    return Fault{file, place, "a trace that einrun --trace wrote", "something else", "give such a file"};
}

}  // namespace

TraceFile read_trace(std::filesystem::path const& file) {
    refuse_other_kind(file, FileUse::trace, "a trace that einrun --trace wrote");
    std::ifstream in(file);
    if (!in) throw InputError(unreadable(file, errno));
    std::string line;
    std::getline(in, line);
    if (line.find("\"traceEvents\":[") == std::string::npos) throw InputError(no_trace(file.string(), ""));
    Reading reading(file.string());
    for (std::size_t number = 2; std::getline(in, line); ++number) {
        if (line.empty() || line == "," || line.front() == ']') continue;
        if (line.back() == ',') line.pop_back();
        try {
            reading.event(Json::parse(line));
        } catch (std::exception const&) {
            throw InputError(no_trace(file.string(), "line " + std::to_string(number)));
        }
    }
    return std::move(reading).finish();
}

}  // namespace ein::apps::tool
