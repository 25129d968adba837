// An EinSum as a TRA join and aggregation over blocks: a kernel call for each tuple of the join, partial results of one group on one rank
// accumulated in one block; those of several ranks are combined in combine.cpp. A block of a leaf that several calls want is loaded slice by slice by their ranks and then exchanged (an all-gather).
#include <algorithm>
#include <map>
#include <set>

#include "scheduler/lower/lowering.hpp"

namespace ein::scheduler {

using schedule::TaskKind;

namespace {

/// The calls of each rank, the k-th of every rank in wave k.
template <class Call>
std::vector<std::vector<std::size_t>> waves_of(std::vector<Call> const& calls, int ranks) {
    std::vector<std::size_t> seen(static_cast<std::size_t>(ranks), 0);
    std::vector<std::vector<std::size_t>> waves;
    for (std::size_t c = 0; c < calls.size(); ++c) {
        std::size_t const wave = seen[static_cast<std::size_t>(calls[c].rank.value())]++;
        if (wave == waves.size()) waves.emplace_back();
        waves[wave].push_back(c);
    }
    return waves;
}

/// The smallest box around two.
Box hull(Box const& a, Box const& b) {
    Box out = a;
    for (std::size_t axis = 0; axis < a.order(); ++axis) {
        out.begin[axis] = std::min(a.begin[axis], b.begin[axis]);
        out.length[axis] = std::max(a.end(axis), b.end(axis)) - out.begin[axis];
    }
    return out;
}

}  // namespace

std::vector<Lowering::Call> Lowering::calls_of(graph::Node const& node, graph::EinSum const& einsum,
                                               relation::NodePlan const& plan) {
    std::vector<int> const labels = relation::call_labels(einsum);
    Parts counts;
    for (int label : labels) counts.push_back(plan.parts[static_cast<std::size_t>(label)]);
    std::size_t const group_calls = static_cast<std::size_t>(relation::calls_of_a_block(einsum, plan.parts));
    std::vector<Call> calls;
    std::vector<std::vector<Held>> held;
    std::vector<std::map<Box, std::vector<Held>>> known(einsum.operands());  // many calls want the same block
    auto held_of = [&](std::size_t k, Box region) -> std::vector<Held> const& {
        auto const [at, fresh] = known[k].try_emplace(std::move(region));
        if (fresh) at->second = residency_.held(node.inputs[k], at->first);
        return at->second;
    };
    for_each_index(counts, [&](std::vector<Extent> const& index) {
        Call call{Box::whole(einsum.extents), calls.size() / group_calls, Rank{0}};
        for (std::size_t k = 0; k < labels.size(); ++k) {
            auto const label = static_cast<std::size_t>(labels[k]);
            call.region.begin[label] = part_begin(einsum.extents[label], plan.parts[label], index[k]);
            call.region.length[label] = part_length(einsum.extents[label], plan.parts[label], index[k]);
        }
        std::map<Rank, double> bytes;
        for (std::size_t k = 0; k < einsum.operands(); ++k)
            for (Held const& h : held_of(k, projected(call.region, einsum.inputs[k]))) bytes[h.rank] += h.bytes;
        held.emplace_back();
        for (auto const& [rank, amount] : bytes) held.back().push_back({rank, amount});
        calls.push_back(std::move(call));
    });
    place(calls, plan, std::move(held));
    if (!plan.ranks.empty() && static_cast<std::int64_t>(calls.size()) > plan_.calls)
        merge_neighbours(node, einsum, calls);
    return calls;
}

/// A plan that cuts finer than was asked for, and says itself where calls go, does so for the shape of what each rank gets (see
/// planner/search/column_partition.hpp). Where every rank's calls of one output part make a box, they become one call.
void Lowering::merge_neighbours(graph::Node const& node, graph::EinSum const& einsum, std::vector<Call>& calls) {
    std::map<std::pair<Box, Rank>, Call> merged;  // by interval of the aggregated labels, and rank
    std::map<std::pair<Box, Rank>, Extent> covered;
    std::vector<int> const aggregated = einsum.aggregated();
    for (Call const& call : calls) {
        std::pair const key(projected(call.region, aggregated), call.rank);
        covered[key] += call.region.elements();
        auto const [at, added] = merged.try_emplace(key, call);
        if (!added) at->second.region = hull(at->second.region, call.region);
    }
    std::vector<Box> parts;
    for (auto& [key, call] : merged) {
        if (covered[key] != call.region.elements()) return;  // not a box
        Box const part = projected(call.region, einsum.output);
        auto const known = std::find(parts.begin(), parts.end(), part);
        call.group = static_cast<std::size_t>(known - parts.begin());
        if (known == parts.end()) parts.push_back(part);
    }
    if (merged.size() % parts.size() != 0) return;
    calls.clear();
    for (auto& [key, call] : merged) calls.push_back(std::move(call));
    std::stable_sort(calls.begin(), calls.end(), [](Call const& a, Call const& b) { return a.group < b.group; });
    call_counts_[static_cast<std::size_t>(node_.value())] = static_cast<std::int64_t>(calls.size());
    residency_.merge(node.output, std::move(parts));
    residency_.wants_merged_parts();
}

Parts Lowering::slices_of(ValueId id, std::size_t part, std::size_t sharers) const {
    return shared_slices(residency_.cut(id), part, sharers, size_of(value(id).dtype),
                         parts_[static_cast<std::size_t>(id.value())].wanted, options_.slice_bytes, options_.piecing);
}

/// Leaves that are read here for the first time: each part is loaded in slices by the ranks that want it.
void Lowering::share_leaves(graph::Node const& node, graph::EinSum const& einsum, std::vector<Call> const& calls) {
    std::set<ValueId> const inputs(node.inputs.begin(), node.inputs.end());
    for (ValueId leaf : inputs) {
        if (!residency_.is_fresh_leaf(leaf)) continue;
        Cut const& cut = residency_.cut(leaf);
        std::vector<std::vector<Rank>> sharers(cut.part_count());
        for (Call const& call : calls)
            for (std::size_t k = 0; k < einsum.operands(); ++k) {
                if (node.inputs[k] != leaf) continue;
                for (std::size_t part : cut.parts_meeting(projected(call.region, einsum.inputs[k])))
                    if (std::find(sharers[part].begin(), sharers[part].end(), call.rank) == sharers[part].end())
                        sharers[part].push_back(call.rank);
            }
        std::vector<Parts> slices;
        std::vector<Rank> loaders;
        for (std::size_t part = 0; part < sharers.size(); ++part) {
            slices.push_back(slices_of(leaf, part, sharers[part].size()));
            auto const count = static_cast<std::size_t>(element_count(slices.back()));
            std::size_t const ranks = sharers[part].size();
            for (std::size_t s = 0; s < count && ranks > 0; ++s)  // whole parts go round their sharers
                loaders.push_back(sharers[part][(s * ranks / count + (count == 1 ? part : 0)) % ranks]);
        }
        residency_.slice(leaf, std::move(slices));
        if (loaders.size() == residency_.cut(leaf).blocks()) residency_.load_on(leaf, loaders);
    }
}

/// Parts of the output of which several ranks have partial results are cut into a slice for each of those.
void Lowering::slice_partials(graph::Node const& node, std::vector<Call> const& calls, std::size_t group_calls) {
    std::vector<Parts> slices;
    for (std::size_t first = 0; first < calls.size(); first += group_calls) {
        std::set<Rank> ranks;
        for (std::size_t c = first; c < first + group_calls; ++c) ranks.insert(calls[c].rank);
        slices.push_back(slices_of(node.output, slices.size(), ranks.size()));
    }
    residency_.slice(node.output, std::move(slices));
}

/// Every part is made in the slices that its readers want.
void Lowering::slice_stream(ValueId id) {
    residency_.slice(
        id, std::vector<Parts>(residency_.cut(id).part_count(), streams_[static_cast<std::size_t>(id.value())]));
}

/// What several calls of a wave want is brought to all of them at once, where that can be done in stages.
void Lowering::spread_operands(graph::Node const& node, graph::EinSum const& einsum, std::vector<Call> const& calls,
                               std::vector<std::size_t> const& wave) {
    if (wave.size() < options_.staging.ranks) return;
    for (std::size_t k = 0; k < einsum.operands(); ++k) {
        std::map<Box, std::vector<Rank>> wanted;
        for (std::size_t c : wave) wanted[projected(calls[c].region, einsum.inputs[k])].push_back(calls[c].rank);
        residency_.begin_operand(k);
        for (auto& [region, ranks] : wanted) residency_.spread(node.inputs[k], region, std::move(ranks));
    }
}

/// Which of the group's members keeps slice s of the `slices` of output block `number`.
std::size_t Lowering::keeper_of(std::size_t s, std::size_t slices, std::size_t members, std::size_t number) {
    return slices == 1 ? number % members : s * members / slices;
}

/// Which ranks make each output block, and whether slice by slice: where it is streamed; where several ranks have partial results, every
/// call's part of a slice is work enough, and the slices are not exchanged in stages.
std::vector<Lowering::Group> Lowering::groups_of(graph::Node const& node, graph::EinSum const& einsum,
                                                 std::vector<Call> const& calls,
                                                 std::vector<std::vector<std::size_t>> const& waves,
                                                 DType accumulated) const {
    std::size_t groups = 0;
    for (Call const& call : calls) groups = std::max(groups, call.group + 1);
    std::vector<Group> out(groups);
    for (auto const& wave : waves)
        for (std::size_t c : wave) {
            std::vector<Rank>& members = out[calls[c].group].members;
            if (std::find(members.begin(), members.end(), calls[c].rank) == members.end())
                members.push_back(calls[c].rank);
        }
    std::vector<std::uint8_t> pays(groups, 1);
    for (Call const& call : calls) {
        Group& group = out[call.group];
        bool const streamed = is_streamed(node.output);
        if ((group.members.size() < 2 && !streamed) || pays[call.group] == 0) continue;
        Box const box = projected(call.region, einsum.output);
        if (group.slices.empty()) group.slices = residency_.blocks_meeting(node.output, box);
        if (streamed) continue;
        std::vector<Box> slices;
        for (BlockDirectory::Piece const& slice : group.slices) slices.push_back(slice.box);
        auto const element = static_cast<std::int64_t>(size_of(accumulated));
        bool const staged =
            !slices.empty() && options_.staging.suits(group.members.size(), slices[0].elements() * element);
        if (staged || !slices_pay(einsum, call.region, slices, static_cast<double>(box.elements() * element),
                                  static_cast<double>(element), options_.piecing))
            pays[call.group] = 0;
    }
    for (std::size_t g = 0; g < groups; ++g)
        if (pays[g] == 0) out[g].slices.clear();
    return out;
}

/// Decides what a call is made of and has its operands brought.
Lowering::PreparedCall Lowering::prepared(graph::Node const& node, graph::EinSum const& einsum, Call const& call,
                                          Group const& group, bool may_accumulate) {
    CallParts parts;
    parts.may_accumulate = may_accumulate;
    parts.element_size = static_cast<double>(size_of(value(node.inputs[0]).dtype));
    for (std::size_t s = 0; s < group.slices.size(); ++s) {
        parts.slices.push_back(group.slices[s].box);
        parts.keepers.push_back(group.members[keeper_of(s, group.slices.size(), group.members.size(), 0)]);
    }
    bool in_pieces = !parts.slices.empty();
    auto const points = static_cast<double>(call.region.elements());
    bool const large = points >= 2 * std::min(options_.piecing.product_points, options_.piecing.other_points);
    for (std::size_t k = 0; k < einsum.operands() && large; ++k) {
        parts.operands.push_back(
            residency_.sources(node.inputs[k], projected(call.region, einsum.inputs[k]), call.rank));
        in_pieces = in_pieces || parts.operands.back().size() > 1;
    }
    PreparedCall out;
    if (in_pieces) {
        parts.operands.resize(einsum.operands());
        out.pieces = split_call(einsum, call.region, parts, call.rank, plan_.ranks, options_.piecing);
    } else {
        out.pieces.list.push_back({call.region, 0, std::vector<std::size_t>(einsum.operands(), 0), false});
        out.pieces.by_source.assign(einsum.operands(), false);
    }
    bring_operands(node, einsum, call, parts, out);
    return out;
}

/// Operands that every piece reads first, then sources in the order in which the pieces want them.
void Lowering::bring_operands(graph::Node const& node, graph::EinSum const& einsum, Call const& call,
                              CallParts const& parts, PreparedCall& out) {
    for (std::size_t k = 0; k < einsum.operands(); ++k) {
        out.operands.emplace_back(out.pieces.by_source[k] ? parts.operands[k].size() : 1, BlockId{-1});
        if (out.pieces.by_source[k]) continue;
        residency_.begin_operand(k);
        out.operands[k][0] = residency_.need(node.inputs[k], projected(call.region, einsum.inputs[k]), call.rank).block;
    }
    for (SubCall const& piece : out.pieces.list)
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            BlockId& block = out.operands[k][piece.sources[k]];
            if (!out.pieces.by_source[k] || block != BlockId{-1}) continue;
            residency_.begin_operand(k);
            block = residency_
                        .need_source(node.inputs[k], projected(call.region, einsum.inputs[k]),
                                     parts.operands[k][piece.sources[k]], call.rank)
                        .block;
        }
}

