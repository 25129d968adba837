#include "lib/schedule/memory/replay.hpp"

#include <algorithm>

#include "lib/base/saturating.hpp"
#include "lib/schedule/dispatch/iterations.hpp"

namespace ein::schedule {

Profile replay(Section const& section) {
    std::vector<std::int32_t> readers(section.blocks.size()), writers(section.blocks.size());
    for (std::size_t b = 0; b < section.blocks.size(); ++b) {
        readers[b] = section.blocks[b].readers;
        writers[b] = section.blocks[b].writers;
    }
    Profile profile;
    profile.live.reserve(section.tasks.size());
    std::int64_t live = 0;
    auto bytes = [&](std::int32_t block) { return section.bytes_of(section.blocks[static_cast<std::size_t>(block)]); };
    for (Task const& task : section.tasks) {
        auto const output = static_cast<std::size_t>(task.output);
        if (task.output >= 0 && writers[output] == section.blocks[output].writers) live += bytes(task.output);
        profile.live.push_back(live);
        profile.peak = std::max(profile.peak, live);
        if (task.output >= 0 && --writers[output] == 0 && readers[output] == 0) live -= bytes(task.output);
        for (std::int32_t input : section.inputs_of(task))
            if (--readers[static_cast<std::size_t>(input)] == 0) live -= bytes(input);
    }
    profile.at_end = live;
    return profile;
}

std::vector<std::int64_t> predicted_turns(Header const& header, Section const& section) {
    std::vector<std::int64_t> out(section.loops.size(), 1);
    for (std::size_t l = section.loops.size(); l-- > 0;) {  // outer ones first
        Loop const& loop = section.loops[l];
        LoopSpec const& spec = header.loops[static_cast<std::size_t>(loop.spec)];
        out[l] = saturating_product(out[l], spec.turns);
        for (std::size_t inner = 0; inner < l; ++inner)
            if (section.loops[inner].first >= loop.first && section.loops[inner].turn < loop.turn) out[inner] = out[l];
    }
    return out;
}

Runs::Runs(Section const& section, std::span<std::int64_t const> turns) {
    for (std::int32_t loop : loops_of_tasks(section))
        of_task_.push_back(loop < 0 ? 1 : turns[static_cast<std::size_t>(loop)]);
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

double flops(Header const& header, Section const& section, Runs const& runs) {
    std::vector<Operations> last(header.kernels.size());
    double out = 0;
    for (std::size_t t = 0; t < section.tasks.size(); ++t) {
        Task const& task = section.tasks[t];
        if (task.kind != TaskKind::apply && task.kind != TaskKind::reduce) continue;
        auto const lengths = std::span(section.coords)
                                 .subspan(static_cast<std::size_t>(task.coords + task.order),
                                          static_cast<std::size_t>(task.order));
        auto const kernel = static_cast<std::size_t>(task.spec);
        Operations& known = last[kernel];
        if (known.lengths.data() == nullptr || !std::ranges::equal(known.lengths, lengths))
            known = operations_of(header.kernels[kernel].einsum, lengths);
        out += (known.fresh + (task.accumulate ? known.added : 0.0)) * static_cast<double>(runs.of(t));
    }
    return out;
}

Exchanged exchanged(Section const& section, std::span<std::int64_t const> turns) {
    Runs const runs(section, turns);
    Exchanged out;
    for (std::size_t t = 0; t < section.tasks.size(); ++t) {
        Task const& task = section.tasks[t];
        if (task.kind != TaskKind::send && task.kind != TaskKind::receive) continue;
        std::int64_t const bytes = saturating_product(section.message_of(task).bytes, runs.of(t));
        std::int64_t& moved = task.kind == TaskKind::send ? out.sent : out.received;
        moved = saturating_sum(moved, bytes);
        if (task.kind == TaskKind::send) out.messages_sent = saturating_sum(out.messages_sent, runs.of(t));
    }
    return out;
}

DiskUse disk_use(Section const& section) {
    DiskUse use;
    std::vector<std::int32_t> fetches(section.tasks.size(), 0);  // still to come, by spill
    for (Task const& task : section.tasks)
        if (task.kind == TaskKind::fetch) ++fetches[static_cast<std::size_t>(task.after)];
    std::int64_t live = 0;
    auto bytes = [&](std::int32_t block) { return section.bytes_of(section.blocks[static_cast<std::size_t>(block)]); };
    for (Task const& task : section.tasks) {
        if (task.kind == TaskKind::spill) {
            std::int64_t const size = bytes(section.inputs_of(task)[0]);
            ++use.blocks;
            use.written += size;
            live += size;
            use.peak = std::max(use.peak, live);
        }
        if (task.kind == TaskKind::fetch) {
            use.read += bytes(task.output);
            if (--fetches[static_cast<std::size_t>(task.after)] == 0) live -= bytes(task.output);
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
