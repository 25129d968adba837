#include "lib/schedule/device/device_memory.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/schedule/print/print.hpp"

namespace ein::schedule {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max() / 8;

/// The blocks that a task has on the device, each once, inputs first.
void blocks_of(Section const& section, Task const& task, std::vector<BlockId>& out) {
    out.clear();
    auto const add = [&](BlockId block) {
        if (std::find(out.begin(), out.end(), block) == out.end()) out.push_back(block);
    };
    if (task.traits().is_on_device())
        for (BlockId block : section.reads(task)) add(block);
    if (task.result()) add(*task.result());
}

}  // namespace

WorkingSet largest_working_set(Section const& section) {
    WorkingSet out;
    std::vector<BlockId> blocks;
    for (TaskId t : section.tasks.ids()) {
        if (!section.tasks[t].traits().is_on_device()) continue;
        blocks_of(section, section.tasks[t], blocks);
        std::int64_t bytes = 0;
        for (BlockId block : blocks) bytes += DeviceMemory::rounded(section.bytes_of(block));
        if (bytes > out.bytes) out = {bytes, t};
    }
    return out;
}

void check_device_memory(Header const& header, Section const& section, std::int64_t capacity, std::string const& fix) {
    WorkingSet const needed = largest_working_set(section);
    if (needed.bytes <= capacity) return;
    Task const& task = section.tasks[needed.task];
    throw MemoryError("node '" + node_of(header, section, task) + "': expected at least " +
                      format_exact_bytes(needed.bytes) + " of device memory, for what one " +
                      std::string(task.traits().name) + " of it reads and writes, found " +
                      format_exact_bytes(capacity) + "; " + fix);
}

DeviceMemory::DeviceMemory(Section const& section, std::int64_t capacity)
    : section_(section), places_(capacity), capacity_(capacity), states_(section.blocks.size()) {
    std::int64_t all = 0;
    for (BlockId b : states_.ids()) {
        states_[b].bytes = section.bytes_of(b);
        states_[b].room = rounded(states_[b].bytes);
        all += states_[b].room;
    }
    tight_ = all > capacity;
    note_uses();
    note_wanted(true);
    note_carries();
}

void DeviceMemory::note_wanted(bool by_messages) {
    for (State& state : states_) state.wanted = state.stored = false;
    for (Task const& task : section_.tasks) {
        bool const leaves = task.traits().is_transfer() ? by_messages : task.traits().wants_host();
        if (!leaves) continue;
        for (BlockId block : section_.reads(task))
            (task.is<Store>() ? states_[block].stored : states_[block].wanted) = true;
    }
    for (Loop const& loop : section_.loops)
        if (loop.condition) states_[*loop.condition].wanted = true;
}

void DeviceMemory::exchange_directly() {
    promise(!tight_, "messages from a device whose blocks may have to leave it");
    note_wanted(false);
    for (Task const& task : section_.tasks)
        if (task.traits().is_on_device())
            for (BlockId block : section_.reads(task)) states_[block].used_here = true;
    for (Task const& task : section_.tasks)
        if (task.is<Receive>()) {
            State& received = states_[*task.result()];
            received.made_here = received.made_here || received.used_here;
        }
}

void DeviceMemory::note_uses() {
    first_use_.assign(states_.size() + 1, 0);
    std::vector<BlockId> blocks;
    auto const for_each_use = [&](auto const& visit) {
        for (TaskId t : section_.tasks.ids()) {
            Task const& task = section_.tasks[t];
            blocks_of(section_, task, blocks);
            for (BlockId block : blocks)
                if (task.traits().is_on_device() || (task.is<Receive>() && states_[block].made_here)) visit(block, t);
        }
    };
    for (Task const& task : section_.tasks)
        if (task.traits().is_on_device() && task.result()) states_[*task.result()].made_here = true;
    for_each_use([&](BlockId block, TaskId) { ++first_use_[following(block)]; });
    std::partial_sum(first_use_.begin(), first_use_.end(), first_use_.begin());
    uses_.resize(first_use_.back());
    Table<BlockId, std::size_t> next = first_use_;
    for_each_use([&](BlockId block, TaskId t) { uses_[next[block]++] = t; });
}

void DeviceMemory::note_carries() {
    becomes_.resize(states_.size());
    for (Loop const& loop : section_.loops)
        for (Loop::Carry const& carry : loop.carries) becomes_[carry.next] = carry.inside;
}

