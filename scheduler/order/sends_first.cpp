#include "scheduler/order/sends_first.hpp"

#include <algorithm>
#include <deque>

#include "lib/schedule/memory/replay.hpp"

namespace ein::scheduler {
namespace {

using schedule::Section;
using schedule::Task;
using schedule::TaskKind;

struct Cut {
    std::int32_t task, earliest;
};

/// The cuts whose blocks, in list order, are made and not all sent.
class Window {
public:
    explicit Window(std::int64_t bytes) : bytes_(bytes) {}

    /// Enters the next cut. @return the first place at which it finds room
    std::int32_t enter(std::int64_t bytes, std::int32_t last_send) {
        while (open_.size() > 1 && filled_ + bytes > bytes_) {
            filled_ -= open_.front().bytes;
            free_from_ = std::max(free_from_, open_.front().last_send + 1);
            open_.pop_front();
        }
        open_.push_back({bytes, last_send});
        filled_ += bytes;
        return free_from_;
    }

private:
    struct Open {
        std::int64_t bytes;
        std::int32_t last_send;
    };
    std::int64_t bytes_, filled_ = 0;
    std::deque<Open> open_;
    std::int32_t free_from_ = 0;
};

/// Copies and packs whose output only sends read and that could stand earlier, in order.
std::vector<Cut> cuts_of(Section const& section, std::vector<std::int32_t> const& node_begins, std::int64_t window) {
    std::vector<std::int32_t> sends(section.blocks.size(), 0), last_send(section.blocks.size(), -1),
        last_write(section.blocks.size(), -1);
    for (std::int32_t t = 0; at(t) < section.tasks.size(); ++t) {
        if (section.tasks[at(t)].kind != TaskKind::send) continue;
        std::int32_t const block = section.inputs_of(section.tasks[at(t)])[0];
        ++sends[at(block)];
        last_send[at(block)] = t;
    }
    std::vector<Cut> cuts;
    Window open(window);
    auto node = node_begins.begin();
    for (std::int32_t t = 0; at(t) < section.tasks.size(); ++t) {
        while (node != node_begins.end() && *node <= t) ++node;
        Task const& task = section.tasks[at(t)];
        bool const cut = (task.kind == TaskKind::copy || task.kind == TaskKind::pack) && task.after < 0 &&
                         section.blocks[at(task.output)].writers == 1 && sends[at(task.output)] > 0 &&
                         sends[at(task.output)] == section.blocks[at(task.output)].readers;
        if (cut && node != node_begins.begin()) {
            std::int32_t earliest = *(node - 1);
            for (std::int32_t input : section.inputs_of(task)) earliest = std::max(earliest, last_write[at(input)] + 1);
            earliest = std::max(
                earliest, open.enter(section.bytes_of(section.blocks[at(task.output)]), last_send[at(task.output)]));
            if (earliest < t) cuts.push_back({t, earliest});
        }
        if (task.output >= 0) last_write[at(task.output)] = t;
    }
    return cuts;
}

/// A search for room ends here: nodes of many kernel calls would make it quadratic.
constexpr std::int32_t farthest = 4096;

/// How early each of `cuts` may stand: where its block has room all the way to its old place. Blocks that are then read for the last time
/// earlier only make more.
void leave_within_peak(std::vector<Cut>& cuts, Section const& section) {
    schedule::Profile profile = schedule::replay(section);
    for (Cut& cut : cuts) {
        std::int64_t const bytes = section.bytes_of(section.blocks[at(section.tasks[at(cut.task)].output)]);
        std::int32_t const earliest = std::max(cut.earliest, cut.task - farthest);
        std::int32_t place = cut.task;
        while (place > earliest && profile.live[at(place - 1)] + bytes <= profile.peak)
            profile.live[at(--place)] += bytes;
        cut.earliest = place;
    }
}

}  // namespace

void sends_first(Section& section, std::vector<std::int32_t> const& node_begins, Room room, std::int64_t window) {
    std::vector<Cut> cuts = cuts_of(section, node_begins, window);
    if (cuts.empty()) return;
    if (room == Room::within_peak) leave_within_peak(cuts, section);
    std::vector<std::uint8_t> is_cut(section.tasks.size(), 0);
    for (Cut const& cut : cuts) is_cut[at(cut.task)] = 1;
    std::stable_sort(cuts.begin(), cuts.end(), [](Cut const& a, Cut const& b) { return a.earliest < b.earliest; });

    std::vector<std::int32_t> number(section.tasks.size());  // in the new order, by the old one
    std::vector<Task> tasks;
    tasks.reserve(section.tasks.size());
    auto const take = [&](std::int32_t task) {
        number[at(task)] = static_cast<std::int32_t>(tasks.size());
        tasks.push_back(section.tasks[at(task)]);
    };
    auto cut = cuts.begin();
    for (std::int32_t t = 0; at(t) < section.tasks.size(); ++t) {
        for (; cut != cuts.end() && cut->earliest == t; ++cut) take(cut->task);
        if (is_cut[at(t)] == 0) take(t);
    }
    for (Task& task : tasks)
        if (task.after >= 0) task.after = number[at(task.after)];
    section.tasks = std::move(tasks);
}

}  // namespace ein::scheduler
