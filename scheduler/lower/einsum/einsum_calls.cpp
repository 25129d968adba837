#include "scheduler/lower/einsum/einsum_calls.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "lib/base/threads/parallel.hpp"
#include "scheduler/move/cell_grid.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

/// The smallest box around two.
Box hull(Box const& a, Box const& b) {
    Box out = a;
    for (std::size_t axis = 0; axis < a.order(); ++axis) {
        out.begin[axis] = std::min(a.begin[axis], b.begin[axis]);
        out.length[axis] = std::max(a.end(axis), b.end(axis)) - out.begin[axis];
    }
    return out;
}

std::vector<Call> calls_of(graph::EinSum const& einsum, Parts const& parts) {
    std::vector<int> const labels = relation::call_labels(einsum);
    auto const group_calls = static_cast<std::size_t>(relation::calls_of_a_block(einsum, parts));
    std::vector<Call> calls;
    for_each_index(relation::at_labels(parts, labels), [&](std::vector<Extent> const& index) {
        Call call{Box::whole(einsum.extents), calls.size() / group_calls, Rank{0}};
        for (std::size_t k = 0; k < labels.size(); ++k) {
            auto const label = static_cast<std::size_t>(labels[k]);
            call.region.begin[label] = part_begin(einsum.extents[label], parts[label], index[k]);
            call.region.length[label] = part_length(einsum.extents[label], parts[label], index[k]);
        }
        calls.push_back(std::move(call));
    });
    return calls;
}

/// For each call, who has how much of its operands.
std::vector<std::vector<Held>> held_for(BlockDirectory const& directory, graph::Node const& node,
                                        graph::EinSum const& einsum, std::vector<Call> const& calls) {
    using Regions = std::map<Box, std::vector<Held>>;  // many calls want the same block
    std::vector<Regions> known(einsum.operands());
    std::vector<Regions::value_type const*> of_call;  // by call and operand
    std::vector<std::pair<std::size_t, Regions::value_type*>> fresh;
    for (Call const& call : calls)
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            auto const [at, added] = known[k].try_emplace(projected(call.region, einsum.inputs[k]));
            of_call.push_back(&*at);
            if (added) fresh.emplace_back(k, &*at);
        }
    auto const for_each = [&](std::size_t count, auto const& make) {
        if (calls.size() >= tuning::placed_in_parallel) return for_each_in_parallel(count, make);
        std::vector<decltype(make(std::size_t{0}))> out;
        for (std::size_t n = 0; n < count; ++n) out.push_back(make(n));
        return out;
    };
    for_each(fresh.size(), [&](std::size_t n) {
        auto& [region, held] = *fresh[n].second;
        held = directory.held(node.inputs[fresh[n].first], region);
        return 0;
    });
    return for_each(calls.size(), [&](std::size_t c) {
        std::map<Rank, double> bytes;
        for (std::size_t k = 0; k < einsum.operands(); ++k)
            for (Held const& has : of_call[c * einsum.operands() + k]->second) bytes[has.rank] += has.bytes;
        std::vector<Held> out;
        for (auto const& [rank, amount] : bytes) out.push_back({rank, amount});
        return out;
    });
}

/// The coarsest grid in which each of the boxes is whole cells.
std::vector<Box> common_cells(Shape const& shape, std::set<Box> const& boxes) {
    CellGrid grid{{}};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::set<Extent> edges{0, shape[axis]};
        for (Box const& box : boxes) edges.insert({box.begin[axis], box.end(axis)});
        grid.edges.emplace_back(edges.begin(), edges.end());
    }
    std::vector<Box> out;
    for (Extent cell = 0; cell < element_count(grid.counts()); ++cell)
        out.push_back(grid.cell(static_cast<std::size_t>(cell)));
    return out;
}

