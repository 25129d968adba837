#include "lib/schedule/memory/replay.hpp"

#include <algorithm>

#include "lib/base/saturating.hpp"
#include "lib/schedule/dispatch/iterations.hpp"
#include "lib/schedule/fusion/members.hpp"

namespace ein::schedule {

namespace {

/// What tasks that are repeated add to what is live. All that they load is there from the beginning; each round ends
/// with as much more, or less, than it began with as the one before. But what stays the same in all of them goes with
/// the last.
class Rounds {
public:
    explicit Rounds(Section const& section) : section_(section) {}

    /// @return what is live before a task of the section, given what is there without rounds that end before it
    std::int64_t before(TaskId task, std::int64_t live, Profile& profile) {
        if (!section_.repeat) return live;
        Repeat const& repeat = *section_.repeat;
        if (task == repeat.end_load)
            for (TaskId load = repeat.first_load; load < repeat.end_load; load = following(load))
                live += repeat.times * section_.bytes_of(*section_.tasks[load].result());
        if (task == repeat.first_task) at_first_ = live;
        if (task != repeat.end_task) return live;
        std::int64_t const each = live - at_first_;
        std::int64_t gone = 0;
        auto next = gone_at_last_.begin();
        for (TaskId t = repeat.first_task; t < task; t = following(t)) {
            std::int64_t const first = profile.live[static_cast<std::size_t>(t.value())];
            profile.peak =
                std::max({profile.peak, first + (repeat.times - 1) * each, first + repeat.times * each - gone});
            for (; next != gone_at_last_.end() && next->first == t; ++next) gone += next->second;
        }
        return live + repeat.times * each - gone;
    }

