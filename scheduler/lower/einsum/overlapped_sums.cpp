#include "scheduler/lower/einsum/overlapped_sums.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/error.hpp"

namespace ein::scheduler {

std::vector<BlockId> PreparedCall::operands_of(SubCall const& part) const {
    std::vector<BlockId> out;
    for (std::size_t k = 0; k < operands.size(); ++k) out.push_back(operands[k][part.sources[k]]);
    return out;
}

void choose_parts(LoweringContext const& context, graph::Node const& node, graph::EinSum const& einsum,
                  std::vector<Call> const& calls, std::vector<std::size_t> const& of_group, CallGroup& group,
                  DType accumulated, BySource const& by_source) {
    if (group.subblocks.empty() || of_group.size() != group.members.size() || group.members.size() < 2) return;
    if (einsum.agg == scalar::Agg::logsumexp || context.value(node.output).listing) return;
    group.overlaps = true;
    std::vector<SumPart> halves = sum_parts(group, 2);
    std::vector<Box> boxes;
    for (SumPart const& part : halves) boxes.push_back(part.box);
    auto const element = static_cast<double>(size_of(accumulated));
    auto const pays = [&](std::size_t c) {
        double const bytes = static_cast<double>(projected(calls[c].region, einsum.output).elements()) * element;
        return subblocks_pay(einsum, calls[c].region, boxes, bytes, element, context.options.split);
    };
    auto const takes_the_same = [&](std::size_t c) {
        std::vector<bool> const whole = by_source(calls[c]);
        group.parts.swap(halves);
        bool const same = by_source(calls[c]) == whole;
        group.parts.swap(halves);
        return same;
    };
    if (std::ranges::all_of(of_group, pays) && std::ranges::all_of(of_group, takes_the_same))
        group.parts = std::move(halves);
}

OverlappedSums::OverlappedSums(LoweringContext& context, graph::Node const& node, graph::EinSum const& einsum,
                               schedule::KernelId kernel, Combining const& how, CallGroup const& group,
                               GroupCalls const& calls)
    : context_(context),
      node_(node),
      einsum_(einsum),
      kernel_(kernel),
      how_(how),
      group_(group),
      calls_(calls),
      summands_(group.members.size(), std::vector<Summand>(group.parts.size())),
      kept_(group.subblocks.size()) {
    for (std::size_t m = 0; m < calls.prepared.size(); ++m)
        for (SubCall const& call : calls.prepared[m]->split.list) ++summands_[m][call.subblock].left;
}

/// Links are often slower than a cluster file says: a message counts as two.
SharedSum OverlappedSums::shared_sum(graph::EinSum const& einsum) const {
    SplitRule const& rule = context_.options.split;
    auto const element = static_cast<double>(size_of(how_.accumulated));
    SharedSum out;
    for (SumPart const& part : group_.parts) {
        double const bytes = static_cast<double>(part.box.elements()) * element;
        out.parts.push_back({part.keeper, 2 * bytes / rule.link, 3 * bytes / rule.bytes});
    }
    for (std::size_t m = 0; m < calls_.calls.size(); ++m) {
        Box const& region = calls_.calls[m]->region;
        double const a_point = seconds_of_call(einsum, region, element, rule) /
                               static_cast<double>(std::max<Extent>(1, region.elements()));
        PreparedCall const& prepared = *calls_.prepared[m];
        std::vector<SummedCall>& of_member = out.calls.emplace_back();
        for (std::size_t k = 0; k < prepared.split.list.size(); ++k) {
            SubCall const& call = prepared.split.list[k];
            of_member.push_back(
                {call.subblock, a_point * static_cast<double>(call.region.elements()), prepared.at_hand[k]});
        }
    }
    return out;
}

std::vector<Partial> OverlappedSums::make() {
    SharedSum const sum = shared_sum(einsum_);
    for (SumEvent const& event : sum_order(sum, best_stride(sum)).events)
        event.is_message ? deliver(event) : compute(event);
    std::vector<Partial> out;
    for (std::size_t s = 0; s < group_.subblocks.size(); ++s) {
        std::size_t const keeper = keeper_of(s, group_.subblocks.size(), group_.members.size(), 0);
        promise(kept_[s].has_value(), "a sum of several ranks was not made");
        out.push_back({group_.members[keeper], *kept_[s], group_.subblocks[s].box, no_task});
    }
    return out;
}

/// What a member writes a part's sum into: a part of what it keeps, or a block that it sends.
BlockId OverlappedSums::block_of(std::size_t member, std::size_t number) {
    std::optional<BlockId>& block = summands_[member][number].block;
    if (block) return *block;
    SumPart const& part = group_.parts[number];
    auto const add = [&](Box const& box) {
        return context_.emit.add_block(group_.members[member], node_.output, how_.accumulated, box);
    };
    if (part.keeper != member) {
        block = add(part.box);
    } else {
        std::optional<BlockId>& kept = kept_[part.subblock];
        if (!kept) kept = add(group_.subblocks[part.subblock].box);
        block = kept;
    }
    return *block;
}

void OverlappedSums::compute(SumEvent const& event) {
    Summand& summand = summands_[event.member][event.part];
    PreparedCall const& prepared = *calls_.prepared[event.member];
    SubCall const& call = prepared.split.list[event.call];
    bool const is_first = summand.written.insert(projected(call.region, einsum_.output)).second;
    BlockId const block = block_of(event.member, event.part);
    summand.last = context_.emit.apply(
        group_.members[event.member],
        {kernel_, prepared.operands_of(call), block, call.region, summand.received || !is_first, summand.last});
    if (--summand.left > 0) return;
    for (BlockId came : std::exchange(summand.came, {})) add(event.member, event.part, came);
}

/// The first that comes is received where the sum is made, if nothing is there yet. Others are added, when calls that
/// may write elements for the first time have been made.
void OverlappedSums::deliver(SumEvent const& event) {
    Summand& summand = summands_[event.to][event.part];
    SumPart const& part = group_.parts[event.part];
    Rank const from = group_.members[event.member], to = group_.members[event.to];
    bool const is_first = !summand.block;
    BlockId const into = is_first ? block_of(event.to, event.part)
                                  : context_.emit.add_block(to, node_.output, how_.accumulated, part.box);
    bool const is_a_part = is_first && part.keeper == event.to && group_.subblocks[part.subblock].box != part.box;
    context_.traffic.count(to, Purpose::agg, node_.output,
                           part.box.elements() * static_cast<std::int64_t>(size_of(how_.accumulated)));
    TaskNumber const received =
        context_.mover.message(node_.output, {from, *summands_[event.member][event.part].block, {}},
                               {to, into, is_a_part ? std::optional(view(part.box)) : std::nullopt});
    if (is_first) {
        summand.received = true;
        summand.last = received;
    } else if (summand.left > 0 && !summand.received) {
        summand.came.push_back(into);
    } else {
        add(event.to, event.part, into);
    }
}

void OverlappedSums::add(std::size_t member, std::size_t part, BlockId came) {
    Summand& summand = summands_[member][part];
    summand.last = context_.emit.reduce(
        group_.members[member], {how_.kernel, came, *summand.block, group_.parts[part].box, true, summand.last});
}

}  // namespace ein::scheduler
