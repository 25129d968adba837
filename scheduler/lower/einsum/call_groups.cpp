#include "scheduler/lower/einsum/call_groups.hpp"

#include <algorithm>

namespace ein::scheduler {
namespace {

std::vector<CallGroup> members_by_group(std::vector<Call> const& calls, Waves const& waves) {
    std::size_t groups = 0;
    for (Call const& call : calls) groups = std::max(groups, call.group + 1);
    std::vector<CallGroup> out(groups);
    for (auto const& wave : waves)
        for (std::size_t c : wave) {
            std::vector<Rank>& members = out[calls[c].group].members;
            if (std::find(members.begin(), members.end(), calls[c].rank) == members.end())
                members.push_back(calls[c].rank);
        }
    return out;
}

}  // namespace

std::vector<SumPart> sum_parts(CallGroup const& group, std::int64_t each) {
    std::vector<SumPart> out;
    for (std::size_t s = 0; s < group.subblocks.size(); ++s) {
        Box const& box = group.subblocks[s].box;
        std::size_t axis = 0;
        while (axis + 1 < box.order() && box.length[axis] < 2) ++axis;
        Parts cuts(box.order(), 1);
        if (box.order() > 0) cuts[axis] = std::clamp<std::int64_t>(box.length[axis], 1, each);
        std::size_t const keeper = keeper_of(s, group.subblocks.size(), group.members.size(), 0);
        for_each_index(cuts, [&](std::vector<Extent> const& index) {
            Box part = block_box(box.length, cuts, index);
            for (std::size_t a = 0; a < part.order(); ++a) part.begin[a] += box.begin[a];
            out.push_back({std::move(part), s, keeper});
        });
    }
    return out;
}

Waves waves_of(std::vector<Call> const& calls, int ranks) {
    std::vector<std::size_t> seen(static_cast<std::size_t>(ranks), 0);
    Waves waves;
    for (std::size_t c = 0; c < calls.size(); ++c) {
        std::size_t const wave = seen[static_cast<std::size_t>(calls[c].rank.value())]++;
        if (wave == waves.size()) waves.emplace_back();
        waves[wave].push_back(c);
    }
    return waves;
}

std::vector<CallGroup> groups_of(LoweringContext const& context, graph::Node const& node, graph::EinSum const& einsum,
                                 std::vector<Call> const& calls, Waves const& waves, DType accumulated) {
    std::vector<CallGroup> out = members_by_group(calls, waves);
    auto const element = static_cast<std::int64_t>(size_of(accumulated));
    bool const pipelined = context.is_pipelined(node.output);
    auto const call_is_split = [&](Call const& call, CallGroup const& group, Box const& box) {
        std::vector<Box> subblocks;
        for (Cut::Block const& subblock : group.subblocks) subblocks.push_back(subblock.box);
        bool const staged = !subblocks.empty() &&
                            context.options.staging.suits(group.members.size(), subblocks[0].elements() * element);
        return !staged && subblocks_pay(einsum, call.region, subblocks, static_cast<double>(box.elements() * element),
                                        static_cast<double>(element), context.options.split);
    };
    std::vector<std::uint8_t> whole(out.size(), 0);  // by group: some call would not be split
    for (Call const& call : calls) {
        CallGroup& group = out[call.group];
        if ((group.members.size() < 2 && !pipelined) || whole[call.group] != 0) continue;
        Box const box = projected(call.region, einsum.output);
        if (group.subblocks.empty()) group.subblocks = context.directory.cut(node.output).blocks_meeting(box);
        if (!pipelined && !call_is_split(call, group, box)) whole[call.group] = 1;
    }
    for (std::size_t g = 0; g < out.size(); ++g) {
        if (whole[g] != 0) out[g].subblocks.clear();
        out[g].parts = sum_parts(out[g], 1);
    }
    return out;
}

}  // namespace ein::scheduler
