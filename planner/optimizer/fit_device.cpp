#include "planner/optimizer/fit_device.hpp"

#include <algorithm>

#include "planner/optimizer/fit_memory.hpp"

namespace ein::planner::optimizer {

Answer fit_device(Search& search, Chosen first) {
    Question const& question = search.question;
    Limits const& limits = question.limits;
    std::int64_t const needed = search.functions.working_set(first.candidate);
    if (needed <= *question.device_memory) return first;
    CallTooLarge found{first.candidate};
    if (question.parts_are_given) return found;
    std::int64_t smallest = needed;
    int in_vain = 0;
    for (std::int64_t factor = 2; factor <= limits.most_device_slices && in_vain < limits.no_progress; factor *= 2) {
        Choices sliced = question.asked;
        sliced.planner.calls = factor * std::max<std::int64_t>(sliced.planner.calls, sliced.planner.ranks);
        if (!search.affords(static_cast<double>(sliced.planner.calls) * static_cast<double>(question.nodes))) break;
        auto fitting = fit_memory(search, sliced);
        if (auto* nothing = std::get_if<NothingFits>(&fitting)) return *nothing;
        auto& here = std::get<Chosen>(fitting);
        std::int64_t const needs = search.functions.working_set(here.candidate);
        in_vain = needs < smallest ? 0 : in_vain + 1;
        if (in_vain == 0) {
            smallest = needs;
            found.smallest = here.candidate;
        }
        if (needs > *question.device_memory) continue;
        here.compromises.push_back(
            {Compromise::Kind::sliced,
             "labels sliced into " + std::to_string(sliced.planner.calls) + " kernel calls a node", needed,
             first.candidate.cost, here.candidate.cost});
        return std::move(here);
    }
    return found;
}

}  // namespace ein::planner::optimizer
