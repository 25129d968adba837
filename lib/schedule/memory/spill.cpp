#include "lib/schedule/memory/spill.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "lib/base/error.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/dispatch/task_links.hpp"

namespace ein::schedule {

namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

/// The blocks that a task has in memory, each once.
void blocks_of(Section const& section, Task const& task, std::vector<std::int32_t>& out) {
    auto const inputs = section.inputs_of(task);
    out.assign(inputs.begin(), inputs.end());
    if (task.output >= 0) out.push_back(task.output);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

/// For each block the tasks that have it in memory, in order; the first of them that is still to come is next().
class Uses {
public:
    explicit Uses(Section const& section) : first_(section.blocks.size() + 1, 0) {
        std::vector<std::int32_t> blocks;
        for (Task const& task : section.tasks) {
            blocks_of(section, task, blocks);
            for (std::int32_t block : blocks) ++first_[at(block) + 1];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        tasks_.resize(first_.back());
        next_ = first_;
        for (std::size_t t = 0; t < section.tasks.size(); ++t) {
            blocks_of(section, section.tasks[t], blocks);
            for (std::int32_t block : blocks) tasks_[next_[at(block)]++] = static_cast<std::int32_t>(t);
        }
        next_.assign(first_.begin(), first_.end());
    }

    bool none_left(std::int32_t block) const { return next_[at(block)] == first_[at(block) + 1]; }
    std::int32_t next(std::int32_t block) const { return tasks_[next_[at(block)]]; }
    void pass(std::int32_t block) { ++next_[at(block)]; }
    /// The use after the first.
    std::int32_t second(std::int32_t block) const {
        std::size_t const second = first_[at(block)] + 1;
        return second < first_[at(block) + 1] ? tasks_[second] : 0;
    }

private:
    std::vector<std::size_t> first_, next_;
    std::vector<std::int32_t> tasks_;
};

/// Replays a section and writes down the same with spills.
class Spilling {
public:
    Spilling(Section const& section, std::int64_t budget)
        : in_(section), budget_(budget), uses_(section), places_(section.blocks.size()), new_id_(section.tasks.size()) {
        out_.coords = in_.coords;
        out_.blocks = in_.blocks;
        for (std::size_t b = 0; b < in_.blocks.size(); ++b) {
            out_.blocks[b].readers = out_.blocks[b].writers = 0;
            places_[b].bytes = in_.bytes_of(in_.blocks[b]);
        }
    }

    Section run() {
        std::vector<std::int32_t> order(in_.tasks.size());
        std::iota(order.begin(), order.end(), 0);
        TaskLinks const links(in_);
        auto const stores = order.begin() + links.stores_begin().value();
        soonest_used_last(order.begin(), order.begin() + links.loads_end().value());
        for (auto task = order.begin(); task != stores; ++task) take(*task);
        std::stable_partition(stores, order.end(), [&](std::int32_t task) { return in_memory(task); });
        for (auto task = stores; task != order.end(); ++task) take(*task);
        return std::move(out_);
    }

private:
    /// Where a block of the section is.
    struct Place {
        std::int64_t bytes = 0;
        std::int32_t now =
            -1;  // the block of the new section that has its elements, or had them last; -1: not made yet
        bool in_memory = false;
        std::int32_t on_disk = -1;  // the spill that wrote the elements that it has now; -1: none did
        std::int32_t fetched = -1;  // the fetch that made `now`; -1: a task of the section did
    };
    using Order = std::vector<std::int32_t>::iterator;

    /// What is loaded last stays in memory: that should be what is used first.
    void soonest_used_last(Order begin, Order end) {
        bool const loads_only =
            std::all_of(begin, end, [&](std::int32_t t) { return in_.tasks[at(t)].kind == TaskKind::load; });
        if (!loads_only) return;
        std::stable_sort(begin, end, [&](std::int32_t a, std::int32_t b) {
            return uses_.second(in_.tasks[at(a)].output) > uses_.second(in_.tasks[at(b)].output);
        });
    }

    /// A store whose block needs no fetch: when these are done there is room for all others.
    bool in_memory(std::int32_t task) const {
        auto const inputs = in_.inputs_of(in_.tasks[at(task)]);
        return in_.tasks[at(task)].kind == TaskKind::store &&
               std::all_of(inputs.begin(), inputs.end(), [&](std::int32_t b) { return places_[at(b)].in_memory; });
    }

    void take(std::int32_t task) {
        blocks_of(in_, in_.tasks[at(task)], wanted_);
        std::int64_t missing = 0;
        for (std::int32_t block : wanted_) {
            may_leave_.erase({uses_.next(block), block});
            if (!places_[at(block)].in_memory) missing += places_[at(block)].bytes;
        }
        make_room(missing);
        for (std::int32_t block : wanted_)
            if (!places_[at(block)].in_memory) bring(block);
        repeat(task);
        for (std::int32_t block : wanted_) {
            uses_.pass(block);
            if (uses_.none_left(block))
                leave(block);
            else if (places_[at(block)].bytes > 0)
                may_leave_.insert({uses_.next(block), block});
        }
    }

    void make_room(std::int64_t bytes) {
        std::int64_t excess = live_ + bytes - budget_;
        std::vector<std::int32_t> leaving;
        for (auto next = may_leave_.rbegin(); excess > 0; ++next) {
            promise(next != may_leave_.rend(), "a section is spilled for a budget that is too small for it");
            leaving.push_back(next->second);
            excess -= places_[at(next->second)].bytes;
        }
        while (!leaving.empty()) {  // the sooner used first: it may stay where the others are enough
            std::int32_t const block = leaving.back();
            leaving.pop_back();
            if (excess + places_[at(block)].bytes <= 0)
                excess += places_[at(block)].bytes;
            else
                evict(block);
        }
    }

    void evict(std::int32_t block) {
        Place& place = places_[at(block)];
        if (place.on_disk < 0) {
            Task spill;
            spill.kind = TaskKind::spill;
            place.on_disk = add(spill, {&place.now, 1});
        }
        may_leave_.erase({uses_.next(block), block});
        leave(block);
    }

    void leave(std::int32_t block) {
        places_[at(block)].in_memory = false;
        live_ -= places_[at(block)].bytes;
    }

    /// Into memory: from disk, or as a new block that the next task makes.
    void bring(std::int32_t block) {
        Place& place = places_[at(block)];
        place.in_memory = true;
        live_ += place.bytes;
        if (place.now < 0) {
            place.now = block;
            return;
        }
        place.now = static_cast<std::int32_t>(out_.blocks.size());
        out_.blocks.push_back(in_.blocks[at(block)]);
        out_.blocks.back().readers = out_.blocks.back().writers = 0;
        Task fetch;
        fetch.kind = TaskKind::fetch;
        fetch.after = place.on_disk;
        fetch.output = place.now;
        place.fetched = add(fetch, {});
    }

    /// A task of the section, with blocks and tasks as they are named now.
    void repeat(std::int32_t id) {
        Task task = in_.tasks[at(id)];
        renamed_.clear();
        for (std::int32_t input : in_.inputs_of(task)) renamed_.push_back(places_[at(input)].now);
        if (task.after >= 0) task.after = new_id_[at(task.after)];
        Place* const output = task.output >= 0 ? &places_[at(task.output)] : nullptr;
        if (output != nullptr) {
            if (task.kind != TaskKind::fetch) task.after = std::max(task.after, output->fetched);
            output->on_disk = task.kind == TaskKind::fetch ? task.after : -1;
            task.output = output->now;
        }
        new_id_[at(id)] = add(task, renamed_);
    }

    std::int32_t add(Task task, std::span<std::int32_t const> inputs) {
        task.first_input = static_cast<std::int32_t>(out_.inputs.size());
        task.inputs = static_cast<std::int32_t>(inputs.size());
        out_.inputs.insert(out_.inputs.end(), inputs.begin(), inputs.end());
        for (std::int32_t input : inputs) ++out_.blocks[at(input)].readers;
        if (task.output >= 0) ++out_.blocks[at(task.output)].writers;
        out_.tasks.push_back(task);
        return static_cast<std::int32_t>(out_.tasks.size()) - 1;
    }

    Section const& in_;
    std::int64_t budget_;
    Uses uses_;
    std::vector<Place> places_;                                  // by block of the section
    std::vector<std::int32_t> new_id_;                           // by task of the section
    std::set<std::pair<std::int32_t, std::int32_t>> may_leave_;  // next use and block, of those in memory
    std::int64_t live_ = 0;
    Section out_;
    std::vector<std::int32_t> wanted_, renamed_;
};

}  // namespace

std::int64_t smallest_budget(Section const& section) {
    if (!section.loops.empty()) return replay(section).peak;
    std::int64_t most = 0;
    std::vector<std::int32_t> blocks;
    for (Task const& task : section.tasks) {
        blocks_of(section, task, blocks);
        std::int64_t bytes = 0;
        for (std::int32_t block : blocks) bytes += section.bytes_of(section.blocks[at(block)]);
        most = std::max(most, bytes);
    }
    return most;
}

std::int64_t smallest_budget(Schedule const& schedule) {
    std::int64_t most = 0;
    for (Section const& section : schedule.sections) most = std::max(most, smallest_budget(section));
    return most;
}

Section with_spills(Section const& section, std::int64_t budget) { return Spilling(section, budget).run(); }

Schedule with_spills(Schedule schedule, std::int64_t budget) {
    for (std::size_t rank = 0; rank < schedule.sections.size(); ++rank) {
        std::int64_t& peak = schedule.header.prediction.peak_bytes[rank];
        if (peak <= budget) continue;
        schedule.sections[rank] = with_spills(schedule.sections[rank], budget);
        peak = replay(schedule.sections[rank]).peak;
    }
    return schedule;
}

}  // namespace ein::schedule
