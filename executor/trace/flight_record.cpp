#include "executor/trace/flight_record.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <thread>

#include "executor/report/clock.hpp"
#include "executor/trace/rank_trace.hpp"
#include "executor/trace/tuning.hpp"
#include "lib/base/files/replaced_file.hpp"
#include "lib/base/json.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

bool is_record(fs::path const& file) {
    std::string const name = file.filename().string();
    return name.starts_with("rank-") && name.ends_with(".json");
}

/// One rank at a time has the folder, where the file system has locks; who is killed gives it back. Of one that stands
/// still with it the others do not wait long.
class Turn {
public:
    explicit Turn(fs::path const& folder) : descriptor_(::open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
        double const begin = seconds_now();
        while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
               seconds_now() - begin < tuning::seconds_for_a_folder)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ~Turn() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Turn(Turn const&) = delete;
    Turn& operator=(Turn const&) = delete;

private:
    int descriptor_;
};

/// When the last `recorded_events` of all that ended had begun to end.
double kept_since(std::vector<std::vector<Event>> const& logs) {
    std::vector<double> ends;
    for (auto const& log : logs)
        for (Event const& event : log)
            if (event.end != Event::still_open) ends.push_back(event.end);
    if (ends.size() <= tuning::recorded_events) return -Event::still_open;
    auto const first = ends.end() - static_cast<std::ptrdiff_t>(tuning::recorded_events);
    std::nth_element(ends.begin(), first, ends.end());
    return *first;
}

std::string text_of(Rank rank, schedule::Header const& header, schedule::Section const& section, Record const& record,
                    Json const& about) {
    std::vector<std::vector<Event>> logs;
    for (EventLog const& log : record.workers()) logs.push_back(log.latest());
    logs.push_back(record.transfers().latest());
    double const since = kept_since(logs);
    for (auto& log : logs) std::erase_if(log, [&](Event const& event) { return event.end < since; });
    std::vector<Event> const transfers = std::move(logs.back());
    logs.pop_back();
    std::string out;
    TraceText text([&](std::string_view piece) { out += piece; });
    text.raw("{\"displayTimeUnit\":\"ms\",\"otherData\":" + about.dump(-1, ' ', false, Json::error_handler_t::replace) +
             ",\"traceEvents\":[\n");
    text.process(rank.value(), "rank " + std::to_string(rank.value()), rank.value());
    RankTrace trace(text, header, section, rank.value(),
                    [](double time) { return static_cast<Ticks>(std::llround(time * 1e9)); });
    trace.lanes(lanes_of(section, std::move(logs), transfers), seconds_now());
    text.raw("\n]}\n");
    text.flush();
    return out;
}

}  // namespace

fs::path flight_folder(fs::path const& out) {
    fs::path folder = fs::absolute(out).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    return folder += ".flight";
}

void sweep_flight_records(fs::path const& folder) noexcept {
    try {
        std::error_code error;
        if (!fs::is_directory(folder, error)) return;
        for (fs::directory_entry const& entry : fs::directory_iterator(folder, error))
            if (is_record(entry.path())) fs::remove(entry.path(), error);
        fs::remove(folder, error);  // when it is empty
    } catch (...) {                 // old records do no harm
    }
}

FlightRecord write_flight_record(fs::path const& folder, Rank rank, schedule::Header const& header,
                                 schedule::Section const& section, Record const& record, Json const& about) {
    std::error_code error;
    fs::create_directories(folder, error);
    fs::path const path = folder / ("rank-" + std::to_string(rank.value()) + ".json");
    std::string const text = text_of(rank, header, section, record, about);
    Turn const turn(folder);
    fs::directory_iterator const there(folder, error);
    bool const first =
        std::none_of(begin(there), end(there), [](auto const& entry) { return is_record(entry.path()); });
    ReplacedFile("", path).write(text);
    return {path, first};
}

}  // namespace ein::executor
