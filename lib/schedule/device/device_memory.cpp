#include "lib/schedule/device/device_memory.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/sizes.hpp"
#include "lib/schedule/print.hpp"

namespace ein::schedule {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max() / 8;

/// The blocks that a task has on the device, each once, inputs first.
void blocks_of(Section const& section, Task const& task, std::vector<BlockId>& out) {
    out.clear();
    auto const add = [&](std::int32_t block) {
        if (block >= 0 && std::find(out.begin(), out.end(), BlockId{block}) == out.end()) out.push_back(BlockId{block});
    };
    if (is_on_device(task.kind))
        for (std::int32_t input : section.inputs_of(task)) add(input);
    add(task.output);
}

}  // namespace

bool is_on_device(TaskKind kind) {
    switch (kind) {
        case TaskKind::apply:
        case TaskKind::reduce:
        case TaskKind::fill:
        case TaskKind::copy:
        case TaskKind::reshape:
        case TaskKind::pack:
        case TaskKind::unpack: return true;
        default: return false;
    }
}

WorkingSet largest_working_set(Section const& section) {
    WorkingSet out;
    std::vector<BlockId> blocks;
    for (std::size_t t = 0; t < section.tasks.size(); ++t) {
        if (!is_on_device(section.tasks[t].kind)) continue;
        blocks_of(section, section.tasks[t], blocks);
        std::int64_t bytes = 0;
        for (BlockId block : blocks)
            bytes += DeviceMemory::rounded(section.bytes_of(section.blocks[static_cast<std::size_t>(block.value())]));
        if (bytes > out.bytes) out = {bytes, TaskId{static_cast<std::int32_t>(t)}};
    }
    return out;
}

void check_device_memory(Header const& header, Section const& section, std::int64_t capacity, std::string const& mend) {
    WorkingSet const needed = largest_working_set(section);
    if (needed.bytes <= capacity) return;
    Task const& task = section.tasks[static_cast<std::size_t>(needed.task.value())];
    throw MemoryError("node '" + node_of(header, task) + "': expected at least " + format_exact_bytes(needed.bytes) +
                      " of device memory, for what one " + std::string(name(task.kind)) +
                      " of it reads and writes, found " + format_exact_bytes(capacity) + "; " + mend);
}

DeviceMemory::DeviceMemory(Section const& section, std::int64_t capacity)
    : section_(section), places_(capacity), capacity_(capacity), states_(section.blocks.size()) {
    std::int64_t all = 0;
    for (std::size_t b = 0; b < states_.size(); ++b) {
        states_[b].bytes = section.bytes_of(section.blocks[b]);
        states_[b].room = rounded(states_[b].bytes);
        all += states_[b].room;
    }
    tight_ = all > capacity;
    note_uses();
    note_wanted(true);
    note_turns();
}

void DeviceMemory::note_wanted(bool by_messages) {
    for (State& state : states_) state.wanted = false;
    for (Task const& task : section_.tasks)
        if (task.kind == TaskKind::store || task.kind == TaskKind::spill ||
            (by_messages && task.kind == TaskKind::send))
            for (std::int32_t input : section_.inputs_of(task)) of(BlockId{input}).wanted = true;
    for (Loop const& loop : section_.loops)
        if (loop.condition >= 0) of(BlockId{loop.condition}).wanted = true;
}

void DeviceMemory::exchange_directly() {
    promise(!tight_, "messages from a device whose blocks may have to leave it");
    note_wanted(false);
    for (Task const& task : section_.tasks)
        if (is_on_device(task.kind))
            for (std::int32_t input : section_.inputs_of(task)) of(BlockId{input}).used_here = true;
    for (Task const& task : section_.tasks)
        if (task.kind == TaskKind::receive && of(BlockId{task.output}).used_here)
            of(BlockId{task.output}).made_here = true;
}

void DeviceMemory::note_uses() {
    first_use_.assign(states_.size() + 1, 0);
    std::vector<BlockId> blocks;
    auto const for_each_use = [&](auto const& visit) {
        for (std::size_t t = 0; t < section_.tasks.size(); ++t) {
            Task const& task = section_.tasks[t];
            blocks_of(section_, task, blocks);
            for (BlockId block : blocks)
                if (is_on_device(task.kind) || (task.kind == TaskKind::receive && of(block).made_here))
                    visit(block, static_cast<std::int32_t>(t));
        }
    };
    for (Task const& task : section_.tasks) {
        if (is_on_device(task.kind) && task.output >= 0) of(BlockId{task.output}).made_here = true;
    }
    for_each_use([&](BlockId block, std::int32_t) { ++first_use_[static_cast<std::size_t>(block.value()) + 1]; });
    std::partial_sum(first_use_.begin(), first_use_.end(), first_use_.begin());
    uses_.resize(first_use_.back());
    std::vector<std::size_t> next = first_use_;
    for_each_use([&](BlockId block, std::int32_t t) { uses_[next[static_cast<std::size_t>(block.value())]++] = t; });
}

void DeviceMemory::note_turns() {
    becomes_.assign(states_.size(), -1);
    for (Loop const& loop : section_.loops) {
        for (Loop::Carry const& carry : loop.carries) becomes_[static_cast<std::size_t>(carry.next)] = carry.inside;
    }
}

