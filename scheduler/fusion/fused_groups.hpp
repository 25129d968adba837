// Kernels that follow one another on one rank and are run together, piece by piece, so that what one writes is still in
// the cache when the next reads it: softmax and norms, a product of short sums and what is done to its elements. Only
// the last output of a fused group leaves it. What is inside is never there as a whole: a piece of it takes working
// memory of a thread, its blocks take none. Nothing is computed twice. Inputs are held until the fused group has ended,
// and a fused group is only formed where the peak without fused groups has room for that. Leaves making one task of a
// group to fuse.hpp. Example: softmax over j of X[i, j]: m = max X, s = sum exp(X - m), Z = exp(X - m) / s: one fused
// group, cut along i.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "lib/base/ids.hpp"
#include "lib/schedule/dispatch/iterations.hpp"
#include "lib/schedule/dispatch/task_links.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "scheduler/fusion/alike_kernels.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {

struct FusedGroup {
    /// A direction in which all tasks are cut alike.
    struct Axis {
        std::vector<std::size_t> labels;  // of each task's EinSum
        Extent length = 1;                // of the tasks' regions
        std::int64_t parts = 1;
    };
    /// A label that is reduced inside and cut too, innermost: what is reduced is carried from part to part.
    struct Carry {
        std::vector<std::int32_t> labels;  // of each task's EinSum; -1: it has none
        Extent length = 1;
        std::int64_t parts = 1;
    };
    std::vector<TaskId> tasks;  // in the schedule's order
    std::vector<Axis> axes;     // outermost first
    std::optional<Carry> carry = {};

    TaskId last() const { return tasks.back(); }
    bool contains(TaskId task) const { return std::binary_search(tasks.begin(), tasks.end(), task); }
    std::int64_t pieces() const;  // of whole rows
};

struct FusionLimits {
    double bytes_of_a_piece = tuning::bytes_of_a_group_piece;
    double least_bytes = tuning::least_group_bytes;              // of a fused group
    Extent least_rows = tuning::least_product_rows;              // of a piece of a product
    Extent least_run = tuning::least_group_run;                  // bytes that a piece has side by side of large blocks
    double bytes_of_a_row_piece = tuning::bytes_of_a_row_piece;  // beyond which rows are cut, if that can be carried
    double bytes_of_a_carried_piece = tuning::bytes_of_a_carried_piece;
    Extent least_carried = tuning::least_carried_length;  // of the label in a piece
};

/// All fused groups of a section; no task is in two. Adds to the profile what fused groups hold longer than single
/// tasks would. @param alike  of the header's kernels
std::vector<FusedGroup> find_fused_groups(schedule::Header const& header, schedule::Section const& section,
                                          FusionLimits const& limits, AlikeKernels const& alike,
                                          schedule::Profile& profile);

}  // namespace ein::scheduler