    /// Whether a block that the task is the last to read is kept for later rounds.
    bool keeps(TaskId task, BlockId block) {
        if (!section_.repeat || !section_.repeat->contains(task) || !section_.repeat->stays(block)) return false;
        gone_at_last_.emplace_back(task, section_.bytes_of(block));
        return true;
    }

private:
    Section const& section_;
    std::int64_t at_first_ = 0;                                  // before the first round
    std::vector<std::pair<TaskId, std::int64_t>> gone_at_last_;  // bytes behind tasks, in their order
};

}  // namespace

Profile replay(Section const& section) {
    Table<BlockId, std::int32_t> readers(section.blocks.size()), writers(section.blocks.size());
    Table<BlockId, std::int64_t> bytes(section.blocks.size());
    for (BlockId b : section.blocks.ids()) {
        readers[b] = section.blocks[b].readers;
        writers[b] = section.blocks[b].writers;
        bytes[b] = section.bytes_of(b);
    }
    Profile profile;
    profile.live.reserve(section.tasks.size());
    Rounds rounds(section);
    std::int64_t live = 0;
    for (TaskId t : section.tasks.ids()) {
        Task const& task = section.tasks[t];
        live = rounds.before(t, live, profile);
        OptionalId<BlockId> const result = task.result();
        OptionalId<BlockId> const taken = section.taken_over(task);
        if (result && !taken && writers[*result] == section.blocks[*result].writers) live += bytes[*result];
        profile.live.push_back(live);
        profile.peak = std::max(profile.peak, live);
        if (result && --writers[*result] == 0 && readers[*result] == 0) live -= bytes[*result];
        for (BlockId block : section.reads(task))
            if (--readers[block] == 0 && taken != OptionalId(block) && !rounds.keeps(t, block)) live -= bytes[block];
    }
    profile.at_end = rounds.before(section.tasks.end_id(), live, profile);
    profile.peak += section.room;
    return profile;
}

IterationCounts predicted_iterations(Header const& header, Section const& section) {
    IterationCounts out(section.loops.size(), 1);
    for (auto l = section.loops.end_id(); l > LoopId{0};) {  // outer ones first
        l = LoopId{l.value() - 1};
        Loop const& loop = section.loops[l];
        out[l] = saturating_product(out[l], header.loops[loop.spec].iterations);
        for (LoopId inner{0}; inner < l; inner = following(inner))
            if (loop.contains(section.loops[inner])) out[inner] = out[l];
    }
    return out;
}

Runs::Runs(Section const& section, IterationCounts const& iterations) {
    if (section.repeat)  // where there are no loops
        for (TaskId task : section.tasks.ids()) of_task_.add(section.times(task));
    auto const loops = loops_of_tasks(section);
    of_task_.reserve(loops.size());
    for (OptionalId<LoopId> loop : loops) of_task_.add(loop ? iterations[*loop] : 1);
}

namespace {

/// Of a kernel over some lengths. Tasks of one kernel mostly have the same: what was worked out last is kept.
struct Operations {
    std::span<Extent const> lengths;
    double fresh = 0, added = 0;  // without and for accumulation
};

Operations operations_of(graph::EinSum const& einsum, std::span<Extent const> lengths) {
    Operations out{lengths, graph::flops(einsum, lengths), 1};
    for (int label : einsum.output) out.added *= static_cast<double>(lengths[static_cast<std::size_t>(label)]);
    return out;
}

}  // namespace

void visit_flops(Header const& header, Section const& section, Runs const& runs,
                 std::function<void(TaskId, KernelId, double)> const& visit) {
    Table<KernelId, Operations> last(header.kernels.size());
    auto const operations = [&](KernelId kernel, std::span<Extent const> lengths) -> Operations const& {
        Operations& known = last[kernel];
        if (known.lengths.data() == nullptr || !std::ranges::equal(known.lengths, lengths))
            known = operations_of(header.kernels[kernel].einsum, lengths);
        return known;
    };
    for (TaskId t : section.tasks.ids()) {
        Task const& task = section.tasks[t];
        auto const times = static_cast<double>(runs.of(t));
        if (task.is<Fused>())
            for_each_member(header, section.as<Fused>(task), [&](FusionSpec::Member const& member, BoxView region) {
                visit(t, member.kernel, operations(member.kernel, region.length).fresh * times);
            });
        std::optional<Apply> const call = section.kernel_call(task);
        if (!call) continue;
        Operations const& known = operations(call->kernel, call->region.length);
        visit(t, call->kernel,
              (known.fresh * section.listed_share(header.kernels[call->kernel], *call) +
               (call->accumulates ? known.added : 0.0)) *
                  times);
    }
}

double flops(Header const& header, Section const& section, Runs const& runs) {
    double out = 0;
    visit_flops(header, section, runs, [&](TaskId, KernelId, double operations) { out += operations; });
    return out;
}

Exchanged exchanged(Section const& section, IterationCounts const& iterations) {
    return exchanged(section, Runs(section, iterations));
}

Exchanged exchanged(Section const& section, Runs const& runs) {
    Exchanged out;
    for (TaskId t : section.tasks.ids()) {
        if (!section.tasks[t].traits().counts_bytes) continue;
        std::int64_t const bytes = saturating_product(section.bytes_moved(section.tasks[t]), runs.of(t));
        bool const is_send = section.tasks[t].is<Send>();
        std::int64_t& moved = is_send ? out.sent : out.received;
        moved = saturating_sum(moved, bytes);
        if (is_send) out.messages_sent = saturating_sum(out.messages_sent, runs.of(t));
    }
    return out;
}

DiskUse disk_use(Section const& section) {
    DiskUse use;
    Table<TaskId, std::int32_t> fetches(section.tasks.size(), 0);  // still to come, by spill
    for (Task const& task : section.tasks)
        if (task.is<Fetch>()) ++fetches[section.as<Fetch>(task).spill];
    std::int64_t live = 0;
    for (Task const& task : section.tasks) {
        if (task.is<Spill>()) {
            std::int64_t const size = section.bytes_of(section.as<Spill>(task).block);
            ++use.blocks;
            use.written += size;
            live += size;
            use.peak = std::max(use.peak, live);
        }
        if (task.is<Fetch>()) {
            auto const fetch = section.as<Fetch>(task);
            use.read += section.bytes_of(fetch.result);
            if (--fetches[fetch.spill] == 0) live -= section.bytes_of(fetch.result);
        }
    }
    return use;
}

DiskUse disk_use(Schedule const& schedule) {
    DiskUse sum;
    for (Section const& section : schedule.sections) {
        DiskUse const use = disk_use(section);
        sum.blocks += use.blocks;
        sum.written += use.written;
        sum.read += use.read;
        sum.peak += use.peak;
    }
    return sum;
}

}  // namespace ein::schedule
