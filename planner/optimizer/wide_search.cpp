#include "planner/optimizer/wide_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "lib/base/threads/parallel.hpp"

namespace ein::planner::optimizer {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Looked {
    Alternative alternative;
    Cost cost = {};  // of infinite time where it does not fit
    double seconds = 0, bound = 0;
    std::shared_ptr<std::vector<double> const> held_up = nullptr;
};

class WideSearch {
public:
    WideSearch(Search& search, Choices const& choices, SearchReport& report)
        : search_(search), choices_(choices), report_(report), limits_(search.question.limits), glance_(choices) {
        glance_.effort = Effort::glance;
    }

    Candidate run() {
        std::vector<Numbered> const numbers = search_.numbered(choices_);
        report_ = {};
        if (!search_.affords(calls_of(numbers.front().first))) return search_.least_moving(numbers.front());
        asked_calls_ = calls_asked(choices_.planner);
        bool const may_use_fewer = search_.may_use_fewer(choices_);
        report_.bound = search_.functions.floor();
        for (std::size_t k = 0; k < numbers.size(); ++k) {
            if (is_spent()) {
                report_.not_reached += numbers.size() - k;
                break;
            }
            look_at({{choices_.planner.decompose, numbers[k].first}});
            if (k == 0 && may_use_fewer) look_at({on_fewer_ranks(1)});
            if (is_proven() && moves_nothing_) break;
            look_at_others(numbers[k]);
        }
        if (may_use_fewer && !(is_proven() && moves_nothing_)) look_at_fewer_ranks();
        Candidate best = best_of_finalists();
        improve(best);
        report_.taken = taken_.name;
        report_.used = relation::used_ranks(taken_.plan);
        report_.seconds = best.cost.seconds;
        return best;
    }

private:
    /// What a plan must go below to be faster by so much that it matters.
    double worth() const { return least_ * (1 - alike_); }
    /// What is slower than this is not looked at: it is neither faster, nor as fast and moves less.
    double limit() const { return moves_nothing_ ? worth() : least_ * (1 + alike_); }
    /// Up to this bytes decide.
    AlikeUpTo alike() const { return alike_up_to(least_, fastest_named_); }
    bool is_proven() const { return least_ < infinite && report_.bound >= worth(); }

    /// Tasks that may be made in all: a share of a long run, else of a fixed time.
    double budget() const {
        double const of_run = least_ < infinite ? limits_.share_of_run * least_ * limits_.work_a_second : 0;
        return std::max(limits_.most_work, of_run);
    }
    /// Where each schedule takes seconds, the next one is counted before it is made: it takes about as long as the
    /// best.
    bool is_spent() const { return work_ + (is_large() ? glanced_->work : 0) >= budget(); }
    /// Whether schedules have so many tasks that each takes seconds: then there is one placement of each.
    bool is_large() const { return glanced_ && glanced_->work > limits_.most_placed_tasks; }

    bool fits(Candidate const& candidate) const { return !search_.question.memory || search_.fits(candidate); }

    Alternative on_fewer_ranks(int ranks) const {
        return search_.functions.on_fewer_ranks(choices_, choices_.planner.decompose, ranks);
    }

    /// Variations are cut as those for all ranks are. Cuts of others for fewer ranks would come before what suits
    /// neighbours, which gains more in the same work (tried on 61 ranks).
    void look_at_others(Numbered const& numbered) {
        std::vector<Alternative> list = search_.functions.alternatives(numbered.choices, numbered.first);
        if (numbered.first.calls == asked_calls_) others_ = list;
        look_at(std::move(list));
    }

