#include "executor/device/cuda/source/einsum/fold_source.hpp"

#include <algorithm>

#include "executor/device/cuda/tuning.hpp"

namespace ein::executor::cuda {
namespace {

Extent groups_of(std::vector<Loop> const& side, std::size_t first, FoldPlan const& plan) {
    Extent count = 1;
    for (std::size_t loop = 0; loop < side.size(); ++loop) {
        bool const lane_loop = static_cast<int>(first + loop) == plan.lane_loop;
        count *= lane_loop ? (side[loop].length + plan.lanes - 1) / plan.lanes : side[loop].length;
    }
    return count;
}

/// K for fold() or, with `merging`, for fold_parts().
Launch fold_launch(EinsumText const& text, Loops const& loops, FoldPlan const& plan, Extent terms, bool merging) {
    KernelStruct kernel(text, loops, {plan.lanes, plan.lane_loop});
    Extent const sharing = merging ? plan.merging : plan.sharing, part = (terms + plan.parts - 1) / plan.parts;
    kernel.constant("i32", "sharing", sharing).constant("bool", "rows", plan.rows && !merging);
    kernel.constant("bool", "parted", plan.parts > 1 && !merging);
    unsigned const threads = static_cast<unsigned>(fold_threads);
    Launch launch = kernel.launch(
        kernel.kernel(merging ? "merge" : "fold", threads, merging ? "fold_parts<K>(a)" : "fold<K>(a)"), threads);
    launch.constants = kernel.words(terms, part, plan.parts).take();
    launch.grid_x = fold_blocks(groups_of(loops.outer, 0, plan) * sharing, text.gpu);
    launch.grid_y = merging ? 1 : static_cast<unsigned>(plan.parts);
    return launch;
}

Launch map_launch(EinsumText const& text, Loops const& loops, FoldPlan const& plan) {
    KernelStruct kernel(text, loops, {plan.lanes, plan.lane_loop});
    unsigned const threads = static_cast<unsigned>(fold_threads);
    Launch launch = kernel.launch(kernel.kernel("map", threads, "map<K>(a)"), threads);
    launch.constants = kernel.words(1, 1, 1).take();
    launch.grid_x = fold_blocks(groups_of(loops.outer, 0, plan), text.gpu);
    return launch;
}

}  // namespace

unsigned fold_blocks(Extent threads, Gpu const& gpu) {
    Extent const wanted = (threads + fold_threads - 1) / fold_threads;
    return static_cast<unsigned>(std::clamp<Extent>(wanted, 1, tuning::blocks_of_folds * gpu.multiprocessors));
}

Launch merge_launch(EinsumText const& text, Loops const& loops, FoldPlan const& plan) {
    return fold_launch(text, loops, plan, plan.parts, true);
}

Program fold_program(EinsumText const& text, Loops loops, bool aggregates, bool no_terms) {
    FoldPlan const plan = fold_plan(loops, text.shape.output_dtype, aggregates, text.gpu);
    Program program;
    if (!aggregates) {
        program.launches.push_back(map_launch(text, loops, plan));
        return program;
    }
    Extent const terms = no_terms ? 0 : groups_of(loops.inner, loops.outer.size(), plan);
    program.launches.push_back(fold_launch(text, loops, plan, terms, false));
    if (plan.parts > 1) {
        program.launches.push_back(merge_launch(text, loops, plan));
        Extent const lanes = plan.rows ? 1 : plan.lanes;
        program.scratch_bytes = plan.parts * groups_of(loops.outer, 0, plan) * lanes *
                                state_bytes(text.shape.kernel->einsum.agg, text.types.accumulate);
    }
    return program;
}

}  // namespace ein::executor::cuda
