// What the runner of fused groups does for groups of which part is left out: group_clip.hpp, mask_steps.hpp.
#include <algorithm>

#include "executor/device/cpu/machine.hpp"
#include "executor/fusion/clip_elements.hpp"
#include "executor/fusion/fused_group_runner.hpp"
#include "executor/fusion/tuning.hpp"

namespace ein::executor {
namespace {

using scalar::IndexRange;

Extent rounded_up(Extent length, Extent grain) { return (length + grain - 1) / grain * grain; }

}  // namespace

/// By step and label: what the piece, or without one the task, has of it.
GroupClip::Boxes FusedGroupRunner::boxes_of(Prepared const& group, std::optional<Place> const& place) const {
    GroupClip::Boxes boxes;
    for (FusedStep const& step : group.steps) {
        BoxView const region = group.group.members.region_of(task_of(group, step));
        std::vector<IndexRange> box;
        for (std::size_t l = 0; l < region.begin.size(); ++l)
            box.push_back({region.begin[l], region.begin[l] + region.length[l]});
        for (std::size_t a = 0; place && a < group.group.axes.size(); ++a) {
            IndexRange& range = box[group.group.axes[a].labels[step.member]];
            range.begin += place->first[a];
            range.end = range.begin + place->length[a];
        }
        boxes.push_back(std::move(box));
    }
    return boxes;
}

void FusedGroupRunner::choose_clip(Prepared& group, scalar::Params const& params) const {
    bool some_masks = false;
    for (FusedStep const& step : group.steps) {
        group.masks.emplace_back();
        if (step.in_place) group.masks.back().emplace(step, params);
        some_masks = some_masks || step.in_place;
    }
    std::vector<std::vector<std::size_t>> cut;
    for (FusedStep const& step : group.steps) {
        cut.emplace_back();
        for (FusedGroup::Axis const& axis : group.group.axes)
            if (axis.parts > 1) cut.back().push_back(axis.labels[step.member]);
    }
    if (!header_.reproducible)  // sums over fewer terms are made in other groups
        group.clip = GroupClip::make(group.steps, boxes_of(group, {}), cut, group.known,
                                     known_.zero_signs(group.group.result), params);
    bool const carries = !group.carried.empty();
    for (std::size_t k = 0; carries && group.clip && k < group.steps.size(); ++k)
        if (group.clip->label(k) != group.carried[k].label) group.clip.reset();
    std::int64_t const pieces = group.group.pieces();
    group.clips.resize(group.clip || (some_masks && !carries) ? static_cast<std::size_t>(pieces) : 0);
    if (!group.clip) return;
    double left = 0, all = 0;
    for (std::int64_t number = 0; number < pieces; ++number) {
        GroupClip::Boxes const boxes = boxes_of(group, place_of(group, number));
        IndexRange const whole = group.clip->whole(boxes);
        IndexRange live = group.clip->live(boxes);
        if (live != whole && !group.clip->settled()) group.clip->settle(boxes);
        Extent const length = whole.length();
        Extent const most = carries ? tuning::most_carried_lengths : tuning::most_clipped_lengths;
        Extent const grain =
            rounded_up(((carries ? group.carried_length : length) + most - 1) / most, tuning::clip_grain);
        Extent const kept = std::min(length, std::max(grain, rounded_up(live.length(), grain)));
        Extent const begin = std::min(live.begin - whole.begin, length - kept);
        group.whole = {0, length};
        group.clips[static_cast<std::size_t>(number)].live = {begin, begin + kept};
        left += static_cast<double>(kept);
        all += static_cast<double>(length);
    }
    if (left > (1 - tuning::least_clipped_share) * all) {
        group.clip.reset();
        group.whole = {};
        if (!some_masks || carries) group.clips.clear();
        return;
    }
    for (std::size_t k = 0; !carries && k < group.steps.size(); ++k)
        group.clip_moves.push_back(
            group.clip->label(k) < 0 ? Moves{} : moves_along(group, k, static_cast<std::size_t>(group.clip->label(k))));
}

void FusedGroupRunner::prepare_piece_clip(Prepared& group, std::int64_t number, Device& device,
                                          scalar::Params const& params) const {
    PieceClip& clip = group.clips[Prepared::at(number)];
    if (!group.clip) clip.live = group.whole;
    Place const place = place_of(group, number);
    Piece& piece = prepare_piece(group, place.longer, clip.live.length(), device, params);
    clip.masked.assign(group.steps.size(), {0, 0});
    GroupClip::Boxes boxes = boxes_of(group, place);
    for (std::size_t k = 0; k < group.steps.size(); ++k) {
        if (!group.masks[k]) continue;
        std::vector<IndexRange>& box = boxes[k];
        if (group.clip && group.clip->label(k) >= 0) {
            IndexRange& range = box[static_cast<std::size_t>(group.clip->label(k))];
            range = {range.begin + clip.live.begin, range.begin + clip.live.end};
        }
        auto const label = static_cast<std::size_t>(group.masks[k]->label());
        IndexRange const of = box[label], found = group.masks[k]->masked(box);
        if (found.empty()) continue;
        Extent const length = std::min(of.length(), rounded_up(found.length(), tuning::clip_grain));
        Extent const begin = std::min(found.begin - of.begin, of.length() - length);
        clip.masked[k] = {begin, begin + length};
        if (!group.masks[k]->ends().empty()) continue;  // written without a kernel
        Masked& mask = piece.masks[{k, length}];
        if (mask.kernel != nullptr) continue;
        mask.shape = piece.shapes[k];
        mask.shape.lengths[label] = length;
        auto const& axes = group.steps[k].kernel.einsum.output;
        auto const axis = std::find(axes.begin(), axes.end(), static_cast<int>(label)) - axes.begin();
        mask.step = mask.shape.output_strides[static_cast<std::size_t>(axis)] *
                    static_cast<std::ptrdiff_t>(size_of(group.steps[k].output));
        mask.kernel = device.prepare(mask.shape, params);
    }
}

/// @param operands  of step k, at the first element of the piece as if nothing were clipped
bool FusedGroupRunner::facts_hold(Prepared const& group, Place const& place, std::size_t k,
                                  std::vector<void const*> const& operands, KernelShape const& shape,
                                  KnownFacts& known) const {
    std::vector<ClipFact> const& facts = group.clip->facts();
    for (std::size_t f = 0; f < facts.size(); ++f) {
        if (facts[f].step != k) continue;
        std::size_t const i = facts[f].operand;
        bool const outside = group.steps[k].operands[i].step < 0;
        std::size_t key = 0;
        for (std::size_t a = 0; a < group.group.axes.size(); ++a) {
            FusedGroup::Axis const& axis = group.group.axes[a];
            key = key * static_cast<std::size_t>(axis.parts);
            if (group.moves[k][a].operands[i] != 0) key += static_cast<std::size_t>(place.part[a]);
        }
        std::int8_t const found = outside ? known[f][key].load(std::memory_order_relaxed) : std::int8_t{0};
        if (found != 0) {
            if (found < 0) return false;
            continue;
        }
        Shape lengths;
        std::vector<Extent> strides;
        DType const type = shape.operand_dtypes[i];
        auto const& axes = group.steps[k].kernel.einsum.inputs[i];
        for (std::size_t a = 0; a < axes.size(); ++a) {
            auto const label = static_cast<std::size_t>(axes[a]);
            bool const clipped = axes[a] == group.clip->label(k);
            lengths.push_back(clipped ? group.whole.length() : shape.lengths[label]);
            strides.push_back(shape.operand_strides[i][a] * static_cast<Extent>(size_of(type)));
        }
        bool const holds = all_are(facts[f].kind, type, static_cast<std::byte const*>(operands[i]), lengths, strides);
        if (outside) known[f][key].store(holds ? 1 : -1, std::memory_order_relaxed);
        if (!holds) return false;
    }
    return true;
}

void FusedGroupRunner::mask_result(Prepared& group, scalar::Params const& params) {
    FusedStep& last = group.steps.back();
    if (last.operands.size() != 1 || last.operands[0].step < 0) return;
    std::optional<scalar::Expr> const kept = masked_operand(last);
    if (!kept) return;
    MaskRange mask(last, params);
    if (mask.ends().empty()) return;
    group.result_mask.emplace(ResultMask{std::move(mask), last.kernel});
    last.kernel.einsum.join = *kept;
}

void FusedGroupRunner::mask_elements_of(MaskRange const& mask, FusedStep const& step, KernelShape const& shape,
                                        std::vector<Extent> const& begin, std::byte* output) {
    std::vector<int> const& axes = step.kernel.einsum.output;
    std::vector<IndexRange> box;
    std::vector<Extent> strides;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        auto const label = static_cast<std::size_t>(axes[a]);
        box.push_back({begin[label], begin[label] + shape.lengths[label]});
        strides.push_back(shape.output_strides[a]);
    }
    mask_elements(mask.ends(), mask.number(), step.output, output, axes, box, strides);
}

void FusedGroupRunner::fill_outside(Prepared const& group, KernelShape const& shape, IndexRange live,
                                    std::byte* output) {
    std::size_t const k = group.steps.size() - 1;
    auto const& axes = group.steps[k].kernel.einsum.output;
    Shape lengths;
    std::vector<Extent> strides;
    std::size_t along = 0;
    bool const is_large = shape.output_bytes >= machine::output_past_cache;
    FillStores const stores = is_large ? FillStores::past_cache : FillStores::cached;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a] == group.clip->label(k)) along = a;
        lengths.push_back(shape.lengths[static_cast<std::size_t>(axes[a])]);
        strides.push_back(shape.output_strides[a] * static_cast<Extent>(size_of(shape.output_dtype)));
    }
    for (IndexRange const part : {IndexRange{0, live.begin}, IndexRange{live.end, group.whole.end}}) {
        if (part.empty()) continue;
        lengths[along] = part.length();
        fill_elements(*group.clip->outside(), shape.output_dtype, output + part.begin * strides[along], lengths,
                      strides, stores);
    }
}

}  // namespace ein::executor
