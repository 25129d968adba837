#include "planner/exact/solve.hpp"

#include <algorithm>

#include "planner/exact/dominate.hpp"
#include "planner/exact/frontier.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

class Solver {
public:
    Solver(Model const& model, std::vector<int> known, Budget& budget) : model_(model), bound_(model), budget_(budget) {
        best_.values = std::move(known);
        best_.cost = model.cost(best_.values);
    }

    Solution run() {
        for (std::size_t states = tuning::first_states; states <= tuning::most_states; states *= 4) {
            raise_bound();
            if (proven()) break;
            exclude_needless(model_, bound_, limit(), budget_);
            search(states);
            if (proven() || budget_.exhausted()) break;
        }
        if (proven()) best_.bound = best_.cost;
        return best_;
    }

private:
    double tolerance() const { return best_.cost * tuning::rounding; }
    /// The reduced cost from which on an assignment is no better than the best.
    double limit() const { return best_.cost - bound_.value() - tolerance(); }
    bool proven() const { return limit() <= 0 || best_.cost - best_.bound <= tolerance(); }

    /// Sweeps while a round closes a fifth of what is open between the bound and the best cost.
    void raise_bound() {
        for (int sweep = 0; sweep < tuning::bound_sweeps && !proven(); sweep += tuning::sweeps_a_round) {
            double const open = limit();
            for (int k = 0; k < tuning::sweeps_a_round && !proven(); ++k) {
                bound_.sweep(budget_);
                take(bound_.guess());
                note(bound_.value());
                if (budget_.exhausted()) return;
            }
            if (limit() > 0.8 * open) return;
        }
    }

    /// No assignment but the best may cost less than this.
    void note(double bound) { best_.bound = std::max(best_.bound, std::min(best_.cost, bound)); }

    void take(std::vector<int> const& values) {
        double const cost = model_.cost(values);
        if (cost >= best_.cost - tolerance()) return;
        best_.cost = cost;
        best_.values = values;
    }

    void search(std::size_t states) {
        double const within = limit();
        FrontierResult const found = search_frontier(model_, bound_, within, states, budget_);
        if (found.values) take(*found.values);
        note(found.dropped < within ? bound_.value() + found.dropped : best_.cost);
    }

    Model const& model_;
    Bound bound_;
    Budget& budget_;
    Solution best_;
};

}  // namespace

Solution solve(Model const& model, std::vector<int> known, Budget& budget) {
    return Solver(model, std::move(known), budget).run();
}

}  // namespace ein::planner
