#include "executor/fusion/group_clip.hpp"

#include <algorithm>

#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

using scalar::IndexRange;
using scalar::Range;

bool is_real(DType type) { return type == DType::f32 || type == DType::f64; }

}  // namespace

std::optional<GroupClip> GroupClip::make(std::vector<FusedStep> const& steps, Boxes const& boxes,
                                         std::vector<std::vector<std::size_t>> const& cut,
                                         scalar::Params const& params) {
    for (FusedStep const& step : steps)
        if (!is_real(step.kernel.compute)) return std::nullopt;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        graph::EinSum const& einsum = steps[s].kernel.einsum;
        if (!scalar::ExprRanges(einsum.join, params).chooses_by_index()) continue;
        for (int label : scalar::labels_of(einsum.join)) {
            GroupClip clip;
            if (!graph::has_label(einsum.output, label) || !clip.follow(steps, s, label, cut)) continue;
            bool alike = true;
            for (std::size_t t = 0; t < steps.size(); ++t) {
                if (clip.labels_[t] < 0) {
                    clip.steps_.emplace_back();
                    continue;
                }
                auto const at = static_cast<std::size_t>(clip.labels_[t]);
                alike = alike && boxes[t][at] == boxes[s][static_cast<std::size_t>(label)];
                graph::EinSum const& of = steps[t].kernel.einsum;
                Step made{scalar::ExprRanges(of.join, params), of.agg, of.aggregates(clip.labels_[t]), {}, {}};
                for (std::size_t k = 0; k < of.inputs.size(); ++k) {
                    bool const inside =
                        steps[t].operands[k].step >= 0 && graph::has_label(of.inputs[k], clip.labels_[t]);
                    made.writers.push_back(inside ? steps[t].operands[k].step : -1);
                    made.operands.push_back(Range::positive());
                    if (!inside) clip.facts_.push_back({t, k, ClipFact::Kind::positive});
                }
                clip.steps_.push_back(std::move(made));
            }
            if (alike) return clip;
        }
    }
    return std::nullopt;
}

/// Finds the steps' labels that are the same axis, to and fro through what is inside.
bool GroupClip::follow(std::vector<FusedStep> const& steps, std::size_t step, int label,
                       std::vector<std::vector<std::size_t>> const& cut) {
    labels_.assign(steps.size(), -1);
    std::vector<std::size_t> open;
    auto const set = [&](std::size_t at, int to) {
        if (labels_[at] == to) return true;
        bool const is_cut = std::find(cut[at].begin(), cut[at].end(), static_cast<std::size_t>(to)) != cut[at].end();
        if (labels_[at] >= 0 || is_cut) return false;
        labels_[at] = to;
        open.push_back(at);
        return true;
    };
    if (!set(step, label)) return false;
    while (!open.empty()) {
        std::size_t const at = open.back();
        open.pop_back();
        graph::EinSum const& einsum = steps[at].kernel.einsum;
        for (std::size_t k = 0; k < einsum.inputs.size(); ++k) {
            auto const& axes = einsum.inputs[k];
            auto const times = std::count(axes.begin(), axes.end(), labels_[at]);
            if (times > 1) return false;
            if (times == 0 || steps[at].operands[k].step < 0) continue;
            auto const writer = static_cast<std::size_t>(steps[at].operands[k].step);
            auto const axis = std::find(axes.begin(), axes.end(), labels_[at]) - axes.begin();
            if (!set(writer, steps[writer].kernel.einsum.output[static_cast<std::size_t>(axis)])) return false;
        }
        auto const axis = std::find(einsum.output.begin(), einsum.output.end(), labels_[at]) - einsum.output.begin();
        if (axis == static_cast<std::ptrdiff_t>(einsum.output.size())) continue;
        for (std::size_t reader = at + 1; reader < steps.size(); ++reader)
            for (std::size_t k = 0; k < steps[reader].operands.size(); ++k)
                if (steps[reader].operands[k].step == static_cast<std::int32_t>(at) &&
                    !set(reader, steps[reader].kernel.einsum.inputs[k][static_cast<std::size_t>(axis)]))
                    return false;
    }
    return true;
}

bool GroupClip::is_dead(Boxes const& boxes, IndexRange range, Range* last) const {
    std::vector<Range> values(steps_.size());
    for (std::size_t t = 0; t < steps_.size(); ++t) {
        if (!steps_[t]) continue;
        Step const& step = *steps_[t];
        std::vector<Range> operands = step.operands;
        for (std::size_t k = 0; k < step.writers.size(); ++k)
            if (step.writers[k] >= 0) operands[k] = values[static_cast<std::size_t>(step.writers[k])];
        std::vector<IndexRange> box = boxes[t];
        box[static_cast<std::size_t>(labels_[t])] = range;
        values[t] = step.join.on(box, operands);
        if (step.aggregates && !scalar::is_identity(step.agg, values[t])) return false;
    }
    if (last != nullptr) *last = values.back();
    if (!steps_.back() || steps_.back()->aggregates) return true;
    return values.back().is_point() && (!outside_ || values.back().is(*outside_));
}

IndexRange GroupClip::whole(Boxes const& boxes) const {
    std::size_t of = 0;
    while (!steps_[of]) ++of;
    return boxes[of][static_cast<std::size_t>(labels_[of])];
}

IndexRange GroupClip::live(Boxes const& boxes) const {
    return scalar::least_range({whole(boxes)}, 0,
                               [&](std::vector<IndexRange> const& range) { return is_dead(boxes, range[0]); });
}

void GroupClip::settle(Boxes const& boxes) {
    IndexRange const most = live(boxes), all = whole(boxes);
    if (most == all) return;
    settled_ = true;
    if (steps_.back() && !steps_.back()->aggregates) {
        Range value;
        is_dead(boxes, most.begin > all.begin ? IndexRange{all.begin, most.begin} : IndexRange{most.end, all.end},
                &value);
        outside_ = value.least;
    }
    std::vector<ClipFact> kept;
    for (ClipFact fact : facts_) {
        Range& assumed = steps_[fact.step]->operands[fact.operand];
        assumed = Range::any();
        if (live(boxes) == most) continue;
        fact.kind = ClipFact::Kind::finite;
        assumed = Range::finite();
        if (live(boxes) != most) {
            fact.kind = ClipFact::Kind::positive;
            assumed = Range::positive();
        }
        kept.push_back(fact);
    }
    facts_ = std::move(kept);
}

}  // namespace ein::executor