/// Tasks from `after` to the block's next use, through the turns of the loops that they are in.
std::int64_t DeviceMemory::next_use(BlockId block, TaskId after) const {
    auto const uses = [&](BlockId of) {
        auto const at = static_cast<std::size_t>(of.value());
        return std::span(uses_).subspan(first_use_[at], first_use_[at + 1] - first_use_[at]);
    };
    auto const mine = uses(block);
    auto const later = std::upper_bound(mine.begin(), mine.end(), after.value());
    std::int64_t const straight = later == mine.end() ? never : *later;
    for (Loop const& loop : section_.loops) {
        if (after.value() < loop.first || after.value() > loop.turn) continue;
        if (straight <= loop.turn) return straight;
        std::int32_t const heir = becomes_[static_cast<std::size_t>(block.value())];
        auto const again = heir >= 0 ? uses(BlockId{heir}) : mine;
        auto const first = std::lower_bound(again.begin(), again.end(), loop.first);
        if (first != again.end() && *first <= loop.turn) return std::int64_t{loop.turn} + *first - loop.first + 1;
    }
    return straight;
}

void DeviceMemory::bring(TaskId id, std::vector<Step>& steps) {
    Task const& task = section_.tasks[static_cast<std::size_t>(id.value())];
    steps.clear();
    blocks_of(section_, task, operands_);
    now_ = id;
    ++turn_;
    for (BlockId block : operands_) {
        State& state = of(block);
        state.pinned = true;
        state.turn = turn_;
        if (state.place >= 0 && tight_) here_.erase({state.next, block.value()});
        state.next = tight_ ? next_use(block, id) : 0;
        if (state.place >= 0 && tight_) here_.insert({state.next, block.value()});
    }
    for (BlockId block : operands_) find_room(block, steps);
    for (BlockId block : operands_) of(block).pinned = false;
    if (task.output >= 0) {
        State& output = of(BlockId{task.output});
        output.device = true;
        output.host = false;
    }
}

void DeviceMemory::find_room(BlockId block, std::vector<Step>& steps) {
    State& state = of(block);
    while (state.place < 0) {
        if (auto const place = places_.take(state.room)) {
            state.place = *place;
            in_use_ += state.room;
            traffic_.peak = std::max(traffic_.peak, in_use_);
            if (tight_) here_.insert({state.next, block.value()});
            steps.push_back({state.host ? Step::Kind::copy_in : Step::Kind::room, block, *place});
            if (state.host) traffic_.copied_in += state.bytes;
            if (state.host) state.device = true;
        } else if (!evict_one(steps)) {
            return begin_anew(steps);
        }
    }
}

bool DeviceMemory::evict_one(std::vector<Step>& steps) {
    BlockId const block = to_evict();
    if (block.value() < 0) return false;
    evict(block, steps);
    return true;
}

/// What is used last; but of two that are needed late, rather the one that no kernel
/// may be busy with still, so that copies need not wait.
BlockId DeviceMemory::to_evict() const {
    BlockId last{-1};
    for (auto at = here_.rbegin(); at != here_.rend(); ++at) {
        State const& state = states_[static_cast<std::size_t>(at->second)];
        if (state.pinned) continue;
        bool const idle = state.turn < turn_ - 1;
        if (last.value() < 0) {
            last = BlockId{at->second};
            if (idle) return last;
        } else if (4 * (at->first - now_.value()) < 3 * (of(last).next - now_.value())) {
            return last;
        } else if (idle) {
            return BlockId{at->second};
        }
    }
    return last;
}

void DeviceMemory::evict(BlockId block, std::vector<Step>& steps) {
    State& state = of(block);
    steps.push_back({state.host ? Step::Kind::drop : Step::Kind::copy_out, block, state.place});
    if (!state.host) traffic_.evicted += state.bytes;
    state.host = true;
    state.device = false;
    leave(block);
}

/// Room is there, but in gaps that are too small: the task's own blocks leave and come back, one behind another.
void DeviceMemory::begin_anew(std::vector<Step>& steps) {
    std::int64_t together = 0;
    for (BlockId block : operands_) together += of(block).room;
    promise(together <= capacity_, "a task's blocks do not fit into the device's memory together");
    for (BlockId block : operands_) {
        State& state = of(block);
        if (state.place < 0) continue;
        if (state.host || state.device) {
            evict(block, steps);
        } else {
            steps.push_back({Step::Kind::drop, block, state.place});
            leave(block);
        }
    }
    for (BlockId block : operands_) find_room(block, steps);
}

void DeviceMemory::leave(BlockId block) {
    State& state = of(block);
    if (tight_) here_.erase({state.next, block.value()});
    places_.give(state.place, state.room);
    in_use_ -= state.room;
    state.place = -1;
}

void DeviceMemory::remove(BlockId block) {
    if (is_here(block)) leave(block);
    of(block).host = of(block).device = false;
}

void DeviceMemory::move(BlockId from, BlockId to) {
    State &old = of(from), &heir = of(to);
    promise(heir.place < 0, "a loop's next block takes the place of one that is still on the device");
    if (old.place >= 0 && tight_) {
        here_.erase({old.next, from.value()});
        here_.insert({old.next, to.value()});
    }
    heir.place = std::exchange(old.place, -1);
    heir.next = old.next;
    heir.turn = old.turn;
    heir.host = std::exchange(old.host, false);
    heir.device = std::exchange(old.device, false);
}

void DeviceMemory::written_by_host(BlockId block) {
    if (is_here(block)) leave(block);
    of(block).host = true;
    of(block).device = false;
}

void DeviceMemory::copied_out(BlockId block) {
    of(block).host = true;
    traffic_.sent_home += of(block).bytes;
}

}  // namespace ein::schedule
