#include "executor/device/cpu/narrow/box_plan.hpp"

#include <algorithm>
#include <cmath>

#include "executor/device/cpu/narrow/narrow_blocks.hpp"
#include "executor/device/cpu/narrow/tuning.hpp"

namespace ein::executor {
namespace {

namespace tuning = narrow_tuning;
constexpr std::size_t A = ProductSides::A, B = ProductSides::B, C = ProductSides::C;

/// About half of a part of a length: whole cache lines of words if it has some, and the last part is not much shorter.
Extent half(Extent length, Extent part) {
    Extent const wanted = parts_of_length(length, 2 * parts_of_length(length, part)),
                 lines = rounded_up(wanted, tuning::box_grain), rest = length % lines;
    bool const even = wanted >= tuning::box_grain && lines < part && (rest == 0 || 2 * rest >= lines);
    return even ? lines : std::min(wanted, part - 1);
}

class BoxPlanner {
public:
    BoxPlanner(ProductSides const& sides, double rate) : sides_(sides), rate_(rate) {
        double const outputs = sides.elements(C) * sides.lacking(sides.lengths(), C);
        least_boxes_ = std::min(tuning::least_boxes, static_cast<Extent>(2 * outputs / tuning::least_operations));
    }

    std::optional<BoxPlan> plan() const {
        std::optional<BoxPlan> best;
        if (!sides_.is_product()) return best;
        for (bool const cuts_terms : {false, true}) search(cuts_terms, best);
        return best;
    }

private:
    /// Labels are cut in halves, those that it costs least to cut first; several ways are looked at side by side.
    void search(bool cuts_terms, std::optional<BoxPlan>& best) const {
        std::vector<BoxPlan> tried{priced(sides_.lengths())};
        while (!tried.empty()) {
            std::vector<BoxPlan> next;
            for (BoxPlan const& plan : tried) {
                if (best && plan.seconds >= best->seconds) continue;
                if (fits(plan.parts) && boxes(plan.parts) >= least_boxes_)
                    best = plan;
                else
                    add_cuts(plan, cuts_terms, next);
            }
            std::stable_sort(next.begin(), next.end(),
                             [](BoxPlan const& x, BoxPlan const& y) { return x.seconds < y.seconds; });
            if (next.size() > tuning::box_plans) next.resize(tuning::box_plans);
            tried = std::move(next);
        }
    }

    /// The same with one more label cut, or cut more.
    void add_cuts(BoxPlan const& plan, bool cuts_terms, std::vector<BoxPlan>& to) const {
        for (std::size_t l = 0; l < plan.parts.size(); ++l) {
            if (plan.parts[l] == 1 || (!cuts_terms && !sides_.has(l, C))) continue;
            std::vector<Extent> parts = plan.parts;
            parts[l] = half(sides_.lengths()[l], parts[l]);
            if (std::none_of(to.begin(), to.end(), [&](BoxPlan const& other) { return other.parts == parts; }))
                to.push_back(priced(std::move(parts)));
        }
    }

    bool fits(std::vector<Extent> const& parts) const {
        double const words = sides_.elements(parts, A) + sides_.elements(parts, B) + sides_.elements(parts, C);
        return 4 * words <= static_cast<double>(tuning::box_bytes);
    }
    std::vector<Extent> counts(std::vector<Extent> const& parts) const {
        std::vector<Extent> out;
        for (std::size_t l = 0; l < parts.size(); ++l) out.push_back(parts_of_length(sides_.lengths()[l], parts[l]));
        return out;
    }
    Extent boxes(std::vector<Extent> const& parts) const {
        return static_cast<Extent>(sides_.elements(counts(parts), C));
    }

    BoxPlan priced(std::vector<Extent> parts) const {
        std::vector<Extent> const cuts = counts(parts);
        double const rows = sides_.lacking(cuts, B), columns = sides_.lacking(cuts, A), terms = sides_.lacking(cuts, C);
        auto const packed = [&](std::size_t side) { return tuning::box_packed * sides_.elements(side); };
        auto const converted = [&](std::size_t side) {
            double const run = sides_.run(parts, side, false);
            return sides_.elements(side) * (tuning::box_converted + tuning::box_run / run);
        };
        auto const moved = [&](bool rows_inside) {
            bool const keeps = terms == 1;  // what does not change from box to box
            return packed(A) * columns + packed(B) * rows + packed(C) * (2 * terms - 1) +
                   converted(A) * (keeps && !rows_inside ? 1 : columns) +
                   converted(B) * (keeps && rows_inside ? 1 : rows) + converted(C);
        };
        double const outside = moved(false), inside = moved(true);
        BoxPlan plan{std::move(parts), inside < outside, std::min(inside, outside)};
        plan.seconds += sides_.elements(cuts, C) * terms * tuning::seconds_of_a_box + seconds_of_tiles(plan.parts);
        return plan;
    }

    /// What multiplying takes, of tiles that are not all full, or with the batch in lanes.
    double seconds_of_tiles(std::vector<Extent> const& parts) const {
        double const batch = sides_.batch(parts), rows = sides_.lacking(parts, B), columns = sides_.lacking(parts, A);
        auto const filled = [](double across, double down) {
            constexpr auto lanes = static_cast<double>(tuning::box_grain);
            return std::ceil(across / lanes) * lanes / across * (1 + tuning::box_tile_rows / down);
        };
        double slower = std::min(filled(rows, columns), filled(columns, rows));
        if (batch >= static_cast<double>(tuning::box_grain)) slower = std::min(slower, tuning::box_lanes);
        return 2 * sides_.elements(C) * sides_.lacking(sides_.lengths(), C) * slower / rate_;
    }

    ProductSides const& sides_;
    double rate_;
    Extent least_boxes_;
};

}  // namespace

std::optional<BoxPlan> plan_boxes(ProductSides const& sides, double rate) { return BoxPlanner(sides, rate).plan(); }

double seconds_in_panels(ProductSides const& sides, double rate, Extent block) {
    std::vector<Extent> const& lengths = sides.lengths();
    double const rows = sides.lacking(lengths, B), columns = sides.lacking(lengths, A),
                 terms = sides.lacking(lengths, C), batch = sides.batch(lengths);
    constexpr auto lanes = static_cast<double>(tuning::box_grain);
    auto const filled = [](double across, double down) {
        return std::ceil(across / lanes) * lanes * std::ceil(down / tuning::panel_rows) * tuning::panel_rows /
               (across * down);
    };
    double seconds = 2 * sides.elements(C) * terms * std::min(filled(rows, columns), filled(columns, rows)) / rate;
    seconds += batch * tuning::seconds_of_a_panel;
    for (std::size_t side : {A, B}) {
        double const run = std::min(sides.run(lengths, side, true), tuning::panel_run),
                     others = side == A ? columns : rows;
        double each = tuning::panel_packed +
                      (sides.batch_inside(side) ? tuning::panel_scattered : tuning::panel_packed_run / run);
        if (others < tuning::panel_few) each += tuning::panel_for_few * lanes / (lanes + others);
        seconds += each * sides.elements(side);
    }
    double const run = std::min(sides.run(lengths, C, true), tuning::panel_run);
    seconds +=
        sides.elements(C) * (std::ceil(terms / static_cast<double>(block)) * tuning::panel_stored +
                             (sides.batch_inside(C) ? tuning::panel_stored_apart : tuning::panel_stored_run / run));
    return seconds;
}

}  // namespace ein::executor
