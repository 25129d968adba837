#include "planner/exact/state_equivalence.hpp"

#include <map>

namespace ein::planner {

StateEquivalence::StateEquivalence(Model const& model, Bound const& bound, int variable, std::vector<int> const& later)
    : links_(later), stages_(later.size() + 1) {
    std::size_t const values = model.variables[static_cast<std::size_t>(variable)].cost.size();
    std::vector<int> group(values, 0);  // at the stage that was made last; when all links are closed there is one
    for (std::size_t value = 0; value < values; ++value)
        if (bound.excluded(variable, static_cast<int>(value))) group[value] = -1;
    stages_.back().count = 1;
    for (std::size_t stage = links_.size(); stage-- > 0;) {
        Link const& link = model.links[static_cast<std::size_t>(links_[stage])];
        std::map<std::pair<int, int>, int> numbers;  // of class at this link, and group afterwards
        for (std::size_t value = 0; value < values; ++value) {
            if (group[value] < 0) continue;
            std::pair<int, int> const seen{link.class_of(variable, static_cast<int>(value)), group[value]};
            auto const [at, fresh] = numbers.emplace(seen, static_cast<int>(numbers.size()));
            if (fresh) {
                stages_[stage].class_at_next.push_back(seen.first);
                stages_[stage].after_next.push_back(seen.second);
            }
            group[value] = at->second;
        }
        stages_[stage].count = numbers.size();
    }
    first_ = std::move(group);
}

}  // namespace ein::planner
