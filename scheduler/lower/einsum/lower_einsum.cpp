// An EinSum as a TRA join and aggregation over blocks: a kernel call for each tuple of the join, partial results of one
// group on one rank accumulated in one block; those of several ranks are combined by overlapped_sums.hpp and
// reduce_scatter.hpp.
#include <algorithm>
#include <map>
#include <numeric>

#include "lib/graph/sparse/idle_sets.hpp"
#include "lib/graph/sparse/layout.hpp"
#include "lib/graph/summation_order.hpp"
#include "scheduler/lower/einsum/einsum_calls.hpp"
#include "scheduler/lower/einsum/listed_clips.hpp"
#include "scheduler/lower/einsum/overlapped_sums.hpp"
#include "scheduler/lower/einsum/reduce_scatter.hpp"
#include "scheduler/lower/einsum/subblocks.hpp"
#include "scheduler/lower/lower_node.hpp"

namespace ein::scheduler {
namespace {

class EinSumLowering {
public:
    EinSumLowering(LoweringContext& context, NodeId id, graph::EinSum const& einsum)
        : context_(context),
          node_(context.graph.node(id)),
          einsum_(einsum),
          idle_(graph::idle_sets(context.graph, node_)),
          calls_(placed_calls(context, id, einsum)),
          clips_(context, node_, einsum, idle_, calls_) {}

    void run();

private:
    Box operand_box(std::size_t operand, Call const& call) const {
        return projected(call.region, einsum_.inputs[operand]);
    }
    bool is_sparse(std::size_t operand) const { return context_.value(node_.inputs[operand]).listing.has_value(); }
    std::size_t number_of(Call const& call) const { return static_cast<std::size_t>(&call - calls_.data()); }
    Box output_box(Call const& call) const { return projected(call.region, einsum_.output); }

    void cut_output();
    void enter_kernels();
    void cut_sums(Waves const& waves);
    void gather_operands(std::vector<std::size_t> const& wave);
    std::vector<PreparedCall> prepared(std::vector<std::size_t> const& wave);
    PreparedCall prepared(Call const& call);
    CallParts parts_of(Call const& call) const;
    SplitCall split(Call const& call, CallParts& parts) const;
    void bring_operands(Call const& call, CallParts const& parts, PreparedCall& out);
    void apply(Call const& call, PreparedCall const& made);
    void make_overlapped_sums(std::vector<std::size_t> const& wave, std::vector<PreparedCall> const& made);
    std::size_t partial_of(CallGroup& group, Call const& call, Box const& box);

