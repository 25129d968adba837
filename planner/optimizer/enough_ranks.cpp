#include "planner/optimizer/enough_ranks.hpp"

#include <algorithm>

namespace ein::planner::optimizer {
namespace {

/// Whether one of the two variants that save most memory fits; all tiers would take minutes for each number of ranks.
bool fits_on(Search& search, Choices choices, int ranks) {
    choices.planner.ranks = ranks;
    choices.planner.calls = 0;
    choices.order = NodeOrder::least_memory;
    choices.effort = Effort::quick;
    if (search.fits(search.best_of(choices))) return true;
    choices.planner.calls = search.question.limits.most_slices * ranks;
    return search.fits(search.best_of(choices));
}

}  // namespace

int enough_ranks(Search& search, Choices const& choices, double most_calls) {
    Question const& question = search.question;
    if (question.parts_are_given || question.ranks_are_given) return 0;
    std::int64_t const most = std::min(question.limits.most_ranks, question.room.value_or(question.limits.most_ranks));
    std::int64_t const first = question.least_held / std::max(std::int64_t{1}, *question.memory);
    if (first >= most) return 0;
    int low = std::max(choices.planner.ranks, static_cast<int>(first)), high = low;
    do {
        if (high >= most || search.exhausted()) return 0;
        low = high;
        high = static_cast<int>(std::min(most, std::int64_t{2} * high));
        std::int64_t const calls = question.limits.most_slices * high;
        if (static_cast<double>(question.nodes) * static_cast<double>(calls) > most_calls) return 0;
    } while (!fits_on(search, choices, high));
    while (high - low > 1 && !search.exhausted()) {
        int const middle = low + (high - low) / 2;
        (fits_on(search, choices, middle) ? high : low) = middle;
    }
    return high;
}

}  // namespace ein::planner::optimizer
