// Steps that look for the place of the best value: with the value itself, where the step before finds it for them
// alone.
#include <algorithm>

#include "executor/fusion/fused_group_runner.hpp"
#include "lib/graph/best_search.hpp"

namespace ein::executor {

std::unique_ptr<PreparedKernel const> FusedGroupRunner::search_alone(Prepared const& group, std::size_t k,
                                                                     KernelShape const& shape, Device& device,
                                                                     scalar::Params const& params) const {
    if (k == 0 || group.clip || group.drops_masks || group.group.carry) return nullptr;
    FusedStep const &search = group.steps[k], &before = group.steps[k - 1];
    auto const of = graph::as_best_search(search.kernel.einsum);
    if (!of || !graph::is_best_of(before.kernel.einsum, search.kernel.einsum, *of)) return nullptr;
    auto const at_before = static_cast<std::int32_t>(k - 1);
    std::size_t readers = 0;
    for (FusedStep const& step : group.steps)
        readers += static_cast<std::size_t>(std::count_if(step.operands.begin(), step.operands.end(),
                                                          [&](auto const& from) { return from.step == at_before; }));
    std::vector<FusedStep::Operand> others = search.operands;
    bool const is_for_it = others[of->best].step == at_before && readers == 1 && before.also.empty();
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(of->best));
    auto const inputs = group.group.members.reads(task_of(group, search));
    auto const inputs_before = group.group.members.reads(task_of(group, before));
    auto const is_same = [&](FusedStep::Operand const& a, FusedStep::Operand const& b) {
        return a.step >= 0 || b.step >= 0 ? a.step == b.step : inputs[at(a.input)] == inputs_before[at(b.input)];
    };
    bool const same = std::equal(others.begin(), others.end(), before.operands.begin(), before.operands.end(), is_same);
    return is_for_it && same ? device.prepare_best_search(shape, before.kernel.einsum.agg, params) : nullptr;
}

}  // namespace ein::executor
