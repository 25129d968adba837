#include "executor/device/cpu/gemm/gate_plan.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace ein::executor {
namespace {

constexpr double least_used = 0.85;  // of the parts that a label is cut into, the last of which is shorter

/// How many elements lie side by side from the first on, if labels go through all of their lengths.
Extent run_of(GateLabels const& labels, Extent GateLabel::*step) {
    Extent run = 1;
    for (bool found = true; found;) {
        found = false;
        for (GateLabel const& label : labels)
            if (label.length > 1 && label.*step == run) {
                run *= label.length;
                found = true;
            }
    }
    return run;
}

/// A part of a length, of at most so many, even or nearly so: a multiple of `of`, unless that is too many; or all of
/// it, if that is only a quarter more. @param whole  a multiple even if that is too many
Extent part_of(Extent length, Extent most, Extent of, bool whole) {
    if (4 * length <= (whole ? 4 : 5) * most) return length;
    Extent const parts = (length + most - 1) / most, even = (length + parts - 1) / parts;
    if (whole) return std::min(length, (even + of - 1) / of * of);
    if (most < of) return even;
    Extent best = even;
    double most_used = 0;
    for (Extent part = most / of * of; part >= of && most_used < least_used; part -= of) {
        Extent const with_last = (length + part - 1) / part * part;  // as if it were as long as the others
        double const used = static_cast<double>(length) / static_cast<double>(with_last);
        if (used > most_used) most_used = used, best = part;
    }
    return std::min(length, best);
}

/// Takes rows by rising steps in a tensor, until there are enough: `cut` gets the one that is cut, as a number of
/// `rows`, or -1. @param grain  what is cut is a multiple of it together with those inside
GateLabels take_rows(GateLabels const& rows, Extent GateLabel::*step, std::vector<bool>& taken, Extent wanted,
                     Extent most, Extent grain, bool whole, int& cut) {
    GateLabels chosen;
    Extent count = 1;
    cut = -1;
    while (count < wanted) {
        int next = -1;
        for (std::size_t r = 0; r < rows.size(); ++r)
            if (!taken[r] && (next < 0 || rows[r].*step < rows[static_cast<std::size_t>(next)].*step))
                next = static_cast<int>(r);
        if (next < 0) break;
        GateLabel label = rows[static_cast<std::size_t>(next)];
        taken[static_cast<std::size_t>(next)] = true;
        if (count * label.length > most) {
            label.length =
                part_of(label.length, std::max<Extent>(1, most / count), grain / std::gcd(count, grain), whole);
            if (label.length < rows[static_cast<std::size_t>(next)].length) cut = next;
        }
        chosen.insert(chosen.begin(), label);
        count *= label.length;
        if (cut >= 0) break;
    }
    return chosen;
}

/// Cuts terms, of which those inside stay whole. @param grain  a part of a label is a multiple of it where it can be
void cut_terms(GateLabels const& terms, Extent most, Extent grain, GatePlan& plan) {
    std::size_t first = terms.size();
    Extent count = 1;
    while (first > 0 && stay_whole(count * terms[first - 1].length, most)) count *= terms[--first].length;
    auto const inside = terms.begin() + static_cast<std::ptrdiff_t>(first);
    plan.term_parts.assign(terms.begin(), inside);
    plan.terms.assign(inside, terms.end());
    if (first == 0 || most < 2 * count) return;
    GateLabel& cut = plan.term_parts.back();
    GateLabel part = cut;
    part.length = part_of(cut.length, most / count, grain / std::gcd(count, grain), false);
    plan.last_terms = cut.length - (cut.length - 1) / part.length * part.length;
    cut = {(cut.length + part.length - 1) / part.length, cut.large * part.length, cut.small * part.length, 0};
    plan.terms.insert(plan.terms.begin(), part);
}

}  // namespace

