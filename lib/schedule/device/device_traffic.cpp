#include "lib/schedule/device/device_traffic.hpp"

#include <algorithm>

#include "lib/base/saturating.hpp"
#include "lib/schedule/device/tuning.hpp"
#include "lib/schedule/dispatch/dispatcher.hpp"
#include "lib/schedule/memory/replay.hpp"

namespace ein::schedule {

namespace {

/// Blocks that are counted, and are on a device that is only thought of.
class CountedBlocks {
public:
    CountedBlocks(Section const& section, std::int64_t) : section_(section), counts_(section.blocks.size()) {
        bytes_.reserve(section.blocks.size());
        for (BlockId block : section.blocks.ids()) {
            bytes_.add(section.bytes_of(block));
            begin_again(block);
        }
    }
    void live_on(DeviceMemory& device) { device_ = &device; }

    void reset_counts() {}  // one round
    void add_reader(BlockId block) { ++of(block).readers; }
    bool held(BlockId block) const { return counts_[block].held; }
    std::int64_t bytes(BlockId block) const { return bytes_[block]; }
    void allocate(BlockId block) { of(block).held = true; }
    void take_over(BlockId, BlockId, std::int32_t) {
        promise(false, "a block is taken over on a device with memory of its own");
    }
    bool wrote(BlockId block) {
        if (--of(block).writers > 0) return false;
        if (of(block).readers == 0) drop(block);
        return true;
    }
    bool read(BlockId block) {
        if (--of(block).readers > 0) return false;
        drop(block);
        return true;
    }
    bool is_true(BlockId) const { return true; }
    void drop(BlockId block) {
        if (held(block)) device_->remove(block);
        of(block).held = false;
    }
    void move(BlockId from, BlockId to) {
        device_->move(from, to);
        std::swap(of(from).held, of(to).held);
        of(to).readers = section_.blocks[to].readers;
        of(to).writers = 0;
        if (of(to).readers == 0) drop(to);
    }
    void begin_again(BlockId block) {
        of(block).readers = section_.blocks[block].readers;
        of(block).writers = section_.blocks[block].writers;
    }
    bool is_last_writer(BlockId block) const { return counts_[block].writers == 1; }
    void add_readers(BlockId block, std::int32_t readers) { of(block).readers += readers; }

private:
    struct Counts {
        std::int32_t readers = 0, writers = 0;
        bool held = false;
    };
    Counts& of(BlockId block) { return counts_[block]; }

    Section const& section_;
    DeviceMemory* device_ = nullptr;
    Table<BlockId, Counts> counts_;
    Table<BlockId, std::int64_t> bytes_;
};

class DryRun {
public:
    DryRun(Header const& header, Section const& section, std::int64_t capacity, bool direct, IterationCounts iterations)
        : section_(section),
          device_(section, capacity),
          dispatcher_(section, header.loops, replay(section), {.iterations = 2}),
          iterations_(std::move(iterations)),
          loop_of_(loops_of_tasks(section)),
          runs_(section.tasks.size(), 0) {
        dispatcher_.store().live_on(device_);
        direct_ = direct;
        if (direct) device_.exchange_directly();
    }

    DeviceTraffic run() {
        dispatcher_.begin_round(Inputs::used_up);
        for (Phase const phase : {Phase::load, Phase::execute, Phase::store}) {
            dispatcher_.begin_phase(phase);
            while (auto const task = next()) {
                DeviceTraffic const before = device_.traffic();
                run(*task);
                count(*task, before);
                dispatcher_.finish(*task);
            }
        }
        total_.peak = device_.traffic().peak;
        return total_;
    }

    std::int64_t host_peak() const { return device_.host_peak(); }
    std::int64_t largest_in_host() const { return device_.largest_in_host(); }

private:
    std::optional<TaskId> next() {
        if (auto const receive = dispatcher_.take_receive()) return receive;
        if (auto const send = dispatcher_.take_send()) return send;
        return dispatcher_.take_compute();
    }

    void run(TaskId id) {
        Task const& task = section_.tasks[id];
        OptionalId<BlockId> const result = task.result();
        bool const on_device = task.traits().is_on_device();
        if (on_device || (task.is<Receive>() && device_.is_made_here(*result)))
            device_.bring(id, steps_);
        else if (result)
            device_.written_by_host(*result);
        else if (task.is<Send>() && direct_ && device_.is_here(section_.reads(task)[0]))
            return;
        else if (task.traits().wants_host())
            for (BlockId block : section_.reads(task))
                if (!device_.host_has(block)) device_.copied_out(block);
        bool const last = on_device && result && dispatcher_.store().is_last_writer(*result);
        if (last && device_.is_wanted_by_host(*result)) device_.copied_out(*result);
    }

    /// A task's traffic stands for all iterations that are like this one.
    void count(TaskId id, DeviceTraffic const& before) {
        DeviceTraffic const& now = device_.traffic();
        std::int64_t const run = ++runs_[id];
        std::int64_t const iterations = loop_of_.empty() || !loop_of_[id] ? 1 : iterations_[*loop_of_[id]];
        std::int64_t const stands_for = run == 1   ? std::min<std::int64_t>(iterations, 1)
                                        : run == 2 ? std::max<std::int64_t>(iterations - 1, 0)
                                                   : 0;
        auto const add = [&](std::int64_t DeviceTraffic::*bytes) {
            total_.*bytes = saturating_sum(total_.*bytes, saturating_product(now.*bytes - before.*bytes, stands_for));
        };
        add(&DeviceTraffic::copied_in);
        add(&DeviceTraffic::evicted);
        add(&DeviceTraffic::sent_home);
    }

    Section const& section_;
    DeviceMemory device_;
    bool direct_ = false;
    Dispatcher<CountedBlocks> dispatcher_;
    IterationCounts iterations_;
    Table<TaskId, OptionalId<LoopId>> loop_of_;
    Table<TaskId, std::int64_t> runs_;  // of each task, so far
    std::vector<DeviceMemory::Step> steps_;
    DeviceTraffic total_;
};

}  // namespace

DeviceTraffic device_traffic(Header const& header, Section const& section, std::int64_t capacity, bool direct,
                             IterationCounts iterations) {
    if (iterations.empty()) iterations = predicted_iterations(header, section);
    return DryRun(header, section, capacity, direct, std::move(iterations)).run();
}

std::int64_t host_buffer_bytes(Header const& header, Section const& section, std::int64_t capacity) {
    DryRun dry(header, section, capacity, false, predicted_iterations(header, section));
    dry.run();
    std::int64_t all = 0, largest = 0;
    for (Task const& task : section.tasks) {
        if (!task.is<Receive>()) continue;
        std::int64_t const part = DeviceMemory::rounded(section.range_of(section.message(task)).bytes);
        all += part;
        largest = std::max(largest, part);
    }
    std::int64_t const blocks = dry.host_peak();
    std::int64_t const late = std::min(blocks, tuning::removed_later * dry.largest_in_host());
    return blocks + blocks / tuning::gaps_between_buffers + late + std::min(all, tuning::arriving_at_once * largest);
}

}  // namespace ein::schedule
