#include "scheduler/lower/einsum/call_placement.hpp"

namespace ein::scheduler {

std::vector<Call> calls_of_blocks(Shape const& shape, Parts const& parts) {
    std::vector<Call> calls;
    for_each_index(parts, [&](std::vector<Extent> const& index) {
        calls.push_back({block_box(shape, parts, index), calls.size(), Rank{0}});
    });
    return calls;
}

CallPlacement::CallPlacement(relation::Plan const& plan, Placer placer, std::vector<std::vector<Rank>> decided)
    : plan_(plan),
      placer_(std::move(placer)),
      decided_(std::move(decided)),
      ranks_(plan.nodes.size()),
      counts_(plan.nodes.size()) {}

void CallPlacement::place(NodeId node, std::vector<Call>& calls, std::vector<std::vector<Held>> held) {
    std::size_t const number = index(node);
    std::vector<Rank>& ranks = ranks_[number];
    if (!plan_.node(node).ranks.empty())
        ranks = plan_.node(node).ranks;
    else if (number < decided_.size() && !decided_[number].empty())
        ranks = decided_[number];
    else
        ranks = placer_(query(std::move(held)));
    for (std::size_t c = 0; c < calls.size(); ++c) calls[c].rank = ranks[c];
    counts_[number] = static_cast<std::int64_t>(calls.size());
}

/// What lies on ranks that the plan leaves idle does not lure calls there.
PlaceQuery CallPlacement::query(std::vector<std::vector<Held>> held) const {
    int const used = relation::used_ranks(plan_);
    if (used < plan_.ranks)
        for (std::vector<Held>& of_call : held)
            std::erase_if(of_call, [&](Held const& has) { return has.rank.value() >= used; });
    return {used, std::move(held)};
}

void CallPlacement::follow(NodeId node, NodeId other) {
    ranks_[index(node)] = ranks_[index(other)];
    counts_[index(node)] = counts_[index(other)];
}

}  // namespace ein::scheduler
