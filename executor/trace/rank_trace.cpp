#include "executor/trace/rank_trace.hpp"

#include <algorithm>
#include <map>

#include "executor/health/task_text.hpp"
#include "lib/base/hash.hpp"

namespace ein::executor {

using schedule::Task;

namespace {

/// Another number for each message of a run, the same at both of its ends.
/// @param number  how many of this tag went before in the round: which both ends see in the same order
std::uint64_t message_id(std::size_t round, std::size_t number, int from, int to, int tag) {
    auto const ends = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
    return mix64(mix64(mix64(ends) ^ (static_cast<std::uint64_t>(round) << 32 | static_cast<std::uint32_t>(tag))) ^
                 number);
}

struct Place {
    int tid = -1;
    double begin = 0, end = 0;
};

}  // namespace

std::string const& RankTrace::name_of(TaskId id) {
    Task const& of = task(id);
    bool const transfers = of.traits().is_transfer();
    auto const key = static_cast<std::int64_t>(of.kind()) << 32 |
                     static_cast<std::uint32_t>(transfers ? of.record().peer : of.record().entry);
    auto [place, fresh] = names_.try_emplace(key);
    if (!fresh) return place->second;
    std::string text(of.traits().name);
    if (transfers) {
        schedule::Message const message = section_.message(of);
        text += (message.is_send ? " to " : " from ") + std::to_string(message.peer.value());
    } else if (std::string const owner = owner_of(header_, section_, of); !owner.empty()) {
        text += " " + owner;
    }
    return place->second = json_string(text);
}

void RankTrace::lanes(std::vector<Lane> const& lanes, double now, std::function<std::string(TaskId)> const& more) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        Track const track{pid_, static_cast<int>(i)};
        text_.thread(track, lanes[i].name, track.tid);
        for (Event const& event : lanes[i].events) {
            bool const open = event.end == Event::still_open;
            std::string args = "{\"task\":" + json_string(task_text(header_, section_, event.task));
            if (event.piece >= 0) args += ",\"piece\":" + std::to_string(event.piece);
            if (open) args += ",\"open\":true";
            if (more) args += more(event.task);
            text_.slice(track, ticks_of_(event.begin), ticks_of_(open ? now : event.end), name_of(event.task),
                        event.piece >= 0 ? "piece" : task(event.task).traits().name, args + "}");
        }
    }
}

void RankTrace::arrows(std::vector<Lane> const& lanes, std::vector<RoundEvents> const& rounds,
                       schedule::TaskLinks const& links) {
    std::map<std::pair<TaskId, double>, int> tid_of;  // of a transfer or of who reads its block
    for (std::size_t i = 0; i < lanes.size(); ++i)
        for (Event const& event : lanes[i].events)
            if (event.piece < 0) tid_of[{event.task, event.begin}] = static_cast<int>(i);
    Table<TaskId, std::vector<Event const*>> of_task(section_.tasks.size());  // in each iteration
    Table<TaskId, std::size_t> number(section_.tasks.size());
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        for (auto& events : of_task) events.clear();
        std::fill(number.begin(), number.end(), 0);
        for (Event const& event : rounds[round].events) of_task[event.task].push_back(&event);
        auto track = [&](Event const& event) { return Track{pid_, tid_of.at({event.task, event.begin})}; };
        for (Event const& event : rounds[round].events) {
            Task const& of = task(event.task);
            if (!of.traits().is_transfer()) continue;
            schedule::Message const message = section_.message(of);
            int const peer = message.peer.value();
            std::uint64_t const id = message_id(round, number[event.task]++, message.is_send ? pid_ : peer,
                                                message.is_send ? peer : pid_, message.tag.value());
            if (message.is_send) {
                text_.flow(TraceText::Flow::start, track(event), ticks_of_(event.begin), id);
                continue;
            }
            Event const* first = nullptr;
            for (TaskId const reader : links.readers(message.block)) {
                auto const& events = of_task[reader];
                auto const read = std::lower_bound(events.begin(), events.end(), event.end,
                                                   [](Event const* at, double end) { return at->begin < end; });
                if (read != events.end() && (first == nullptr || (*read)->begin < first->begin)) first = *read;
            }
            // just inside the slice, whose end belongs to what comes next
            Ticks const arrived = std::max(ticks_of_(event.begin), ticks_of_(event.end) - 1);
            text_.flow(first != nullptr ? TraceText::Flow::step : TraceText::Flow::end, track(event), arrived, id);
            if (first != nullptr) text_.flow(TraceText::Flow::end, track(*first), ticks_of_(first->begin), id);
        }
    }
}

void RankTrace::counters(std::vector<CounterSample> const& samples) {
    CounterSample shown{0, -1, -1};
    for (CounterSample const& sample : samples) {
        Ticks const time = ticks_of_(sample.time);
        if (sample.bytes != shown.bytes) text_.counter(pid_, time, "memory of blocks", "bytes", sample.bytes);
        if (sample.ready != shown.ready) text_.counter(pid_, time, "ready tasks", "tasks", sample.ready);
        shown = sample;
    }
}

void RankTrace::phases(std::vector<PhaseSpan> const& phases, std::vector<CheckpointSpan> const& checkpoints, int tid) {
    Track const track{pid_, tid};
    text_.thread(track, "phases", -1);
    for (PhaseSpan const& span : phases) {
        std::string const args = "{\"round\":" + std::to_string(span.round) + "}";
        std::string_view const name = span.phase == schedule::Phase::load      ? "\"load\""
                                      : span.phase == schedule::Phase::execute ? "\"execute\""
                                                                               : "\"store\"";
        Ticks const begin = ticks_of_(span.begin), end = ticks_of_(span.end);
        text_.slice(track, begin, end, name, "phase", args);
        text_.slice(track, begin, ticks_of_(span.worked), "\"own tasks\"", "phase", "");
        if (span.end > span.worked)
            text_.slice(track, ticks_of_(span.worked), end, "\"waits for other ranks\"", "phase", "");
    }
    for (CheckpointSpan const& span : checkpoints)
        text_.slice(track, ticks_of_(span.begin), ticks_of_(span.end),
                    span.kind == CheckpointSpan::Kind::saved ? "\"saves a checkpoint\"" : "\"resumes\"", "checkpoint",
                    "");
}

}  // namespace ein::executor
