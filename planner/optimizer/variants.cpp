#include "planner/optimizer/variants.hpp"

#include "planner/strategies/strategies.hpp"

namespace ein::planner::optimizer {
namespace {

Tier other_placements(Choices const& saving, std::vector<std::string> const& placers) {
    Tier tier;
    for (std::string const& place : placers) {
        if (place == saving.place) continue;
        Choices other = saving;
        other.place = place;
        tier.push_back({"placed by " + place, other});
    }
    return tier;
}

Tier other_decompositions(Choices const& saving) {
    Tier tier;
    for (std::string const& name : strategy_names()) {
        if (name == saving.planner.decompose) continue;
        Choices other = saving;
        other.planner.decompose = name;
        tier.push_back({"decomposed by " + name, other});
    }
    return tier;
}

Tier sliced(Choices const& saving, std::int64_t calls) {
    Choices other = saving;
    other.planner.calls = calls;
    return {{"its labels sliced into " + std::to_string(calls) + " kernel calls a node", other}};
}

}  // namespace

std::int64_t calls_asked(PlannerOptions const& options) { return options.calls > 0 ? options.calls : options.ranks; }

namespace {

Choices saving_memory(Choices const& asked) {
    Choices saving = asked;
    saving.order = NodeOrder::least_memory;
    saving.effort = Effort::quick;
    return saving;
}

}  // namespace

Tier sliced_tier(Choices const& asked, std::int64_t calls) { return sliced(saving_memory(asked), calls); }

std::vector<Tier> fallback_tiers(Choices const& asked, std::vector<std::string> const& placers, bool parts_are_given,
                                 std::int64_t most_slices) {
    Choices const saving = saving_memory(asked);
    std::vector<Tier> tiers{{{"its nodes in the order of least memory", saving}}, other_placements(saving, placers)};
    if (parts_are_given) return tiers;
    tiers.push_back(other_decompositions(saving));
    for (std::int64_t factor = 2; factor <= most_slices; factor *= 2)
        tiers.push_back(sliced(saving, calls_asked(asked.planner) * factor));
    return tiers;
}

}  // namespace ein::planner::optimizer
