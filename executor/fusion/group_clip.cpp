#include "executor/fusion/group_clip.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

using scalar::IndexRange;
using scalar::Range;

bool is_real(DType type) { return type == DType::f32 || type == DType::f64; }

/// Labels along which a mask, or what is known of an operand, may leave something out.
std::vector<int> labels_to_try(graph::EinSum const& einsum, schedule::KnownOperands const& known,
                               scalar::Params const& params) {
    std::vector<int> out;
    if (scalar::ExprRanges(einsum.join, params).chooses_by_index())
        for (int label : scalar::labels_of(einsum.join))
            if (graph::has_label(einsum.output, label)) out.push_back(label);
    for (std::optional<schedule::Known> const& of : known)
        if (of) out.insert(out.end(), {of->band.row, of->band.column});
    return out;
}

Range assumed_to_be(ClipFact::Kind kind) {
    switch (kind) {
        case ClipFact::Kind::finite: return Range::finite();
        case ClipFact::Kind::positive: return Range::positive();
        case ClipFact::Kind::moderate: return Range::moderate();
        case ClipFact::Kind::moderate_positive: break;
    }
    return Range::moderate_positive();
}

constexpr std::array kinds{ClipFact::Kind::finite, ClipFact::Kind::positive, ClipFact::Kind::moderate,
                           ClipFact::Kind::moderate_positive};  // the least that is asked first

}  // namespace

std::optional<GroupClip> GroupClip::make(std::vector<FusedStep> const& steps, Boxes const& boxes,
                                         std::vector<std::vector<std::size_t>> const& cut,
                                         std::vector<schedule::KnownOperands> const& known, ZeroSigns signs,
                                         scalar::Params const& params) {
    for (FusedStep const& step : steps)
        if (!is_real(step.kernel.compute)) return std::nullopt;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        for (int label : labels_to_try(steps[s].kernel.einsum, known[s], params)) {
            GroupClip clip;
            clip.signs_ = signs;
            if (!clip.follow(steps, s, label, cut)) continue;
            bool alike = true;
            for (std::size_t t = 0; t < steps.size(); ++t) {
                bool const has_it = clip.add_step(steps[t], t, known[t], params);
                alike = alike && (!has_it || boxes[t][ein::at(clip.labels_[t])] == boxes[s][ein::at(label)]);
            }
            if (alike) return clip;
        }
    }
    return std::nullopt;
}

/// @return whether it has the label
bool GroupClip::add_step(FusedStep const& step, std::size_t number, schedule::KnownOperands const& known,
                         scalar::Params const& params) {
    std::optional<Step>& made = steps_.emplace_back();
    int const label = labels_[number];
    if (label < 0) return false;
    graph::EinSum const& of = step.kernel.einsum;
    made.emplace(
        Step{scalar::ExprRanges(of.join, params), of.agg, of.aggregates(label), {}, {}, known, {}, step.output});
    for (int other : of.aggregated())
        if (other != label) made->others.push_back(ein::at(other));
    for (std::size_t k = 0; k < of.inputs.size(); ++k) {
        bool const inside = step.operands[k].step >= 0 && graph::has_label(of.inputs[k], label);
        made->writers.push_back(inside ? step.operands[k].step : -1);
        made->operands.push_back(Range::moderate_positive());
        if (!inside && !known[k]) facts_.push_back({number, k, ClipFact::Kind::moderate_positive});
    }
    return true;
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
        for (std::size_t k = 0; k < step.known.size(); ++k) {
            if (!step.known[k]) continue;
            scalar::Band const& band = step.known[k]->band;
            bool const misses = band.misses(box[ein::at(band.row)], box[ein::at(band.column)]);
            operands[k] = misses ? step.known[k]->range() : Range::any();
        }
        values[t] = step.join.on(box, operands);
        if (step.aggregates && !scalar::is_identity(step.agg, values[t])) return false;
        Extent terms = 1;
        for (std::size_t other : step.others) terms *= box[other].length();
        values[t] = scalar::stored(scalar::aggregated(step.agg, values[t], terms), step.output);
    }
    if (last != nullptr) *last = values.back();
    if (!steps_.back() || steps_.back()->aggregates) return true;
    std::optional<double> const number = filling(values.back());
    return number && (!outside_ || (*number == *outside_ && std::signbit(*number) == std::signbit(*outside_)));
}

std::optional<double> GroupClip::filling(Range const& range) const {
    if (!range.is_point()) return std::nullopt;
    if (range.least != 0) return range.least;
    if (signs_ == ZeroSigns::unseen) return 0.0;
    return range.is(range.least) ? std::optional(range.least) : std::nullopt;
}

bool GroupClip::adds_nothing_outside(scalar::Band const& band, std::size_t number, Boxes const& boxes) const {
    if (!steps_[number]) return false;
    Step const& step = *steps_[number];
    std::vector<Range> operands = step.operands;
    for (std::size_t k = 0; k < operands.size(); ++k)
        if (step.known[k])
            operands[k] = step.known[k]->band == band ? step.known[k]->range() : Range::any();
        else if (step.writers[k] >= 0)
            operands[k] = Range::any();
    return scalar::is_identity(step.agg, step.join.on(boxes[number], operands));
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
        outside_ = filling(value);
    }
    std::vector<ClipFact> kept;
    for (ClipFact fact : facts_) {
        Range& assumed = steps_[fact.step]->operands[fact.operand];
        assumed = Range::any();
        if (live(boxes) == most) continue;
        for (ClipFact::Kind const kind : kinds) {
            assumed = assumed_to_be(fact.kind = kind);
            if (live(boxes) == most) break;
        }
        kept.push_back(fact);
    }
    facts_ = std::move(kept);
}

}  // namespace ein::executor