    /// Schedules with one placement each what may be better than what is there, the least bound first.
    void look_at(std::vector<Alternative> alternatives) {
        std::vector<Looked> open;
        for (Alternative& each : alternatives) {
            double const bound = search_.functions.bound(each.plan);
            open.push_back({std::move(each), {}, 0, bound, nullptr});
        }
        std::stable_sort(open.begin(), open.end(), [](Looked const& a, Looked const& b) { return a.bound < b.bound; });
        for (std::size_t begin = 0, at_once = 0; begin < open.size(); begin += at_once) {
            if (is_spent()) {
                report_.not_reached += open.size() - begin;
                return;
            }
            at_once = is_large() ? 1 : 4;  // whatever the number of cores, for what is left out depends on it
            std::vector<Looked> batch;
            for (std::size_t k = begin; k < std::min(open.size(), begin + at_once); ++k) {
                if (open[k].bound >= limit())
                    report_.left_out.push_back(
                        {open[k].alternative.name, open[k].alternative.plan.calls, open[k].bound, 0});
                else
                    batch.push_back(std::move(open[k]));
            }
            auto made = for_each_in_parallel(batch.size(), [&](std::size_t k) {
                return search_.functions.schedule(batch[k].alternative.plan, glance_);
            });
            for (std::size_t k = 0; k < batch.size(); ++k) {
                search_.spend(calls_of(batch[k].alternative.plan));
                work_ += made[k].work;
                batch[k].cost = made[k].cost;
                batch[k].held_up = made[k].held_up;
                report_.looked_at.push_back({batch[k].alternative.name, batch[k].alternative.plan.calls,
                                             made[k].cost.seconds, made[k].cost.bytes, fits(made[k]),
                                             made[k].busy_ranks});
                batch[k].seconds = made[k].cost.seconds;
                if (!fits(made[k])) batch[k].cost.seconds = infinite;
                if (batch[k].cost.seconds < least_) {
                    moves_nothing_ = batch[k].cost.bytes == 0;
                    glanced_ = std::move(made[k]);
                }
                least_ = std::min(least_, batch[k].cost.seconds);
                if (is_named(batch[k].alternative)) note_named(batch[k].cost);
                looked_.push_back(std::move(batch[k]));
            }
        }
    }

    /// What a user may get who names a strategy: of plans that are equal one is looked at, under the name that it had
    /// first.
    bool is_named(Alternative const& of) const { return of.plan.calls == asked_calls_; }
    void note_named(Cost const& cost) {
        if (cost.seconds < fastest_named_.seconds) fastest_named_ = cost;
    }

    /// Those that fit first; where none does, that which would be taken with more memory.
    static bool is_faster(Looked const& a, Looked const& b) {
        if (a.cost.seconds < infinite || b.cost.seconds < infinite) return a.cost.seconds < b.cost.seconds;
        return a.seconds < b.seconds;
    }
    Looked const& fastest() const { return *std::min_element(looked_.begin(), looked_.end(), is_faster); }

    /// Half as many, and half of these, while it gets faster; from one rank upwards where one is the fastest yet.
    void look_at_fewer_ranks() {
        std::vector<int> numbers = search_.functions.fewer_ranks(choices_.planner.ranks);
        numbers.pop_back();  // one: was looked at
        std::string const& asked = choices_.planner.decompose;
        std::string const best = fastest().alternative.name;
        if (fastest().alternative.plan.calls == 1) std::reverse(numbers.begin(), numbers.end());
        for (int ranks : numbers) {
            double const before = least_;
            std::vector<Alternative> fewer{on_fewer_ranks(ranks)};
            if (best != asked) fewer.push_back(search_.functions.on_fewer_ranks(choices_, best, ranks));
            look_at(std::move(fewer));
            if (least_ >= before) break;
        }
    }

    /// The fastest ones, and of those about as fast the one that moves least.
    void keep_finalists(std::vector<Looked const*>& near) const {
        if (near.size() <= limits_.finalists) return;
        auto const rest = near.begin() + static_cast<std::ptrdiff_t>(limits_.finalists);
        auto leanest = near.end();
        for (auto each = near.begin(); each != near.end(); ++each)
            if (is_as_fast((*each)->cost, alike()) &&
                (leanest == near.end() || (*each)->cost.busiest_bytes < (*leanest)->cost.busiest_bytes))
                leanest = each;
        if (leanest != near.end() && leanest >= rest) std::iter_swap(rest - 1, leanest);
        near.resize(limits_.finalists);
    }

