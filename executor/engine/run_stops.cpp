#include "executor/engine/run_stops.hpp"

#include <algorithm>
#include <numeric>

#include "lib/base/error.hpp"

namespace ein::executor {

RunStops::RunStops(Parts parts)
    : parts_(parts),
      resuming_(parts.checkpoints.resumed_at().has_value()),
      watch_(parts.header, parts.transport.rank(), parts.transport.size(),
             {[this] { return hold(); }, [this](schedule::Point const& point) EIN_REQUIRES(mutex_) { stop(point); },
              [this] { parts_.run_state.steer([](Dispatcher& dispatcher) { dispatcher.go_on(); }); }}) {
    parts_.run_state.change([](Dispatcher& dispatcher) { dispatcher.keep_stoppable(); });
}

bool RunStops::hear(CheckpointWatch::Note const& note) {
    MutexLock const lock(mutex_);
    return watch_.hear(note);
}

void RunStops::tick(double now, std::vector<CheckpointWatch::Note>& out) {
    MutexLock const lock(mutex_);
    if (!target_ && !resuming_) watch_.tick(parts_.checkpoints.wanted(now), out);
}

bool RunStops::under_way() const {
    MutexLock const lock(mutex_);
    return watch_.under_way();
}

std::optional<schedule::Point> RunStops::hold() {
    return parts_.run_state.steer([&](Dispatcher& dispatcher) -> std::optional<schedule::Point> {
        if (!dispatcher.executes()) return std::nullopt;  // a rank that has no task left is at every moment behind
        auto point =
            schedule::next_point(parts_.header, parts_.section, dispatcher.unstarted(), dispatcher.iterations());
        if (point) dispatcher.stop_before(schedule::stop_at(parts_.header, parts_.section, *point), false);
        return point;
    });
}

void RunStops::stop(schedule::Point const& point) {
    target_ = point;
    parts_.run_state.steer([&](Dispatcher& dispatcher) {
        dispatcher.stop_before(schedule::stop_at(parts_.header, parts_.section, point), true);
    });
}

bool RunStops::resume() {
    auto const& point = parts_.checkpoints.resumed_at();
    if (!point) return false;
    schedule::Stop const stop = schedule::stop_at(parts_.header, parts_.section, *point);
    schedule::IterationCounts const begun = begun_of_ranks_loops();
    done_before_ = schedule::runs_before(parts_.section, stop.before, begun);
    parts_.run_state.change([&](Dispatcher& dispatcher) {
        dispatcher.skip_to(stop, begun);
        skipped_ = dispatcher.finished();
    });
    for (LiveBox const& each : live(stop.before)) restore(each);
    parts_.run_state.change([](Dispatcher& dispatcher) { dispatcher.go_on(); });
    MutexLock const lock(mutex_);
    resuming_ = false;
    return true;
}

/// Iterations that had begun when the checkpoint was saved, by this rank's loops.
schedule::IterationCounts RunStops::begun_of_ranks_loops() const {
    Table<schedule::LoopSpecId, std::int64_t> const begun = parts_.checkpoints.begun();
    schedule::IterationCounts out;
    for (schedule::Loop const& loop : parts_.section.loops) out.add(begun[loop.spec]);
    return out;
}

void RunStops::restore(LiveBox const& live) {
    auto const fill = [&](std::span<std::byte> bytes) {
        BlockId const block =
            live.block ? *live.block : parts_.section.as<schedule::Spill>(parts_.section.tasks[*live.spill]).block;
        for (schedule::InputId input : parts_.header.inputs.ids())
            if (parts_.header.inputs[input].tensor == live.tensor) {
                SoloWorkerTeam alone;
                return parts_.readers[input].read(parts_.section, parts_.section.blocks[block], bytes, alone);
            }
        if (live.layout) return parts_.checkpoints.load(live.tensor, live.box, *live.layout, bytes);
        parts_.checkpoints.load(live.tensor, live.box, bytes);
    };
    if (live.block) return fill(parts_.run_state.storage().in_host(*live.block, HostUse::write));
    schedule::Task const& spill = parts_.section.tasks[*live.spill];
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(parts_.section.bytes_of(parts_.section.as<schedule::Spill>(spill).block)));
    fill(bytes);
    auto const fetches = parts_.run_state.read([&](Dispatcher const& dispatcher) {
        std::int32_t to_come = 0;
        for (TaskId t : parts_.section.tasks.ids()) {
            schedule::Task const& task = parts_.section.tasks[t];
            if (task.is<schedule::Fetch>() && !dispatcher.ended(t) &&
                parts_.section.as<schedule::Fetch>(task).spill == *live.spill)
                ++to_come;
        }
        return to_come;
    });
    parts_.spills->restore(*live.spill, bytes, fetches);
}

std::vector<LiveBox> RunStops::live(TaskId before) const {
    return parts_.run_state.read([&](Dispatcher const& dispatcher) {
        std::vector<bool> held(parts_.section.blocks.size());
        for (BlockId block : parts_.section.blocks.ids()) held[at(block)] = dispatcher.store().held(block);
        return live_boxes(parts_.section, held, before);
    });
}

