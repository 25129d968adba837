#include "scheduler/order/sends_first.hpp"

#include <algorithm>
#include <deque>

#include "lib/schedule/memory/replay.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

using schedule::Section;
using schedule::Task;

/// A task that cuts a piece for other ranks, and the first place at which it may stand.
struct CutTask {
    TaskId task, earliest;
};

/// The cuts whose blocks, in list order, are made and not all sent.
class Window {
public:
    explicit Window(std::int64_t bytes) : bytes_(bytes) {}

    /// Enters the next cut. @return the first place at which it finds room
    TaskId enter(std::int64_t bytes, TaskId last_send) {
        while (open_.size() > 1 && filled_ + bytes > bytes_) {
            filled_ -= open_.front().bytes;
            free_from_ = std::max(free_from_, following(open_.front().last_send));
            open_.pop_front();
        }
        open_.push_back({bytes, last_send});
        filled_ += bytes;
        return free_from_;
    }

private:
    struct Open {
        std::int64_t bytes;
        TaskId last_send;
    };
    std::int64_t bytes_, filled_ = 0;
    std::deque<Open> open_;
    TaskId free_from_{0};
};

/// Copies and packs whose output only sends read and that could stand earlier, in order.
std::vector<CutTask> cuts_of(Section const& section, std::vector<TaskId> const& node_begins, std::int64_t window) {
    Table<BlockId, std::int32_t> sends(section.blocks.size(), 0);
    Table<BlockId, TaskId> last_send(section.blocks.size());
    Table<BlockId, OptionalId<TaskId>> last_write(section.blocks.size());
    for (TaskId t : section.tasks.ids()) {
        if (!section.tasks[t].is<schedule::Send>()) continue;
        BlockId const block = section.as<schedule::Send>(section.tasks[t]).block;
        ++sends[block];
        last_send[block] = t;
    }
    auto const is_cut = [&](Task const& task) {
        if (!(task.is<schedule::Copy>() || task.is<schedule::Pack>()) || task.after()) return false;
        BlockId const result = *task.result();
        return section.blocks[result].writers == 1 && sends[result] > 0 &&
               sends[result] == section.blocks[result].readers;
    };
    std::vector<CutTask> cuts;
    Window open(window);
    auto node = node_begins.begin();
    for (TaskId t : section.tasks.ids()) {
        while (node != node_begins.end() && *node <= t) ++node;
        Task const& task = section.tasks[t];
        if (is_cut(task) && node != node_begins.begin()) {
            TaskId earliest = *(node - 1);
            for (BlockId input : section.reads(task))
                if (last_write[input]) earliest = std::max(earliest, following(*last_write[input]));
            BlockId const result = *task.result();
            earliest = std::max(earliest, open.enter(section.bytes_of(result), last_send[result]));
            if (earliest < t) cuts.push_back({t, earliest});
        }
        if (task.result()) last_write[*task.result()] = t;
    }
    return cuts;
}

/// How early each of `cuts` may stand: where its block has room all the way to its old place. Blocks that are then read
/// for the last time earlier only make more.
void leave_within_peak(std::vector<CutTask>& cuts, Section const& section) {
    schedule::Profile profile = schedule::replay(section);
    for (CutTask& cut : cuts) {
        std::int64_t const bytes = section.bytes_of(*section.tasks[cut.task].result());
        TaskId const earliest = std::max(cut.earliest, TaskId{cut.task.value() - tuning::farthest_cut});
        TaskId place = cut.task;
        while (place > earliest && profile.live[at(place) - 1] + bytes <= profile.peak) {
            place = TaskId{place.value() - 1};
            profile.live[at(place)] += bytes;
        }
        cut.earliest = place;
    }
}

}  // namespace

void sends_first(Section& section, std::vector<TaskId> const& node_begins, Room room, std::int64_t window) {
    std::vector<CutTask> cuts = cuts_of(section, node_begins, window);
    if (cuts.empty()) return;
    if (room == Room::within_peak) leave_within_peak(cuts, section);
    Table<TaskId, std::uint8_t> is_cut(section.tasks.size(), 0);
    for (CutTask const& cut : cuts) is_cut[cut.task] = 1;
    std::stable_sort(cuts.begin(), cuts.end(),
                     [](CutTask const& a, CutTask const& b) { return a.earliest < b.earliest; });

    Table<TaskId, TaskId> number(section.tasks.size());  // in the new order, by the old one
    Table<TaskId, Task> tasks;
    tasks.reserve(section.tasks.size());
    auto const take = [&](TaskId task) { number[task] = tasks.add(section.tasks[task]); };
    auto cut = cuts.begin();
    for (TaskId t : section.tasks.ids()) {
        for (; cut != cuts.end() && cut->earliest == t; ++cut) take(cut->task);
        if (is_cut[t] == 0) take(t);
    }
    for (Task& task : tasks)
        if (task.after()) task.set_after(number[*task.after()]);
    section.tasks = std::move(tasks);
}

}  // namespace ein::scheduler