    /// Of those that come near the fastest with several placements the best, and that with all placements.
    Candidate best_of_finalists() {
        std::vector<Looked const*> near;
        for (Looked const& each : looked_)
            if (each.cost.seconds <= limits_.near_best * least_ || least_ == infinite) near.push_back(&each);
        std::stable_sort(near.begin(), near.end(), [](Looked const* a, Looked const* b) { return is_faster(*a, *b); });
        keep_finalists(near);
        taken_ = near.front()->alternative;
        bool const is_placed = moves_nothing_ || is_large() || calls_of(taken_.plan) > limits_.most_placed_calls;
        if (glanced_ && is_placed) return std::move(*glanced_);
        Choices quick = choices_;
        quick.effort = Effort::quick;
        std::vector<Candidate> made = for_each_in_parallel(
            near.size(), [&](std::size_t k) { return search_.functions.schedule(near[k]->alternative.plan, quick); });
        for (std::size_t k = 0; k < made.size(); ++k) {
            search_.spend(calls_of(near[k]->alternative.plan));
            work_ += made[k].work;
        }
        for (std::size_t k = 0; k < made.size(); ++k)
            if (fits(made[k]) && is_named(near[k]->alternative)) note_named(made[k].cost);
        std::size_t const best = best_of(made);
        std::vector<std::size_t> thorough{best};
        for (std::size_t k = 0; k < made.size(); ++k)
            if (k != best && made[best].cost.seconds >= limits_.worth_placing && is_placed_in_ways(made[k].cost) &&
                made[k].cost.seconds <= limits_.near_placed * made[best].cost.seconds)
                thorough.push_back(k);
        std::vector<Looked const*> of{near[best]};
        std::vector<Candidate> candidates;
        candidates.push_back(std::move(made[best]));
        for (std::size_t k : thorough) {
            candidates.push_back(scheduled(near[k]->alternative.plan, choices_));
            if (fits(candidates.back()) && is_named(near[k]->alternative)) note_named(candidates.back().cost);
            of.push_back(near[k]);
        }
        std::size_t const taken = best_of(candidates);
        taken_ = of[taken]->alternative;
        least_ = candidates[taken].cost.seconds;
        return std::move(candidates[taken]);
    }

    /// Whether a placement can change anything: nothing is moved between ranks, or there is one.
    static bool is_placed_in_ways(Cost const& cost) { return cost.bytes > 0; }

    Candidate scheduled(relation::Plan const& plan, Choices const& choices) {
        Candidate out = search_.schedule(plan, choices);
        work_ += out.work;
        return out;
    }

    /// The fastest that fits; of those as fast, what moves least.
    std::size_t best_of(std::vector<Candidate> const& made) const {
        double least = infinite;
        bool const some_fit = std::ranges::any_of(made, [&](Candidate const& each) { return fits(each); });
        for (Candidate const& each : made)
            if (fits(each) == some_fit) least = std::min(least, each.cost.seconds);
        AlikeUpTo const alike = alike_up_to(least, fastest_named_);
        std::size_t best = 0;
        for (std::size_t k = 1; k < made.size(); ++k) {
            bool const fitting = fits(made[k]) && !fits(made[best]);
            bool const as_fitting = fits(made[k]) == fits(made[best]);
            if (fitting || (as_fitting && better(made[k].cost, made[best].cost, alike))) best = k;
        }
        return best;
    }

    /// Faster by what simulations can tell apart, or by less without moving more.
    bool is_step(Cost const& to, Cost const& from) const {
        double const least_gain = to.busiest_bytes > from.busiest_bytes ? simulation_error : alike_;
        return to.seconds < (1 - least_gain) * from.seconds;
    }

    /// What holds up the schedules that are there tells what a variation may gain beside them.
    double bound_beside_known(relation::Plan const& plan, Candidate const& best) const {
        if (!search_.functions.bound_beside) return 0;
        double bound = 0;
        auto const beside = [&](relation::Plan const& known, double seconds, auto const& held_up) {
            if (held_up && known.calls == plan.calls)
                bound = std::max(bound, search_.functions.bound_beside(plan, known, seconds, *held_up));
        };
        beside(taken_.plan, best.cost.seconds, best.held_up);
        for (Looked const& each : looked_)
            if (each.cost.seconds < infinite) beside(each.alternative.plan, each.cost.seconds, each.held_up);
        return bound;
    }

