#include "executor/fusion/carried_steps.hpp"

#include <algorithm>

namespace ein::executor {
namespace {

using Phase = CarriedStep::Phase;

/// The step that makes what a member does: its last one.
std::size_t maker(std::vector<FusedStep> const& steps, std::size_t member) {
    std::size_t at = steps.size();
    while (steps[--at].member != member) continue;
    return at;
}

Phase phase_without_label(FusedStep const& step, std::vector<CarriedStep> const& known) {
    bool const waits = std::any_of(step.operands.begin(), step.operands.end(), [&](FusedStep::Operand const& operand) {
        return operand.step >= 0 && known[static_cast<std::size_t>(operand.step)].phase != Phase::before;
    });
    return waits ? Phase::after : Phase::before;
}

}  // namespace

std::vector<CarriedStep> carried_steps(FusedGroup::Carry const& carry, std::vector<FusedStep> const& steps) {
    std::vector<CarriedStep> out;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        CarriedStep step;
        step.label = carry.labels[steps[k].member];
        step.phase = step.label >= 0 ? Phase::pieces : phase_without_label(steps[k], out);
        step.is_carried = step.label >= 0 && steps[k].kernel.einsum.aggregates(step.label);
        if (step.is_carried) {
            schedule::CarriedMember const& member = carry.members[steps[k].member];
            if (member.shift) step.shift = {maker(steps, member.shift->member), member.shift->labels, 1};
            for (schedule::CarriedMember::Power const& scale : member.scales)
                step.scales.push_back({maker(steps, scale.factor.member), scale.factor.labels, scale.power});
        }
        out.push_back(std::move(step));
    }
    return out;
}

}  // namespace ein::executor
