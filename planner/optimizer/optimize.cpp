#include "planner/optimizer/optimize.hpp"

#include "planner/optimizer/fit_device.hpp"
#include "planner/optimizer/fit_memory.hpp"

namespace ein::planner::optimizer {

Answer optimize(Question const& question, Functions const& functions) {
    Search search(question, functions);
    auto fitting = fit_memory(search, question.asked);
    if (auto* nothing = std::get_if<NothingFits>(&fitting)) return *nothing;
    auto& chosen = std::get<Chosen>(fitting);
    chosen.report = search.report;
    if (!question.device_memory) return std::move(chosen);
    return fit_device(search, std::move(chosen));
}

}  // namespace ein::planner::optimizer
