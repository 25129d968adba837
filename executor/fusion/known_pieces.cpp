// What the runner of fused groups does with what is known of blocks: known_blocks.hpp.
#include <algorithm>

#include "executor/fusion/fused_group_runner.hpp"

namespace ein::executor {

using schedule::KnownOperands;

FusedGroupRunner::Prepared FusedGroupRunner::prepare(FusedGroup const& group, Device& device,
                                                     scalar::Params const& params) const {
    bool const knows = !header_.reproducible && !group.carry &&
                       std::any_of(group.operands.begin(), group.operands.end(),
                                   [&](BlockId block) { return known_.of(block).has_value(); });
    Prepared plain = prepare(group, Relying::on_nothing, device, params);
    if (!knows) return plain;
    Prepared relying = prepare(group, Relying::on_operands, device, params);
    if (!relying.clip) return plain;
    relying.plain = std::make_unique<Prepared const>(std::move(plain));
    return relying;
}

void FusedGroupRunner::drop_masks(Prepared& group) const {
    for (FusedStep& step : group.steps) {
        schedule::Task const& member = task_of(group, step);
        auto const inputs = group.group.members.reads(member);
        KnownOperands known;
        for (std::size_t k = 0; k < step.operands.size(); ++k) {
            known.emplace_back();
            if (std::int32_t const input = step.operands[k].input; input >= 0)
                known.back() =
                    in_labels(known_.of(group.group.outside(inputs[ein::at(input)])), step.kernel.einsum.inputs[k]);
        }
        auto found = schedule::unmasked(step.kernel.einsum, known);
        if (found) step.kernel.einsum.join = std::move(found->kept);
        step.dropped_mask = found ? std::optional(found->band) : std::nullopt;
        group.drops_masks = group.drops_masks || found;
    }
}

bool FusedGroupRunner::may_drop_masks(Prepared const& group) const {
    GroupClip::Boxes const boxes = boxes_of(group, {});
    for (std::size_t k = 0; k < group.steps.size(); ++k)
        if (auto const& band = group.steps[k].dropped_mask; band && !group.clip->adds_nothing_outside(*band, k, boxes))
            return false;
    return true;
}

void FusedGroupRunner::know_operands(Prepared& group) const {
    for (std::size_t s = 0; s < group.steps.size(); ++s) {
        FusedStep const& step = group.steps[s];
        auto const inputs = group.group.members.reads(task_of(group, step));
        for (std::size_t k = 0; k < step.operands.size(); ++k) {
            if (step.operands[k].input < 0) continue;
            BlockId const block = group.group.outside(inputs[static_cast<std::size_t>(step.operands[k].input)]);
            group.known[s][k] = in_labels(known_.of(block), step.kernel.einsum.inputs[k]);
            if (group.known[s][k]) group.relies_on.push_back(block);
        }
    }
}

/// @param computed  what of the clipped label is not filled; none: all of it
void FusedGroupRunner::look_at_result(Prepared const& group, Place const& place,
                                      std::optional<scalar::IndexRange> computed, BlockStorage& storage,
                                      Found& found) const {
    if (!found.result_is_known.load(std::memory_order_relaxed)) return;
    std::size_t const last = group.steps.size() - 1;
    std::vector<int> const& axes = group.steps[last].kernel.einsum.output;
    std::vector<scalar::IndexRange> const of_labels = boxes_of(group, place)[last];
    schedule::Block const& block = group.group.members.blocks[BlockId{static_cast<int>(group.group.operands.size())}];
    BoxView const box = group.group.members.view_of(block);
    std::vector<Extent> strides = row_major_strides(Shape(box.length.begin(), box.length.end()));
    std::byte const* data = storage.in_host(group.group.result, HostUse::update).data();
    std::vector<scalar::IndexRange> part;
    bool const filled =
        computed && group.clip && group.clip->outside() && *group.clip->outside() == group.known_result->outside;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        scalar::IndexRange range = of_labels[static_cast<std::size_t>(axes[a])];
        if (filled && axes[a] == group.clip->label(last))
            range = {range.begin + computed->begin, range.begin + computed->end};
        strides[a] *= static_cast<Extent>(size_of(block.dtype));
        data += (range.begin - box.begin[a]) * strides[a];
        part.push_back(range);
    }
    if (!is_known(*group.known_result, block.dtype, data, strides, part)) found.result_is_known = false;
}

}  // namespace ein::executor