/// The tasks of one call. Those that write one block come one after the other in a fixed order, so that its bits are always the same.
void Lowering::apply(graph::Node const& node, graph::EinSum const& einsum, std::int32_t kernel, Call const& call,
                     PreparedCall const& made, DType dtype, Group& group) {
    std::size_t const before = group.partials.size();
    auto const block_of = [&](Box const& box) {
        for (std::size_t p = 0; p < group.partials.size(); ++p)
            if (group.partials[p].rank == call.rank && group.partials[p].box == box) return p;
        BlockId const block = on(call.rank).add_block(node.output.value(), dtype, box);
        group.partials.push_back({call.rank, block, box, -1});
        return group.partials.size() - 1;
    };
    for (SubCall const& piece : made.pieces.list) {
        std::vector<BlockId> operands;
        for (std::size_t k = 0; k < einsum.operands(); ++k) operands.push_back(made.operands[k][piece.sources[k]]);
        std::size_t const number =
            block_of(group.slices.empty() ? projected(call.region, einsum.output) : group.slices[piece.slice].box);
        Partial& partial = group.partials[number];
        partial.last = on(call.rank).add({.kind = TaskKind::apply,
                                          .spec = kernel,
                                          .inputs = std::move(operands),
                                          .output = partial.block,
                                          .region = piece.region,
                                          .accumulate = piece.accumulate || number < before,
                                          .after = partial.last,
                                          .may_wait = is_streamed(node.output)});
    }
}