/// Leaves that would be loaded cell by cell are cut as the merged calls want them: where those of one call cross those
/// of another, in cells that both are made of.
void merge_leaves(LoweringContext& context, graph::Node const& node, graph::EinSum const& einsum, Parts const& parts,
                  std::vector<Call> const& calls) {
    for (std::size_t k = 0; k < einsum.operands(); ++k) {
        ValueId const leaf = node.inputs[k];
        Parts const wanted = relation::at_labels(parts, einsum.inputs[k]);
        if (!context.delivery.is_fresh_leaf(leaf) || context.directory.cut(leaf).parts() != wanted) continue;
        std::set<Box> boxes;
        Extent covered = 0;
        for (Call const& call : calls)
            if (auto const [at, fresh] = boxes.insert(projected(call.region, einsum.inputs[k])); fresh)
                covered += at->elements();
        Cut cut = context.directory.cut(leaf);
        Extent const all = element_count(cut.shape());
        if (cut.merged() || all == 0) continue;
        if (covered == all) {
            cut.merge({boxes.begin(), boxes.end()});
        } else {
            std::vector<Box> cells = common_cells(cut.shape(), boxes);
            // Small ones come sooner as they are.
            auto const bytes = all * static_cast<Extent>(size_of(context.value(leaf).dtype));
            if (bytes / static_cast<Extent>(cells.size()) < tuning::least_common_cell) continue;
            cut.merge(std::move(cells));
        }
        context.directory.recut(leaf, std::move(cut));
    }
}

}  // namespace

std::optional<MergedCalls> merged(graph::EinSum const& einsum, std::vector<Call> const& calls, Merging merging) {
    using Key = std::pair<Box, Rank>;  // an interval of the aggregated labels, and a rank
    std::map<Key, Call> together;
    std::map<Key, Extent> covered;
    std::vector<int> const aggregated = merging == Merging::all_of_rank ? std::vector<int>{} : einsum.aggregated();
    for (Call const& call : calls) {
        Key const key(projected(call.region, aggregated), call.rank);
        covered[key] += call.region.elements();
        auto const [at, added] = together.try_emplace(key, call);
        if (!added) at->second.region = hull(at->second.region, call.region);
    }
    MergedCalls out;
    for (auto& [key, call] : together) {
        if (covered[key] != call.region.elements()) return std::nullopt;  // not a box
        Box const part = projected(call.region, einsum.output);
        auto const known = std::find(out.parts.begin(), out.parts.end(), part);
        call.group = static_cast<std::size_t>(known - out.parts.begin());
        if (known == out.parts.end()) out.parts.push_back(part);
        out.calls.push_back(call);
    }
    Extent whole = 0;
    for (Box const& part : out.parts) whole += part.elements();
    if (whole != element_count(einsum.output_shape())) return std::nullopt;  // parts that overlap
    std::stable_sort(out.calls.begin(), out.calls.end(),
                     [](Call const& a, Call const& b) { return a.group < b.group; });
    return out;
}

std::vector<Call> placed_calls(LoweringContext& context, NodeId id, graph::EinSum const& einsum) {
    graph::Node const& node = context.graph.node(id);
    relation::NodePlan const& plan = context.plan.node(id);
    std::vector<Call> calls = calls_of(einsum, plan.parts);
    context.placement.place(id, calls, held_for(context.directory, node, einsum, calls));
    // A plan that cuts finer than was asked for, and says itself where calls go, does so for the shape of what each
    // rank gets (planner/search/column_partition.hpp).
    if (plan.ranks.empty() || static_cast<std::int64_t>(calls.size()) <= context.plan.calls) return calls;
    auto fewer = merged(einsum, calls, Merging::of_one_sum);
    if (!fewer || static_cast<std::int64_t>(fewer->calls.size()) > context.plan.calls)
        if (auto one_each = merged(einsum, calls, Merging::all_of_rank)) fewer = std::move(one_each);
    if (!fewer) return calls;
    context.placement.merge(id, fewer->calls.size());
    Cut cut = context.directory.cut(node.output);
    cut.merge(std::move(fewer->parts));
    context.directory.recut(node.output, std::move(cut));
    merge_leaves(context, node, einsum, plan.parts, fewer->calls);
    context.traffic.wants_merged_parts();
    return std::move(fewer->calls);
}

}  // namespace ein::scheduler
