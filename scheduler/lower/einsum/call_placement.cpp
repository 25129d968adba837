#include "scheduler/lower/einsum/call_placement.hpp"

#include "scheduler/tuning.hpp"

namespace ein::scheduler {

std::vector<Call> calls_of_blocks(Shape const& shape, Parts const& parts) {
    std::vector<Call> calls;
    for_each_index(parts, [&](std::vector<Extent> const& index) {
        calls.push_back({block_box(shape, parts, index), calls.size(), Rank{0}});
    });
    return calls;
}

CallPlacement::CallPlacement(relation::Plan const& plan, std::vector<std::uint64_t> const& outlines, Placer placer,
                             std::vector<std::vector<Rank>> decided)
    : plan_(plan),
      outlines_(outlines),
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
        ranks = placed(node, query(std::move(held)));
    for (std::size_t c = 0; c < calls.size(); ++c) calls[c].rank = ranks[c];
    counts_[number] = static_cast<std::int64_t>(calls.size());
}

namespace {

double bytes_held(PlaceQuery const& query) {
    double all = 0;
    for (std::vector<Held> const& of_call : query.held)
        for (Held const& held : of_call) all += held.bytes;
    return all;
}

}  // namespace

/// As the latest node with that outline where that leaves as many bytes in place (after some changes nearly as many),
/// and the placer only tried: else layers that are alike would differ in which rank does what, each a little more than
/// the one before.
std::vector<Rank> CallPlacement::placed(NodeId node, PlaceQuery const& query) {
    std::vector<Rank> found = placer_(query);
    if (is_placed_exactly(query)) return found;
    Latest& latest = latest_[outlines_[index(node)]];
    double const little = latest.changes < tuning::patient_changes ? 0 : tuning::little_moved * bytes_held(query);
    if (latest.ranks.size() != found.size() ||
        bytes_in_place(query, latest.ranks) + little < bytes_in_place(query, found)) {
        latest.ranks = std::move(found);
        ++latest.changes;
    }
    return latest.ranks;
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