std::optional<GateKinds> kinds_of(Nest const& nest, std::size_t large, std::size_t small, Extent element) {
    GateKinds kinds;
    for (NestLabel const& label : nest.labels) {
        GateLabel const of{label.length, label.strides[large] / element, label.strides[small] / element,
                           label.output_stride / element};
        if (of.large == 0 && (of.small == 0 || label.aggregated)) return std::nullopt;
        if (of.small == 0 && label.aggregated) return std::nullopt;
        (label.aggregated ? kinds.terms
         : of.large == 0  ? kinds.columns
         : of.small == 0  ? kinds.rows
                          : kinds.batch)
            .push_back(of);
    }
    return kinds;
}

std::vector<GateIndex> places_of(GateLabels const& labels, Extent GateLabel::*step) {
    std::vector<GateIndex> places{0};
    for (GateLabel const& label : labels) {
        std::vector<GateIndex> next;
        next.reserve(places.size() * static_cast<std::size_t>(label.length));
        for (GateIndex const place : places)
            for (Extent k = 0; k < label.length; ++k) next.push_back(place + k * (label.*step));
        places = std::move(next);
    }
    return places;
}

GatePlan plan_gate(GateKinds const& kinds, Extent GateLabel::*lanes, Extent GateLabel::*other, GateSizes const& sizes) {
    GatePlan plan;
    cut_terms(kinds.terms, sizes.terms, sizes.grain, plan);
    std::vector<bool> taken;
    int cut_lanes = -1, cut_inside = -1;
    Extent const of_gate = count_of(kinds.batch) * (count_of(plan.terms) + count_of(kinds.columns));
    auto const run_at = [&](GateLabels all, Extent GateLabel::*step) {
        all.insert(all.end(), kinds.batch.begin(), kinds.batch.end());
        all.insert(all.end(), plan.lanes.begin(), plan.lanes.end());
        return run_of(all, step);
    };
    Extent run = 1, wanted = 1, room = 0;  // of rows inside: what makes whole lines, and what a box has room for
    for (Extent most : {sizes.most_lanes, sizes.least_lanes}) {
        if (room >= wanted) break;
        if (room > 0) most = std::max(most, sizes.elements / (of_gate * wanted) / most * most);
        taken.assign(kinds.rows.size(), false);
        plan.lanes = take_rows(kinds.rows, lanes, taken, sizes.least_lanes, most, sizes.least_lanes,
                               !sizes.in_second_level, cut_lanes);
        room = std::max<Extent>(1, sizes.elements / (count_of(plan.lanes) * of_gate));
        run = run_at(other == &GateLabel::large ? plan.terms : kinds.columns, other);
        wanted = (sizes.run + run - 1) / run;
    }
    Extent const several = std::min(room, std::max(wanted, (sizes.long_run + run - 1) / run));
    if (several > 1)
        plan.inside = take_rows(kinds.rows, other, taken, several, std::min(room, std::max(several, 2 * sizes.run)),
                                sizes.grain, !sizes.in_second_level, cut_inside);
    plan.in_parts_of_lines = 4 * room < wanted;
    if (cut_inside < 0 && sizes.run_of_large > 1) {
        GateLabels all = plan.terms;
        all.insert(all.end(), plan.inside.begin(), plan.inside.end());
        Extent const here = run_at(all, &GateLabel::large),
                     more = std::min(room / count_of(plan.inside), (sizes.run_of_large + here - 1) / here);
        if (more > 1) {
            GateLabels longer = take_rows(kinds.rows, &GateLabel::large, taken, more, more, 1, false, cut_inside);
            longer.insert(longer.end(), plan.inside.begin(), plan.inside.end());
            plan.inside = std::move(longer);
        }
    }
    GateLabels const& rows = kinds.rows;
    for (std::size_t r = 0; r < rows.size(); ++r)
        if (!taken[r]) plan.around.push_back(rows[r]);
    std::ranges::stable_sort(plan.around, std::greater(), other);
    // what is cut comes last: its parts share lines
    auto const cut_up = [&](int row, GateLabel const& part, int& place, Extent& last) {
        GateLabel const& label = rows[static_cast<std::size_t>(row)];
        last = label.length - (label.length - 1) / part.length * part.length;
        place = static_cast<int>(plan.around.size());
        plan.around.push_back(
            {(label.length + part.length - 1) / part.length, label.large * part.length, 0, label.output * part.length});
    };
    if (cut_lanes >= 0) cut_up(cut_lanes, plan.lanes.front(), plan.cut_lanes, plan.last_lanes);
    if (cut_inside >= 0) cut_up(cut_inside, plan.inside.front(), plan.cut_inside, plan.last_inside);
    return plan;
}

