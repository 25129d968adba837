#include "executor/device/cpu/gemm/gate_plan.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ein::executor {
namespace {

constexpr Extent least_lanes = 16, most_lanes = 96;
constexpr Extent numbers_of_a_line = 16, numbers_in_box = 12 << 10;

/// How many elements lie side by side, at most, from the first on: of places in any order.
Extent run_of(std::vector<GateIndex> places) {
    std::ranges::sort(places);
    Extent run = 1;
    while (run < static_cast<Extent>(places.size()) && places[static_cast<std::size_t>(run)] == run) ++run;
    return run;
}

/// Takes rows by rising steps in a tensor, until there are enough: `cut` gets the one that is cut, as a number of
/// `rows`, or -1. @param grain  what is cut is a multiple of it together with those inside
GateLabels take_rows(GateLabels const& rows, Extent GateLabel::*step, std::vector<bool>& taken, Extent wanted,
                     Extent most, Extent grain, int& cut) {
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
            Extent const parts = (count * label.length + most - 1) / most;
            Extent const even = std::max<Extent>(1, (label.length + parts - 1) / parts),
                         multiple = grain / std::gcd(count, grain);
            label.length = std::min(label.length, (even + multiple - 1) / multiple * multiple);
            if (label.length < rows[static_cast<std::size_t>(next)].length) cut = next;
        }
        chosen.insert(chosen.begin(), label);
        count *= label.length;
        if (cut >= 0) break;
    }
    return chosen;
}

}  // namespace

std::optional<GateKinds> kinds_of(Nest const& nest, std::size_t large, std::size_t small, Extent number) {
    GateKinds kinds;
    for (NestLabel const& label : nest.labels) {
        GateLabel const of{label.length, label.strides[large] / number, label.strides[small] / number,
                           label.output_stride / number};
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

GatePlan plan_gate(GateKinds const& kinds, Extent GateLabel::*lanes, Extent GateLabel::*other, int parts) {
    GatePlan plan;
    std::vector<bool> taken;
    int cut_lanes = -1, cut_inside = -1;
    Extent const of_gate = count_of(kinds.batch) * (count_of(kinds.terms) + count_of(kinds.columns)) * parts;
    Extent run = 1, wanted = 1, room = 0;  // of rows inside: what makes whole lines, and what a box has room for
    for (Extent most : {most_lanes, least_lanes}) {
        if (room >= wanted) break;
        if (room > 0) most = std::max(most, numbers_in_box / (of_gate * wanted) / most * most);
        taken.assign(kinds.rows.size(), false);
        plan.lanes = take_rows(kinds.rows, lanes, taken, least_lanes, most, least_lanes, cut_lanes);
        room = std::max<Extent>(1, numbers_in_box / (count_of(plan.lanes) * of_gate));
        GateLabels all = kinds.batch;
        GateLabels const& others = other == &GateLabel::large ? kinds.terms : kinds.columns;
        all.insert(all.end(), others.begin(), others.end());
        all.insert(all.end(), plan.lanes.begin(), plan.lanes.end());
        if (parts == 2) all.push_back({2, 1, 1, 1});
        run = run_of(places_of(all, other));
        wanted = (numbers_of_a_line + run - 1) / run;
    }
    if (wanted > 1)
        plan.inside = take_rows(kinds.rows, other, taken, std::min(room, wanted), std::min(room, 2 * numbers_of_a_line),
                                1, cut_inside);
    plan.in_parts_of_lines = 4 * room < wanted;
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
    std::vector<GateIndex> lines;
    for (GateIndex const element : at_)
        for (GateIndex const lane : lane_) lines.push_back((element + lane) / line);
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    for (GateIndex& at : lines) at *= line;
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