std::span<std::byte const> RunStops::read(LiveBox const& live, std::vector<std::byte>& buffer) const {
    if (live.block) return parts_.run_state.storage().in_host(*live.block, HostUse::read);
    schedule::Spill const& spill = parts_.section.as<schedule::Spill>(parts_.section.tasks[*live.spill]);
    buffer.resize(static_cast<std::size_t>(parts_.section.bytes_of(spill.block)));
    parts_.spills->read(*live.spill, buffer);
    return buffer;
}

/// A rank may have done all that it has before a target of which it has not heard yet: ranks tell it here.
bool RunStops::arrive(double now) {
    std::string mine;
    {
        MutexLock const lock(mutex_);
        mine = std::to_string(watch_.last_question()) + ":" + to_text(target_);
    }
    int settled = 0;
    std::optional<schedule::Point> target;
    for (std::string const& text : parts_.transport.all_gather(mine)) {
        std::size_t const end = text.find(':');
        settled = std::max(settled, std::stoi(text.substr(0, end)));
        if (end + 1 < text.size()) target = point_from(text.substr(end + 1));
    }
    if (!target) return false;
    {
        MutexLock const lock(mutex_);
        if (!target_) go_to(*target);
    }
    bool const stands = parts_.run_state.read([](Dispatcher const& dispatcher) { return dispatcher.stands_at_stop(); });
    std::vector<std::string> const missed = parts_.transport.all_gather(stands ? "" : "missed");
    if (std::all_of(missed.begin(), missed.end(), [](std::string const& each) { return each.empty(); })) {
        save(*target, now);
        leave_stop(settled);
        return !ended();
    }
    if (auto const next = latest_of_all()) {  // a loop ended before the point: on to the next one
        MutexLock const lock(mutex_);
        go_to(*next);
    } else {
        leave_stop(settled);
    }
    return true;
}

void RunStops::begin(double now) {
    std::vector<std::string> const wanted = parts_.transport.all_gather(parts_.checkpoints.wanted(now) ? "wanted" : "");
    if (std::all_of(wanted.begin(), wanted.end(), [](std::string const& each) { return each.empty(); })) return;
    if (auto const first = latest_of_all()) {
        MutexLock const lock(mutex_);
        go_to(*first);
    }
}

/// To a point that ranks have agreed on as they met.
void RunStops::go_to(schedule::Point const& point) {
    watch_.stops_elsewhere();
    stop(point);
}

void RunStops::leave_stop(int settled) {
    MutexLock const lock(mutex_);
    target_.reset();
    watch_.arrived(settled);
    if (ended()) return;  // other threads start no task behind it
    parts_.run_state.change([](Dispatcher& dispatcher) { dispatcher.go_on(); });
}

/// Collective: the latest of the next points of all. Nothing where a rank has no point left.
std::optional<schedule::Point> RunStops::latest_of_all() {
    return latest_point(parts_.header, parts_.transport.all_gather(to_text(next_point())));
}

std::optional<schedule::Point> RunStops::next_point() const {
    return parts_.run_state.read([&](Dispatcher const& dispatcher) {
        return schedule::next_point(parts_.header, parts_.section, dispatcher.unstarted(), dispatcher.iterations());
    });
}

void RunStops::save(schedule::Point const& point, double now) {
    TaskId const before = schedule::stop_at(parts_.header, parts_.section, point).before;
    schedule::IterationCounts const begun =
        parts_.run_state.read([](Dispatcher const& dispatcher) { return dispatcher.iterations().begun(); });
    Table<TaskId, std::int64_t> const runs = schedule::runs_before(parts_.section, before, begun);
    Checkpoints::State state;
    state.point = point;
    state.live = live(before);
    state.read = [this](LiveBox const& live, std::vector<std::byte>& buffer) { return read(live, buffer); };
    state.begun = begun_of_all(begun);
    state.tasks_done = std::accumulate(runs.begin(), runs.end(), std::int64_t{0});
    state.now = now;
    if (parts_.checkpoints.save(state) == Checkpoints::Then::end) ended_before_ = before;
    ++saves_;
}

RunStops::DoneHere RunStops::done_here(schedule::IterationCounts const& begun) const {
    TaskId const end = ended_before_ ? *ended_before_ : parts_.section.tasks.end_id();
    Table<TaskId, std::int64_t> done = schedule::runs_before(parts_.section, end, begun);
    if (!done_before_.empty())
        for (TaskId task : done.ids()) done[task] -= done_before_[task];
    schedule::Runs const runs(std::move(done));
    return {schedule::flops(parts_.header, parts_.section, runs), schedule::exchanged(parts_.section, runs)};
}

/// A rank knows of the loops in which it has tasks.
Table<schedule::LoopSpecId, std::int64_t> RunStops::begun_of_all(schedule::IterationCounts const& mine) const {
    Table<schedule::LoopSpecId, std::int64_t> out(parts_.header.loops.size(), 0);
    for (schedule::LoopId loop : mine.ids()) out[parts_.section.loops[loop].spec] = mine[loop];
    std::string text;
    for (std::int64_t count : out) text += std::to_string(count) + " ";
    for (std::string const& theirs : parts_.transport.all_gather(text)) {
        std::size_t from = 0;
        for (std::int64_t& count : out) {
            std::size_t const end = theirs.find(' ', from);
            count = std::max<std::int64_t>(count, std::stoll(theirs.substr(from, end - from)));
            from = end + 1;
        }
    }
    return out;
}

}  // namespace ein::executor
