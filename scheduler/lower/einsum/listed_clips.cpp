#include "scheduler/lower/einsum/listed_clips.hpp"

#include <algorithm>

#include "lib/graph/summation_order.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

ListedClips::ListedClips(LoweringContext const& context, graph::Node const& node, graph::EinSum const& einsum,
                         graph::IdleSets const& idle, std::vector<Call>& calls)
    : context_(context), einsum_(einsum), clipper_(einsum.extents.size(), -1) {
    // A sum that keeps its order is whole in one call.
    bool const whole = context.header.reproducible &&
                       graph::depends_on_order(einsum.agg, graph::types_of(context.graph, node).accumulate);
    if (!context.options.hull || whole) return;
    for (Call const& call : calls) unclipped_.push_back(call.region);
    for (std::vector<int> const& set : idle.sets) {
        if (set.size() != 1) continue;
        auto const operand = static_cast<std::size_t>(set.front());
        if (context.directory.input_of(node.inputs[operand])) clip(operand, node.inputs[operand], calls);
    }
}

void ListedClips::clip(std::size_t operand, ValueId leaf, std::vector<Call>& calls) {
    std::vector<int> const& labels = einsum_.inputs[operand];
    std::vector<std::size_t> axes;  // of labels that it may clip
    for (int label : einsum_.aggregated())
        if (std::ranges::count(labels, label) == 1 && clipper_[static_cast<std::size_t>(label)] == -1)
            axes.push_back(static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin()));
    if (axes.empty()) return;
    for (Call& call : calls) {
        Box const box = projected(call.region, labels);
        if (box.empty()) continue;
        Box const hull = context_.options.hull(leaf, box);
        for (std::size_t axis : axes) {
            auto const label = static_cast<std::size_t>(labels[axis]);
            Extent const length = std::max<Extent>(1, hull.length[axis]);  // a call is there for its result
            if (static_cast<double>(length) > tuning::most_listed_span * static_cast<double>(box.length[axis]))
                continue;
            call.region.begin[label] = hull.begin[axis];
            call.region.length[label] = length;
            clipper_[label] = static_cast<int>(operand);
        }
    }
}

Box ListedClips::around(std::size_t operand, Call const& call, std::size_t number) const {
    Box region = call.region;
    for (std::size_t label = 0; label < clipper_.size(); ++label) {
        if (clipper_[label] != static_cast<int>(operand)) continue;
        region.begin[label] = unclipped_[number].begin[label];
        region.length[label] = unclipped_[number].length[label];
    }
    return projected(region, einsum_.inputs[operand]);
}

}  // namespace ein::scheduler
