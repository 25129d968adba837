#include "planner/exact/frontier.hpp"

#include <algorithm>

#include "planner/exact/state_equivalence.hpp"
#include "planner/exact/states.hpp"
#include "planner/tuning.hpp"

namespace ein::planner {
namespace {

class FrontierSearch {
public:
    FrontierSearch(Model const& model, Bound const& bound, double limit, std::size_t most_states, Budget& budget)
        : model_(model), bound_(bound), limit_(limit), most_states_(most_states), budget_(budget) {}

    FrontierResult run() {
        States states(0);
        states.offer({}, 0, 0, -1);
        for (std::size_t v = 0; v < model_.variables.size(); ++v) {
            States next = decide(static_cast<int>(v), states);
            std::size_t const most = states_before(v + 1);
            if (next.size() > most) result_.dropped = std::min(result_.dropped, next.keep(most));
            records_ += next.size();
            if (v > 0) history_.push_back(forgotten(std::move(states)));
            states = std::move(next);
            if (states.size() == 0) return result_;
        }
        history_.push_back(std::move(states));
        result_.values = way_back();
        return result_;
    }

private:
    struct Alive {
        int value;
        int group;    // 0 when no later variable sees it
        double cost;  // reduced
    };

    static States forgotten(States states) {
        states.forget_rows();
        return states;
    }

    /// How many states may be kept before the decision of a variable, for it not to take all that is left.
    std::size_t states_before(std::size_t variable) const {
        if (variable == model_.variables.size()) return most_states_;
        double const work = static_cast<double>(model_.variables[variable].cost.size() + 1) *
                            static_cast<double>(model_.variables[variable].links.size() + 1);
        double const affordable = std::max(0.0, budget_.left() / 4 / work);
        std::size_t const recordable = records_ < tuning::most_records ? (tuning::most_records - records_) / 4 : 0;
        double const most = std::min({affordable, static_cast<double>(recordable), static_cast<double>(most_states_)});
        return std::max(std::min(tuning::fewest_states, most_states_), static_cast<std::size_t>(most));
    }

    /// All states after one more decision.
    States decide(int variable, States const& states) {
        StateEquivalence groups = groups_of(variable);
        std::vector<Alive> const alive = alive_values(variable, groups);
        std::vector<Closing> const closing = links_that_close(variable, alive);
        std::vector<Slot> const slots = slots_after(variable);
        bool const opens = groups.open();
        States next(slots.size() + (opens ? 1 : 0));

        std::vector<double> best(opens ? groups.count() : 1);
        std::vector<int> value_of(best.size());
        std::vector<int> row(slots.size() + (opens ? 1 : 0));
        for (std::size_t state = 0; state < states.size(); ++state) {
            std::fill(best.begin(), best.end(), infinite);
            auto const seen = states.row(state);
            for (std::size_t k = 0; k < alive.size(); ++k) {
                double cost = states.cost(state) + alive[k].cost;
                for (Closing const& link : closing) cost += link.costs[at(seen[link.slot]) * alive.size() + k];
                if (cost >= best[at(alive[k].group)]) continue;
                best[at(alive[k].group)] = cost;
                value_of[at(alive[k].group)] = alive[k].value;
            }
            for (std::size_t k = 0; k < slots.size(); ++k) {
                int const group = seen[slots[k].from];
                row[k] = slots[k].after.empty() ? group : slots[k].after[at(group)];
            }
            for (std::size_t group = 0; group < best.size(); ++group) {
                if (!(best[group] < limit_)) continue;
                if (opens) row.back() = static_cast<int>(group);
                next.offer(row, best[group], state, value_of[group]);
            }
        }
        budget_.spend(static_cast<double>(states.size()) *
                      static_cast<double>(alive.size() * (closing.size() + 1) + best.size() * tuning::work_of_offer));
        close_links(variable);
        if (opens) open_.push_back({variable, std::move(groups)});
        return next;
    }

    StateEquivalence groups_of(int variable) const {
        std::vector<int> later;
        for (int link : model_.variables[at(variable)].links)
            if (model_.links[at(link)].ends[0] == variable) later.push_back(link);
        std::sort(later.begin(), later.end(),
                  [&](int a, int b) { return model_.links[at(a)].ends[1] < model_.links[at(b)].ends[1]; });
        return StateEquivalence(model_, bound_, variable, later);
    }

    std::vector<Alive> alive_values(int variable, StateEquivalence const& groups) const {
        std::vector<Alive> alive;
        int const values = static_cast<int>(model_.variables[at(variable)].cost.size());
        for (int value = 0; value < values; ++value) {
            double const cost = bound_.of_value(variable, value);
            if (!bound_.excluded(variable, value) && cost < limit_) alive.push_back({value, groups.first(value), cost});
        }
        return alive;
    }

    struct Open {
        int variable;
        StateEquivalence groups;
        bool sees(Model const& model, int later) const { return model.links[at(groups.next_link())].ends[1] == later; }
    };

    struct Closing {
        std::size_t slot;
        std::vector<double> costs;  // for each group of the earlier end and each alive value of the later one
    };

    std::vector<Closing> links_that_close(int variable, std::vector<Alive> const& alive) const {
        std::vector<Closing> closing;
        for (std::size_t slot = 0; slot < open_.size(); ++slot) {
            if (!open_[slot].sees(model_, variable)) continue;
            StateEquivalence const& groups = open_[slot].groups;
            int const link = groups.next_link();
            Closing made{slot, {}};
            for (std::size_t group = 0; group < groups.count(); ++group)
                for (Alive const& of : alive)
                    made.costs.push_back(bound_.of_link(link, groups.class_at_next(group),
                                                        (*model_.links[at(link)].classes[1])[at(of.value)]));
            closing.push_back(std::move(made));
        }
        return closing;
    }

    struct Slot {
        std::size_t from;        // the slot before the decision
        std::vector<int> after;  // what each group becomes; empty: it stays
    };

    /// The slots of variables that are open still when `variable` is decided.
    std::vector<Slot> slots_after(int variable) const {
        std::vector<Slot> slots;
        for (std::size_t slot = 0; slot < open_.size(); ++slot) {
            if (!open_[slot].sees(model_, variable)) {
                slots.push_back({slot, {}});
                continue;
            }
            StateEquivalence const& groups = open_[slot].groups;
            if (groups.next_is_last()) continue;
            slots.push_back({slot, {}});
            for (std::size_t group = 0; group < groups.count(); ++group)
                slots.back().after.push_back(groups.after_next(group));
        }
        return slots;
    }

    void close_links(int variable) {
        for (Open& open : open_)
            if (open.sees(model_, variable)) open.groups.close_next();
        std::erase_if(open_, [](Open const& open) { return !open.groups.open(); });
    }

    std::vector<int> way_back() const {
        std::vector<int> values(model_.variables.size());
        std::size_t state = 0;  // all links are closed: one state is left
        for (std::size_t v = values.size(); v-- > 0;) {
            values[v] = history_[v].value(state);
            state = static_cast<std::size_t>(history_[v].parent(state));
        }
        return values;
    }

    Model const& model_;
    Bound const& bound_;
    double limit_;
    std::size_t most_states_;
    Budget& budget_;
    std::vector<Open> open_;
    std::vector<States> history_;
    std::size_t records_ = 0;
    FrontierResult result_;
};

}  // namespace

FrontierResult search_frontier(Model const& model, Bound const& bound, double limit, std::size_t states,
                               Budget& budget) {
    return FrontierSearch(model, bound, limit, states, budget).run();
}

}  // namespace ein::planner
