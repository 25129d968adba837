#include "executor/device/cuda/source/einsum/fold_plan.hpp"

#include <algorithm>
#include <bit>

#include "executor/device/cuda/tuning.hpp"

namespace ein::executor::cuda {
namespace {

Extent power_of_two_below(Extent value) {
    return value < 1 ? 1 : static_cast<Extent>(std::bit_floor(static_cast<std::uint64_t>(value)));
}
Extent power_of_two_above(Extent value) {
    return static_cast<Extent>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

class Planner {
public:
    Planner(Loops& loops, DType output, Gpu const& gpu)
        : loops_(loops), output_(output), gpu_(gpu), main_(loops.main_operand()) {}

    FoldPlan map() {
        sort_by_steps(loops_.outer, -1);
        plan_.lane_loop = std::max(0, static_cast<int>(loops_.outer.size()) - 1);
        choose_lanes(loops_.outer, -1, [&](int lanes) { return loops_.outputs() / lanes >= gpu_.threads(); });
        return plan_;
    }

    FoldPlan fold() {
        if (main_ >= 0) {
            sort_by_steps(loops_.outer, main_);
            sort_by_steps(loops_.inner, main_);
        } else {
            sort_by_steps(loops_.outer, -1);
        }
        plan_.rows = reads_along(loops_.inner) || (!reads_along(loops_.outer) && loops_.outputs() < gpu_.threads() / 8);
        plan_.rows ? share_rows() : share_columns();
        return plan_;
    }

private:
    bool reads_along(std::vector<Loop> const& side) const {
        return main_ >= 0 && !side.empty() && side.back().length > 1 && step_of(side.back(), main_) == 1;
    }

    void share_rows() {
        plan_.lane_loop = std::max(0, static_cast<int>(loops_.outer.size() + loops_.inner.size()) - 1);
        choose_lanes(loops_.inner, main_, [&](int lanes) { return loops_.terms() / lanes >= 32; });
        Extent const outputs = loops_.outputs(), terms = groups(loops_.inner, loops_.terms());
        plan_.sharing = std::min(fold_threads, power_of_two_above(ceil_div(terms, 4)));
        while (plan_.sharing < fold_threads && outputs * plan_.sharing < gpu_.threads() && 2 * plan_.sharing <= terms)
            plan_.sharing *= 2;
        cut(outputs, terms);
    }

    void share_columns() {
        plan_.lane_loop = std::max(0, static_cast<int>(loops_.outer.size()) - 1);
        Extent const terms = loops_.terms(), shares = std::max<Extent>(1, terms / tuning::terms_of_a_part);
        choose_lanes(loops_.outer, main_,
                     [&](int lanes) { return loops_.outputs() / lanes * shares >= gpu_.threads(); });
        Extent const outputs = groups(loops_.outer, loops_.outputs());
        Extent const most = fold_threads / std::min<Extent>(32, power_of_two_above(std::max<Extent>(1, outputs)));
        while (plan_.sharing < most && outputs * plan_.sharing < gpu_.threads() && 8 * plan_.sharing <= terms)
            plan_.sharing *= 2;
        cut(outputs, terms);
    }

    /// Parts of the terms, where blocks of whole outputs would leave most of the GPU idle.
    void cut(Extent outputs, Extent terms) {
        Extent const blocks = ceil_div(outputs, fold_threads / plan_.sharing), wanted = gpu_.threads() / fold_threads;
        if (blocks >= wanted) return;
        plan_.parts = std::clamp<Extent>(
            std::min(ceil_div(wanted, std::max<Extent>(1, blocks)), terms / (plan_.sharing * tuning::terms_of_a_part)),
            1, tuning::most_parts);
        Extent const most = outputs >= gpu_.threads() ? 1 : outputs >= 32 ? 8 : fold_threads;
        plan_.merging = std::min(most, power_of_two_below(plan_.parts));
    }

    Extent groups(std::vector<Loop> const& side, Extent elements) const {
        if (side.empty()) return elements;
        return elements / std::max<Extent>(1, side.back().length) * ceil_div(side.back().length, plan_.lanes);
    }

    /// The most lanes along the last loop of `side` with which `operand` (-1: the output) is read in runs.
    template <class Enough>
    void choose_lanes(std::vector<Loop> const& side, int operand, Enough const& enough) {
        if (side.empty() || step_of(side.back(), operand) != 1) return;
        DType const type = operand < 0 ? output_ : loops_.dtypes[static_cast<std::size_t>(operand)];
        for (int lanes = std::min<int>(tuning::most_lanes, static_cast<int>(16 / least_size(side.back(), type)));
             lanes > 1; lanes /= 2)
            if (loops_.in_runs(operand, plan_.lane_loop, lanes) && side.back().length >= lanes && enough(lanes)) {
                plan_.lanes = lanes;
                return;
            }
    }

    std::size_t least_size(Loop const& lane_loop, DType type) const {
        std::size_t least = size_of(type);
        for (std::size_t k = 0; k < loops_.operands.size(); ++k)
            if (lane_loop.steps[k] == 1) least = std::min(least, size_of(loops_.dtypes[k]));
        return least;
    }

    Loops& loops_;
    DType output_;
    Gpu const& gpu_;
    int main_;
    FoldPlan plan_;
};

}  // namespace

FoldPlan fold_plan(Loops& loops, DType output, bool folds, Gpu const& gpu) {
    Planner planner(loops, output, gpu);
    return folds ? planner.fold() : planner.map();
}

}  // namespace ein::executor::cuda
