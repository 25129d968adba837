#include "planner/optimizer/fit_memory.hpp"

#include <algorithm>

#include "planner/optimizer/enough_ranks.hpp"

namespace ein::planner::optimizer {
namespace {

/// Of schedules that do not fit, the one that is spilled in the least time.
class CheapestSpill {
public:
    explicit CheapestSpill(Search const& search) : search_(search) {}

    void consider(Candidate const& candidate, std::string const& what) {
        std::int64_t const budget = *search_.question.memory;
        std::int64_t const smallest = search_.functions.smallest_budget(candidate);
        if (!smallest_ || smallest < *smallest_) {
            smallest_ = smallest;
            smallest_spills_ = smallest < candidate.cost.peak;
        }
        if (smallest > budget) return;
        Candidate spilled = search_.functions.spill(candidate, budget);
        if (best_ && !better(spilled.cost, best_->cost, that_spill())) return;
        best_ = std::move(spilled);
        what_ = what;
    }

    std::optional<Candidate> const& best() const { return best_; }
    std::string const& what() const { return what_; }
    /// The least budget for which any of them can be spilled.
    std::int64_t smallest_budget() const { return smallest_.value(); }
    /// Whether it takes spilling to come to that: nothing in a loop is spilled.
    bool smallest_spills() const { return smallest_spills_; }

private:
    Search const& search_;
    std::optional<Candidate> best_;
    std::string what_;
    std::optional<std::int64_t> smallest_;
    bool smallest_spills_ = false;
};

/// A variant that fits, if the tier has one; the others are considered for spilling.
std::optional<Compromise> best_that_fits(Search& search, Tier const& tier, CheapestSpill& spilled, Candidate& best) {
    std::optional<Compromise> taken;
    for (PlanVariant const& variant : tier) {
        if (search.exhausted()) break;
        Candidate here = search.best_of(variant.choices);
        if (!search.fits(here)) {
            if (!taken) spilled.consider(here, variant.what);
            continue;
        }
        if (taken && !better(here.cost, best.cost, that_fit())) continue;
        best = std::move(here);
        taken = Compromise{Compromise::Kind::variant, variant.what, 0, {}, best.cost};
    }
    return taken;
}

/// Labels sliced further than the tiers do, as long as that makes what can be spilled smaller and schedules stay
/// affordable: what the smallest budget is, is found in the same way whatever the budget.
std::optional<Compromise> sliced_further(Search& search, Choices const& choices, CheapestSpill& spilled,
                                         Candidate& best) {
    Limits const& limits = search.question.limits;
    if (search.question.parts_are_given) return std::nullopt;
    int in_vain = 0;
    for (std::int64_t factor = 2 * limits.most_slices; factor <= limits.most_device_slices; factor *= 2) {
        Tier const tier = sliced_tier(choices, factor * calls_asked(choices.planner));
        double const calls = static_cast<double>(tier.front().choices.planner.calls);
        if (in_vain >= limits.no_progress || !search.affords(calls * static_cast<double>(search.question.nodes))) break;
        std::int64_t const before = spilled.smallest_budget();
        if (auto taken = best_that_fits(search, tier, spilled, best)) return taken;
        if (spilled.best()) break;
        in_vain = spilled.smallest_budget() < before ? 0 : in_vain + 1;
    }
    return std::nullopt;
}

}  // namespace

std::variant<Chosen, NothingFits> fit_memory(Search& search, Choices const& choices) {
    Question const& question = search.question;
    Candidate const first = search.best_of(choices);
    if (!question.memory || search.fits(first)) return Chosen{first};
    CheapestSpill spilled(search);
    spilled.consider(first, "");
    auto const chosen = [&](Candidate candidate, Compromise compromise) {
        compromise.needed = first.cost.peak;
        compromise.before = first.cost;
        return Chosen{std::move(candidate), {std::move(compromise)}};
    };
    for (Tier const& tier :
         fallback_tiers(choices, question.placers, question.parts_are_given, question.limits.most_slices)) {
        Candidate best;
        if (auto taken = best_that_fits(search, tier, spilled, best)) return chosen(std::move(best), *taken);
    }
    if (Candidate best; !spilled.best())
        if (auto taken = sliced_further(search, choices, spilled, best)) return chosen(std::move(best), *taken);
    if (auto const& best = spilled.best())
        return chosen(*best, {.kind = Compromise::Kind::spilled,
                              .what = spilled.what(),
                              .needed = 0,
                              .after = best->cost,
                              .enough_ranks = enough_ranks(search, choices, question.limits.most_searched_calls)});
    return NothingFits{spilled.smallest_budget(), spilled.smallest_spills(),
                       enough_ranks(search, choices, question.limits.calls_in_all)};
}

}  // namespace ein::planner::optimizer
