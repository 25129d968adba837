// Steps of a fused group that runs over pieces of a label which is reduced inside: which run before all pieces, for
// each and after them, and how what is reduced goes on from one to the next. Leaves memory and kernels to
// carried_state.hpp, running to fused_group_runner.hpp. Example: m = max T, e = exp(T - m), s = sum of e, z = sum of
// e*V, z/s: m, s and z are carried, s and z are shifted by m, and z is scaled by 1/s when all pieces were there.
#pragma once

#include <optional>
#include <vector>

#include "executor/fusion/fusion_plan.hpp"

namespace ein::executor {

struct CarriedStep {
    enum class Phase : std::uint8_t { before, pieces, after };
    /// What another step reduces, as a factor of this one's sums.
    struct Factor {
        std::size_t step = 0;
        std::vector<int> labels;  // of this step's kernel, for each axis of the other's output
        int power = 1;
    };
    Phase phase = Phase::before;
    int label = -1;           // of its kernel: what pieces are cut along
    bool is_carried = false;  // reduces it
    std::optional<Factor> shift = {};
    std::vector<Factor> scales = {};
};

/// Of each step. @param steps  after split_masks
std::vector<CarriedStep> carried_steps(FusedGroup::Carry const& carry, std::vector<FusedStep> const& steps);

}  // namespace ein::executor