    LoweringContext& context_;
    graph::Node const& node_;
    graph::EinSum const& einsum_;
    graph::IdleSets const idle_;
    std::vector<Call> calls_;
    ListedClips const clips_;
    std::vector<std::size_t> first_;  // call of each group, and at last the number of calls
    bool is_summed_ = false;          // some group has several calls
    schedule::KernelId kernel_;
    Combining how_;
    DType made_ = DType::f32;  // of what kernel calls write
    std::vector<CallGroup> groups_;
};

void EinSumLowering::run() {
    share_leaves(context_, node_, einsum_, calls_);
    cut_output();
    enter_kernels();
    Waves const waves = waves_of(calls_, context_.plan.ranks);
    groups_ = groups_of(context_, node_, einsum_, calls_, waves, how_.accumulated);
    cut_sums(waves);
    std::vector<PreparedCall> next = prepared(waves.empty() ? std::vector<std::size_t>{} : waves.front());
    for (std::size_t wave = 0; wave < waves.size(); ++wave) {
        std::vector<PreparedCall> const now = std::move(next);
        next.clear();
        if (wave + 1 < waves.size()) next = prepared(waves[wave + 1]);  // comes while this wave computes
        for (std::size_t k = 0; k < now.size(); ++k) {
            Call const& call = calls_[waves[wave][k]];
            if (!groups_[call.group].overlaps) apply(call, now[k]);
        }
        make_overlapped_sums(waves[wave], now);
    }
    ReduceScatter results(context_, node_, how_);
    for (std::size_t g = 0; g < groups_.size(); ++g)
        if (!groups_[g].overlaps) results.combine(output_box(calls_[first_[g]]), groups_[g], g);
}

void EinSumLowering::cut_output() {
    for (std::size_t c = 0; c < calls_.size(); ++c)
        if (calls_[c].group == first_.size()) first_.push_back(c);
    is_summed_ = first_.size() < calls_.size();
    first_.push_back(calls_.size());
    if (is_summed_) subdivide_partials(context_, node_.output, calls_, first_);
    if (context_.is_pipelined(node_.output)) subdivide_for_pipelining(context_, node_.output);
}

void EinSumLowering::enter_kernels() {
    graph::EinSumTypes const types = graph::types_of(context_.graph, node_);
    kernel_ = context_.tables.kernel({node_.name, einsum_, types.compute, idle_.looked_up});
    how_ = {is_summed_, types.accumulate, {}};
    made_ = how_.partial ? types.accumulate : context_.value(node_.output).dtype;
    if (!how_.partial) return;
    graph::EinSum identity = graph::identity_einsum(context_.value(node_.output).shape);
    identity.agg = einsum_.agg;
    how_.kernel = context_.tables.kernel({node_.name, std::move(identity), types.accumulate});
}

/// Sums do not wait until all is made where no rank makes more of them in a later wave. Calls on sparse operands are
/// not cut finer.
void EinSumLowering::cut_sums(Waves const& waves) {
    if (!is_summed_ || !idle_.sets.empty()) return;
    std::vector<std::size_t> wave_of(calls_.size(), 0);
    for (std::size_t wave = 0; wave < waves.size(); ++wave)
        for (std::size_t c : waves[wave]) wave_of[c] = wave;
    BySource const by_source = [&](Call const& call) {
        CallParts parts = parts_of(call);
        return split(call, parts).by_source;
    };
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (groups_[g].members.size() < 2 || groups_[g].subblocks.empty()) continue;
        std::vector<std::size_t> of_group(first_[g + 1] - first_[g]);
        std::iota(of_group.begin(), of_group.end(), first_[g]);
        bool const at_once = std::all_of(of_group.begin(), of_group.end(),
                                         [&](std::size_t c) { return wave_of[c] == wave_of[of_group.front()]; });
        if (at_once) choose_parts(context_, node_, einsum_, calls_, of_group, groups_[g], how_.accumulated, by_source);
    }
}

/// What several calls of a wave want is brought to all of them at once, where that can be done in steps.
void EinSumLowering::gather_operands(std::vector<std::size_t> const& wave) {
    if (wave.size() < context_.options.staging.ranks) return;
    for (std::size_t k = 0; k < einsum_.operands(); ++k) {
        if (is_sparse(k)) continue;
        std::map<Box, std::vector<Rank>> wanted;
        for (std::size_t c : wave) wanted[operand_box(k, calls_[c])].push_back(calls_[c].rank);
        context_.traffic.begin_operand(k);
        for (auto& [region, ranks] : wanted) context_.all_gather.bring(node_.inputs[k], region, std::move(ranks));
    }
}

std::vector<PreparedCall> EinSumLowering::prepared(std::vector<std::size_t> const& wave) {
    std::vector<PreparedCall> out;
    gather_operands(wave);
    context_.delivery.exchange([&] {
        for (std::size_t c : wave) out.push_back(prepared(calls_[c]));
    });
    return out;
}

/// Decides what a call is made of and has its operands brought.
PreparedCall EinSumLowering::prepared(Call const& call) {
    CallParts parts = parts_of(call);
    PreparedCall out{split(call, parts), {}, {}};
    bring_operands(call, parts, out);
    return out;
}

/// But for the sources of its operands.
CallParts EinSumLowering::parts_of(Call const& call) const {
    CallGroup const& group = groups_[call.group];
    CallParts parts;
    bool const keeps_order = context_.header.reproducible && graph::depends_on_order(einsum_.agg, how_.accumulated);
    parts.may_accumulate = made_ == how_.accumulated && !keeps_order;
    parts.element_size = static_cast<double>(size_of(context_.value(node_.inputs[0]).dtype));
    auto const self = static_cast<std::size_t>(std::find(group.members.begin(), group.members.end(), call.rank) -
                                               group.members.begin());
    for (SumPart const& part : group.parts) {
        parts.subblocks.push_back(part.box);
        parts.turns.push_back(static_cast<int>(turn_of(self, part.keeper, group.members.size())));
    }
    return parts;
}

/// @param parts  gets the sources of operands, where the call is large enough to ask for them
SplitCall EinSumLowering::split(Call const& call, CallParts& parts) const {
    SplitRule const& rule = context_.options.split;
    bool in_several = !parts.subblocks.empty();
    auto const points = static_cast<double>(call.region.elements());
    // A call on a sparse operand goes through what that lists: each of several would go through all of it again.
    bool const large = idle_.sets.empty() && points >= 2 * std::min(rule.product_points, rule.other_points);
    for (std::size_t k = 0; k < einsum_.operands() && large; ++k) {
        parts.operands.push_back(context_.delivery.sources(node_.inputs[k], operand_box(k, call), call.rank));
        in_several = in_several || parts.operands.back().size() > 1;
    }
    std::size_t const operands = einsum_.operands();
    if (!in_several)
        return {{{call.region, 0, std::vector<std::size_t>(operands, 0), false}}, std::vector<bool>(operands, false)};
    parts.operands.resize(operands);
    return split_call(einsum_, call.region, parts, call.rank, context_.plan.ranks, rule);
}

/// Operands that every subcall reads first, then sources in the order in which subcalls want them.
void EinSumLowering::bring_operands(Call const& call, CallParts const& parts, PreparedCall& out) {
    double there = 0;  // when what was asked for has come
    auto const count = [&](std::size_t k, OperandSource const& source) {
        if (source.rank == call.rank) return;
        auto const bytes = source.box.elements() * static_cast<Extent>(size_of(context_.value(node_.inputs[k]).dtype));
        there += 2 * static_cast<double>(bytes) / context_.options.split.link;
    };
    for (std::size_t k = 0; k < einsum_.operands(); ++k) {
        out.operands.emplace_back(out.split.by_source[k] ? parts.operands[k].size() : 1, BlockId{-1});
        if (out.split.by_source[k]) continue;
        context_.traffic.begin_operand(k);
        Box const region = operand_box(k, call);
        Holding const held = is_sparse(k) ? context_.delivery.need_listed(
                                                node_.inputs[k], region, clips_.around(k, call, number_of(call)),
                                                graph::preferred_layout(einsum_, k, idle_.sets), call.rank)
                                          : context_.delivery.need(node_.inputs[k], region, call.rank);
        out.operands[k][0] = held.block;
        if (k < parts.operands.size())
            for (OperandSource const& source : parts.operands[k]) count(k, source);
    }
    double const whole = there;
    std::map<std::pair<std::size_t, std::size_t>, double> come;  // by operand and source: when it has
    for (SubCall const& part : out.split.list) {
        double at_hand = whole;
        for (std::size_t k = 0; k < einsum_.operands(); ++k) {
            if (!out.split.by_source[k]) continue;
            BlockId& block = out.operands[k][part.sources[k]];
            double& has_come = come[{k, part.sources[k]}];
            if (block == BlockId{-1}) {
                context_.traffic.begin_operand(k);
                OperandSource const& source = parts.operands[k][part.sources[k]];
                block = context_.delivery.need_source(node_.inputs[k], operand_box(k, call), source, call.rank).block;
                count(k, source);
                if (source.rank != call.rank) has_come = there;
            }
            at_hand = std::max(at_hand, has_come);
        }
        out.at_hand.push_back(at_hand);
    }
}

/// The tasks of one call. Those that write one block come one after the other in a fixed order, so that its bits are
/// always the same.
void EinSumLowering::apply(Call const& call, PreparedCall const& made) {
    CallGroup& group = groups_[call.group];
    std::size_t const before = group.partials.size();
    for (SubCall const& part : made.split.list) {
        std::size_t const number =
            partial_of(group, call, group.parts.empty() ? output_box(call) : group.parts[part.subblock].box);
        Partial& partial = group.partials[number];
        partial.last = context_.emit.apply(
            call.rank, {kernel_, made.operands_of(part), partial.block, part.region, part.accumulate || number < before,
                        partial.last, context_.is_pipelined(node_.output)});
    }
}

/// Of groups whose sums do not wait: all their calls are of one wave.
void EinSumLowering::make_overlapped_sums(std::vector<std::size_t> const& wave, std::vector<PreparedCall> const& made) {
    std::map<std::size_t, GroupCalls> of_groups;
    for (std::size_t k = 0; k < wave.size(); ++k) {
        Call const& call = calls_[wave[k]];
        if (!groups_[call.group].overlaps) continue;
        of_groups[call.group].calls.push_back(&call);
        of_groups[call.group].prepared.push_back(&made[k]);
    }
    ReduceScatter results(context_, node_, how_);
    for (auto const& [number, members] : of_groups) {
        CallGroup const& group = groups_[number];
        std::vector<Partial> const sums =
            OverlappedSums(context_, node_, einsum_, kernel_, how_, group, members).make();
        for (std::size_t s = 0; s < sums.size(); ++s) results.put(group.subblocks[s], sums[s]);
    }
}

/// The number among the group's of what the call's rank has of a box.
std::size_t EinSumLowering::partial_of(CallGroup& group, Call const& call, Box const& box) {
    for (std::size_t p = 0; p < group.partials.size(); ++p)
        if (group.partials[p].rank == call.rank && group.partials[p].box == box) return p;
    BlockId const block =
        context_.value(node_.output).listing
            ? context_.mover.add_listed_block(node_.output, box, tensor::in_order(box.order()), call.rank)
            : context_.emit.add_block(call.rank, node_.output, made_, box);
    group.partials.push_back({call.rank, block, box, no_task});
    return group.partials.size() - 1;
}

}  // namespace

void lower_einsum(LoweringContext& context, NodeId id, graph::EinSum const& einsum) {
    EinSumLowering(context, id, einsum).run();
}

}  // namespace ein::scheduler