/// Tasks from `after` to the block's next use, through the iterations of the loops that they are in.
std::int64_t DeviceMemory::next_use(BlockId block, TaskId after) const {
    auto const uses = [&](BlockId of) {
        return std::span(uses_).subspan(first_use_[of], first_use_[following(of)] - first_use_[of]);
    };
    auto const mine = uses(block);
    auto const later = std::upper_bound(mine.begin(), mine.end(), after);
    std::int64_t const straight = later == mine.end() ? never : later->value();
    for (Loop const& loop : section_.loops) {
        if (!loop.contains(after)) continue;
        if (straight <= loop.last.value()) return straight;
        OptionalId<BlockId> const heir = becomes_[block];
        auto const again = heir ? uses(*heir) : mine;
        auto const first = std::lower_bound(again.begin(), again.end(), loop.first);
        if (first != again.end() && *first <= loop.last)
            return std::int64_t{loop.last.value()} + first->value() - loop.first.value() + 1;
    }
    return straight;
}

void DeviceMemory::bring(TaskId id, std::vector<Step>& steps) {
    Task const& task = section_.tasks[id];
    steps.clear();
    blocks_of(section_, task, operands_);
    now_ = id;
    ++bring_;
    for (BlockId block : operands_) {
        State& state = of(block);
        state.pinned = true;
        state.brought = bring_;
        if (state.place >= 0 && tight_) here_.erase({state.next, block});
        state.next = tight_ ? next_use(block, id) : 0;
        if (state.place >= 0 && tight_) here_.insert({state.next, block});
    }
    for (BlockId block : operands_) find_room(block, steps);
    for (BlockId block : operands_) of(block).pinned = false;
    if (task.result()) {
        State& result = of(*task.result());
        result.device = true;
        result.host = false;
    }
}

void DeviceMemory::find_room(BlockId block, std::vector<Step>& steps) {
    State& state = of(block);
    while (state.place < 0) {
        if (auto const place = places_.take(state.room)) {
            state.place = *place;
            in_use_ += state.room;
            traffic_.peak = std::max(traffic_.peak, in_use_);
            if (tight_) here_.insert({state.next, block});
            steps.push_back({state.host ? Step::Kind::copy_in : Step::Kind::room, block, *place});
            if (state.host) traffic_.copied_in += state.bytes;
            if (state.host) state.device = true;
        } else if (!evict_one(steps)) {
            return begin_anew(steps);
        }
    }
}

bool DeviceMemory::evict_one(std::vector<Step>& steps) {
    OptionalId<BlockId> const block = to_evict();
    if (!block) return false;
    evict(*block, steps);
    return true;
}

/// What is used last; but of two that are needed late, rather the one that no kernel
/// may be busy with still, so that copies need not wait.
OptionalId<BlockId> DeviceMemory::to_evict() const {
    OptionalId<BlockId> last;
    for (auto at = here_.rbegin(); at != here_.rend(); ++at) {
        State const& state = states_[at->second];
        if (state.pinned) continue;
        bool const idle = state.brought < bring_ - 1;
        if (!last) {
            last = at->second;
            if (idle) return last;
        } else if (4 * (at->first - now_.value()) < 3 * (of(*last).next - now_.value())) {
            return last;
        } else if (idle) {
            return at->second;
        }
    }
    return last;
}

void DeviceMemory::evict(BlockId block, std::vector<Step>& steps) {
    State& state = of(block);
    steps.push_back({state.host ? Step::Kind::drop : Step::Kind::copy_out, block, state.place});
    if (!state.host) traffic_.evicted += state.bytes;
    now_in_host(state);
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
    if (tight_) here_.erase({state.next, block});
    places_.give(state.place, state.room);
    in_use_ -= state.room;
    state.place = -1;
}

void DeviceMemory::remove(BlockId block) {
    if (is_here(block)) leave(block);
    State& state = of(block);
    state.host = state.device = false;
    if (std::exchange(state.buffered, false)) host_in_use_ -= state.room;
}

void DeviceMemory::move(BlockId from, BlockId to) {
    State &old = of(from), &heir = of(to);
    promise(heir.place < 0, "a loop's next block takes the place of one that is still on the device");
    if (old.place >= 0 && tight_) {
        here_.erase({old.next, from});
        here_.insert({old.next, to});
    }
    heir.place = std::exchange(old.place, -1);
    heir.next = old.next;
    heir.brought = old.brought;
    heir.host = std::exchange(old.host, false);
    heir.device = std::exchange(old.device, false);
    heir.buffered = std::exchange(old.buffered, false);
}

void DeviceMemory::now_in_host(State& state) {
    state.host = true;
    if (std::exchange(state.buffered, true)) return;
    host_in_use_ += state.room;
    largest_in_host_ = std::max(largest_in_host_, state.room);
    host_peak_ = std::max(host_peak_, host_in_use_);
}

void DeviceMemory::written_by_host(BlockId block) {
    if (is_here(block)) leave(block);
    now_in_host(of(block));
    of(block).device = false;
}

void DeviceMemory::copied_out(BlockId block) {
    now_in_host(of(block));
    traffic_.sent_home += of(block).bytes;
}

}  // namespace ein::schedule