GateMoves::GateMoves(std::vector<GateIndex> elements, std::vector<GateIndex> lanes, int vector)
    : at_(std::move(elements)), lane_(std::move(lanes)) {
    find_runs();
    find_pieces(vector);
    direct_ = runs_.size() == 1;
    constexpr double of_a_move = 2, of_a_strip = 0.3;  // of a run or piece; of an element in a strip
    double by_pieces = 0;
    for (GatePiece const& piece : pieces_) by_pieces += piece.strip ? of_a_strip * piece.count : of_a_move;
    by_pieces /= static_cast<double>(at_.size());
    double const by_runs = of_a_move * static_cast<double>(runs_.size()) / static_cast<double>(lane_.size());
    if (by_pieces < by_runs && !direct_) runs_.clear();
    if (!runs_.empty()) runs_.push_back({static_cast<GateIndex>(lane_.size()), 0, 0});
    cost_ = direct_ ? 0.1 : 0.3 + std::min(by_runs, by_pieces);
}

std::vector<GateIndex> GateMoves::lines(GateIndex line) const {
    std::vector<GateIndex> elements = at_, lines;
    if (!std::ranges::is_sorted(elements)) std::ranges::sort(elements);
    for (std::size_t first = 0; first < lane_.size();) {  // lanes that leave no line out: mostly all
        std::size_t last = first;
        while (last + 1 < lane_.size() && lane_[last + 1] > lane_[last] && lane_[last + 1] <= lane_[last] + line)
            ++last;
        GateIndex next = std::numeric_limits<GateIndex>::min();
        for (GateIndex const element : elements) {
            GateIndex const end = (element + lane_[last]) / line;
            for (next = std::max(next, (element + lane_[first]) / line); next <= end; ++next)
                lines.push_back(next * line);
        }
        first = last + 1;
    }
    if (!std::ranges::is_sorted(lines)) std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

GateSide GateMoves::side() const {
    return {at_.data(),
            lane_.data(),
            pieces_.data(),
            static_cast<GateIndex>(pieces_.size()),
            static_cast<GateIndex>(at_.size()),
            runs_.empty() ? nullptr : runs_.data(),
            direct_};
}

void GateMoves::find_runs() {
    for (std::size_t k = 0; k < lane_.size(); ++k) {
        if (k > 0 && lane_[k] == lane_[k - 1] + 1)
            ++runs_.back().count;
        else
            runs_.push_back({static_cast<GateIndex>(k), 1, lane_[k]});
    }
}
/// From each lane to the next, or 0.
GateIndex GateMoves::lane_step() const {
    GateIndex const step = lane_.size() > 1 ? lane_[1] - lane_[0] : 0;
    for (std::size_t k = 1; k < lane_.size(); ++k)
        if (lane_[k] - lane_[k - 1] != step) return 0;
    return step;
}
void GateMoves::find_pieces(int most) {
    std::vector<int> order(at_.size());
    std::iota(order.begin(), order.end(), 0);
    auto const place_of = [&](std::size_t k) { return at_[static_cast<std::size_t>(order[k])]; };
    std::ranges::stable_sort(order, {}, [&](int e) { return at_[static_cast<std::size_t>(e)]; });
    GateIndex const step = lane_step();
    for (std::size_t first = 0; first < order.size();) {
        std::size_t run = 1;
        while (first + run < order.size() && place_of(first + run) == place_of(first) + static_cast<GateIndex>(run))
            ++run;
        bool const strip = static_cast<GateIndex>(run) == step && is_strip(step);
        if (!strip) run = std::min(run, static_cast<std::size_t>(most));
        pieces_.push_back({place_of(first), strip, static_cast<int>(run)});
        std::copy_n(order.begin() + static_cast<std::ptrdiff_t>(first), run, pieces_.back().elements);
        first += run;
    }
}

}  // namespace ein::executor