void Lowering::lower(graph::Node const& node, graph::EinSum const& einsum, relation::NodePlan const& plan) {
    if (auto const inside = carried_.by_result.find(node.output); inside != carried_.by_result.end())
        return lower_result(node, inside->second);
    if (is_identity(node, einsum)) return lower_identity(node, einsum, plan);
    graph::EinSumTypes const types = graph::types_of(graph_, node);
    std::vector<Call> const calls = calls_of(node, einsum, plan);
    std::size_t const group_calls = calls.size() / residency_.cut(node.output).part_count();
    share_leaves(node, einsum, calls);
    if (group_calls > 1) slice_partials(node, calls, group_calls);
    if (is_streamed(node.output)) slice_stream(node.output);
    std::int32_t const kernel = tables_.kernel({node.name, einsum, types.compute});
    Combining how{group_calls > 1, types.accumulate, -1};
    if (how.partial) {
        graph::EinSum identity = graph::identity_einsum(value(node.output).shape);
        identity.agg = einsum.agg;
        how.kernel = tables_.kernel({node.name, std::move(identity), types.accumulate});
    }
    DType const dtype = how.partial ? types.accumulate : value(node.output).dtype;
    auto const waves = waves_of(calls, plan_.ranks);
    std::vector<Group> groups = groups_of(node, einsum, calls, waves, types.accumulate);
    std::vector<std::vector<PreparedCall>> made(waves.size());  // by wave, then call of the wave
    auto bring = [&](std::size_t wave) {
        if (wave >= waves.size()) return;
        spread_operands(node, einsum, calls, waves[wave]);
        residency_.exchange([&] {
            for (std::size_t c : waves[wave])
                made[wave].push_back(
                    prepared(node, einsum, calls[c], groups[calls[c].group], dtype == types.accumulate));
        });
    };
    bring(0);
    for (std::size_t wave = 0; wave < waves.size(); ++wave) {
        bring(wave + 1);  // while this wave computes
        for (std::size_t k = 0; k < waves[wave].size(); ++k) {
            Call const& call = calls[waves[wave][k]];
            apply(node, einsum, kernel, call, made[wave][k], dtype, groups[call.group]);
        }
        made[wave].clear();
    }
    for (std::size_t g = 0; g < groups.size(); ++g)
        combine(node, how, projected(calls[g * group_calls].region, einsum.output), groups[g], g);
}

}  // namespace ein::scheduler
