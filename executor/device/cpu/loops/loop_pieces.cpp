#include "executor/device/cpu/loops/loop_pieces.hpp"

#include <algorithm>

#include "executor/device/cpu/machine.hpp"

namespace ein::executor {
namespace {

class Cutter {
public:
    Cutter(Nest const& nest, LoopPlan& plan) : nest_(nest), plan_(plan), aggregates_(nest.aggregates()) {}

    void cut() {
        std::int64_t const wanted = pieces_wanted();
        if (wanted < 2) return;
        std::size_t const own = level_of_outputs(wanted);
        if (aggregates_ && (own == LoopPlan::none || count(own) < std::min<std::int64_t>(8, wanted)))
            cut_aggregated(wanted);
        if (plan_.cut == LoopPlan::none) cut_outputs(wanted);
    }

    /// Outputs alone, so that no order of terms changes.
    void cut_outputs() {
        if (pieces_wanted() > 1) cut_outputs(pieces_wanted());
    }

private:
    Extent count(std::size_t level) const {
        LoopPlan::Level const& at = plan_.levels[level];
        return (nest_.labels[at.label].length + at.block - 1) / at.block;
    }

    /// The level among [first, last) with enough iterations, outermost first, else the one with most; neighbours along
    /// a grain share what is turned for them.
    std::size_t level_with(std::int64_t wanted, std::size_t first, std::size_t last, bool aggregated) const {
        std::size_t best = LoopPlan::none;
        for (std::size_t level = first; level < last; ++level) {
            if (level == plan_.turned || nest_.labels[plan_.levels[level].label].aggregated != aggregated) continue;
            if (best != LoopPlan::none && (count(best) >= wanted || count(level) <= count(best))) continue;
            best = level;
        }
        return best;
    }

    std::int64_t pieces_wanted() const {
        return std::min<std::int64_t>(machine::most_pieces, nest_.elements() / machine::points_of_a_piece);
    }
    std::size_t level_of_outputs(std::int64_t wanted) const {
        return level_with(wanted, 0, aggregates_ ? plan_.scope : plan_.levels.size(), false);
    }

    void cut_outputs(std::int64_t wanted) {
        std::size_t const own = level_of_outputs(wanted);
        if (own == LoopPlan::none) return;
        plan_.cut = own;
        plan_.pieces = std::min<std::int64_t>(wanted, count(own));
    }

    /// Few outputs: pieces of what is aggregated, whose partial results are combined in order.
    void cut_aggregated(std::int64_t wanted) {
        if (nest_.output_elements() > machine::most_partial_outputs) return;
        std::size_t const level = level_with(wanted, plan_.scope, plan_.levels.size(), true);
        if (level == LoopPlan::none || count(level) < 2) return;
        plan_.cut = level;
        plan_.pieces = std::min<std::int64_t>({wanted, count(level), 16});
        plan_.partial = true;
    }

    Nest const& nest_;
    LoopPlan& plan_;
    bool aggregates_;
};

}  // namespace

void cut_into_pieces(Nest const& nest, LoopPlan& plan) { Cutter(nest, plan).cut(); }

LoopPlan cut_anew(Nest const& nest, LoopPlan plan) {
    if (plan.partial) return plan;
    plan.cut = LoopPlan::none;
    plan.pieces = 1;
    Cutter(nest, plan).cut_outputs();
    return plan;
}

}  // namespace ein::executor