    /// The next variations that may be a step, scheduled at a time and then looked at one after the other.
    struct Promising {
        std::vector<std::size_t> plans;  // among all variations
        // Of each: those between it and the one before that gain too little.
        std::vector<std::size_t> left_out_before;
        std::size_t left_out_after = 0;  // behind the last one
        std::size_t end = 0;
    };
    Promising promising(std::vector<relation::Plan> const& plans, std::size_t next, Candidate const& best) const {
        std::size_t const at_once = best.work > limits_.most_placed_tasks ? 1 : 4;  // as in look_at
        Promising out;
        for (; next < plans.size() && out.plans.size() < at_once; ++next) {
            if (search_.functions.bound(plans[next]) >= worth()) continue;
            if (bound_beside_known(plans[next], best) >= worth()) {
                ++out.left_out_after;
                continue;
            }
            out.plans.push_back(next);
            out.left_out_before.push_back(std::exchange(out.left_out_after, 0));
        }
        out.end = next;
        return out;
    }

    /// Whether a variation that was scheduled is the next step.
    bool is_taken(relation::Plan& plan, Candidate& made, std::size_t left_out_before, Candidate& best) {
        search_.spend(calls_of(plan));
        work_ += made.work;
        report_.variations_left_out += left_out_before;
        ++report_.variations;
        if (!fits(made) || !is_step(made.cost, best.cost)) return false;
        taken_ = {taken_.name + (report_.steps == 0 ? ", varied" : ""), std::move(plan)};
        ++report_.steps;
        best = std::move(made);
        least_ = best.cost.seconds;
        return true;
    }

    /// Steps to variations that are better, as long as there is work left.
    void improve(Candidate& best) {
        double const worth_seconds = best.cost.seconds * limits_.work_a_second_of_run;
        double const most = std::min(budget(), work_ + worth_seconds);
        std::size_t const patience =
            best.cost.seconds < limits_.short_run ? limits_.most_in_vain : limits_.most_variations;
        auto const has_work = [&] { return work_ < most && !search_.exhausted(); };
        bool again = true;
        while (again && work_ < most && !is_proven() && taken_.plan.calls > 1) {
            again = false;
            double const affordable =
                std::min(static_cast<double>(limits_.most_variations), (most - work_) / std::max(1.0, best.work));
            std::vector<relation::Plan> plans =
                search_.functions.variations(taken_.plan, others_, static_cast<std::size_t>(affordable));
            plans.resize(std::min(plans.size(), patience));
            for (std::size_t next = 0; next < plans.size() && has_work() && !again;) {
                Promising const some = promising(plans, next, best);
                auto made = for_each_in_parallel(some.plans.size(), [&](std::size_t k) {
                    return search_.functions.schedule(plans[some.plans[k]], glance_);
                });
                for (std::size_t k = 0; k < made.size() && has_work() && !again; ++k)
                    again = is_taken(plans[some.plans[k]], made[k], some.left_out_before[k], best);
                if (!again && has_work()) report_.variations_left_out += some.left_out_after;
                next = some.end;
            }
        }
        if (report_.steps == 0) return;
        Candidate placed = search_.schedule(taken_.plan, choices_);
        if (fits(placed) &&
            better(placed.cost, best.cost, alike_up_to(std::min(placed.cost.seconds, least_), fastest_named_)))
            best = std::move(placed);
    }

    Search& search_;
    Choices const& choices_;
    SearchReport& report_;
    Limits const& limits_;
    Choices glance_;
    std::vector<Alternative> others_;
    std::vector<Looked> looked_;
    std::optional<Candidate> glanced_;  // the fastest of those
    bool moves_nothing_ = false;        // it does not
    Alternative taken_;
    std::int64_t asked_calls_ = 1;
    double least_ = infinite;
    Cost fastest_named_{.seconds = infinite};
    double work_ = 0;
    double const alike_ = alike_seconds;
};

}  // namespace

Candidate best_of_all(Search& search, Choices const& choices, SearchReport& report) {
    return WideSearch(search, choices, report).run();
}

}  // namespace ein::planner::optimizer
